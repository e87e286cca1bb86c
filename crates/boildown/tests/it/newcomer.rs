//! The commands of a newcomer, one after another: real tools on small inputs.
//!
//! A row without its tools on this machine is skipped, and says so. What lies beyond one command is
//! tested elsewhere: `place` (copies of the project), `scripts` (what is wrong with a script),
//! `habits` (command lines of other tools), `deduction` (the choice of the property).

use std::path::Path;

use crate::env::{TestEnv, has};

/// One command of `boildown reduce`.
struct Row {
    /// The tools that it needs; `python3:pytest` is a module of Python.
    needs: &'static [&'static str],
    /// Names and contents of files. Scripts are executable.
    files: &'static [(&'static str, &'static str)],
    /// The words after `boildown reduce`; those between single quotes are one.
    command: &'static str,
    /// What standard error has to contain.
    says: &'static [&'static str],
    ends: Ends,
    /// `None` when nothing is reduced.
    result: Option<Left>,
}

/// How a command ends.
enum Ends {
    Reduced,
    /// By `--max-tests`.
    AtLimit,
    /// One of these, which depends on the version of the tool.
    ReducedOrAtLimit,
    /// With this exit code.
    Error(i32),
}

/// What is left of the input.
struct Left {
    file: &'static str,
    holds: &'static str,
    /// At most.
    bytes: usize,
}

/// Makes a test of each row.
macro_rules! newcomer {
    ($($name:ident => $row:expr,)+) => {
        $(#[test] fn $name() { $row.check(); })+
    };
}

newcomer! {
    a_compile_error_of_gcc => Row {
        needs: &["gcc"],
        files: &[("a.c", "int one = 1;\nint two(int a) { return a + one; }\nint three = missing;\n"),],
        command: "a.c -- gcc -c a.c",
        says: &["undeclared"],
        ends: Ends::Reduced,
        result: Some(Left { file: "a.min.c", holds: "missing", bytes: 25 }),
    },
    a_link_error_of_gcc => Row {
        needs: &["gcc"],
        files: &[("a.c", "int one = 1;\nint missing(void);\nint main(void) { return missing() + one; }\n"),],
        command: "a.c -- gcc a.c -o a.out",
        says: &["undefined reference to"],
        ends: Ends::Reduced,
        result: Some(Left { file: "a.min.c", holds: "missing", bytes: 45 }),
    },
    a_crash_of_a_compiled_program => Row {
        needs: &["gcc"],
        files: &[("a.c", "int one = 1;\nint main(void) {\n  int *none = 0;\n  one = one + 1;\n  return *none;\n}\n"),],
        command: "a.c -- sh -c 'gcc -w a.c -o a.out && ./a.out'",
        says: &["preserving: "],
        ends: Ends::Reduced,
        // Whether a pointer without a value crashes too depends on what is on the stack.
        result: Some(Left { file: "a.min.c", holds: "main", bytes: 44 }),
    },
    an_assertion_of_a_compiled_program => Row {
        needs: &["gcc"],
        files: &[("a.c", "#include <assert.h>\nint one = 1;\nint main(void) {\n  one = one + 1;\n  assert(one == 3);\n}\n"),],
        command: "a.c -- sh -c 'gcc -w a.c -o a.out && ./a.out'",
        says: &["Assertion `"],
        ends: Ends::Reduced,
        result: Some(Left { file: "a.min.c", holds: "assert", bytes: 70 }),
    },
    an_error_of_the_address_sanitizer => Row {
        needs: &["gcc"],
        files: &[("a.c", "#include <stdlib.h>\nint one = 1;\nint main(void) {\n  char *a = malloc(4);\n  one = one + 1;\n  a[4] = 1;\n  return a[4];\n}\n"),],
        command: "a.c --max-tests 30 -- sh -c 'gcc -g -w -fsanitize=address a.c -o a.out && ./a.out'",
        says: &["heap-buffer-overflow"],
        ends: Ends::ReducedOrAtLimit,
        result: Some(Left { file: "a.min.c", holds: "malloc", bytes: 130 }),
    },
    a_template_error_of_gxx => Row {
        needs: &["g++"],
        files: &[("a.cc", "template <class T> struct box { T it; };\nstruct bird { int wings; };\nbox<bird> nest;\nint legs = nest.it.legs;\n"),],
        command: "a.cc --max-tests 40 -- g++ -c a.cc",
        says: &["has no member named"],
        ends: Ends::ReducedOrAtLimit,
        result: Some(Left { file: "a.min.cc", holds: "legs", bytes: 100 }),
    },
    a_header_in_a_directory => Row {
        needs: &["gcc"],
        files: &[("main.c", "#include <mine.h>\nint one = 1;\nint two = 2;\nint three = MINE + missing;\n"),("inc/mine.h", "#define MINE 1\n"),],
        command: "main.c -- gcc -c main.c -Iinc",
        says: &["missing"],
        ends: Ends::Reduced,
        result: Some(Left { file: "main.min.c", holds: "missing", bytes: 30 }),
    },
    a_header_in_the_directory => Row {
        needs: &["gcc"],
        files: &[("main.c", "#include <mine.h>\nint one = 1;\nint two = 2;\nint three = MINE + missing;\n"),("mine.h", "#define MINE 1\n"),],
        command: "main.c -- gcc -c main.c -I .",
        says: &["missing"],
        ends: Ends::Reduced,
        result: Some(Left { file: "main.min.c", holds: "missing", bytes: 30 }),
    },
    a_compiler_that_reads_standard_input => Row {
        needs: &["gcc"],
        files: &[("a.c", "int one = 1;\nint two(int a) { return a + one; }\nint three = missing;\n"),],
        command: "a.c --stdin -- gcc -fsyntax-only -x c -",
        says: &["undeclared"],
        ends: Ends::Reduced,
        result: Some(Left { file: "a.min.c", holds: "missing", bytes: 25 }),
    },
    a_warning_of_gcc => Row {
        needs: &["gcc"],
        files: &[("a.c", "int two(int a) { return a; }\nint one(int a) {\n  if (a) return 1;\n}\n"),],
        command: "a.c --stderr 'control reaches end' -- gcc -Wall -c a.c",
        says: &["control reaches end"],
        ends: Ends::Reduced,
        result: Some(Left { file: "a.min.c", holds: "one", bytes: 10 }),
    },
    a_compile_error_of_clang => Row {
        needs: &["clang"],
        files: &[("a.c", "int one = 1;\nint two(int a) { return a + one; }\nint three = missing;\n"),],
        command: "a.c -- clang -c a.c",
        says: &["undeclared identifier"],
        ends: Ends::Reduced,
        result: Some(Left { file: "a.min.c", holds: "missing", bytes: 25 }),
    },
    an_error_of_opt => Row {
        needs: &["opt"],
        files: &[("a.ll", "define i32 @one() {\n  ret i32 1\n}\ndefine i32 @two() {\n  %a = add i32 1, 2\n  ret i32 %b\n}\n"),],
        command: "a.ll --max-tests 60 -- opt -S a.ll",
        says: &["use of undefined value"],
        ends: Ends::ReducedOrAtLimit,
        result: Some(Left { file: "a.min.ll", holds: "%", bytes: 70 }),
    },
    make_in_a_folder => Row {
        needs: &["make", "python3"],
        files: &[("proj/Makefile", "all:\n	python3 main.py\n"),("proj/main.py", "import helper\n\nprint(helper.half(2))\nprint(helper.half(0))\n"),("proj/helper.py", "def half(number):\n    return 1 / number\n"),],
        command: "proj/main.py --until 9 -- make -C proj",
        says: &["ZeroDivisionError"],
        ends: Ends::Reduced,
        result: Some(Left { file: "proj/main.min.py", holds: "half", bytes: 40 }),
    },
    a_makefile => Row {
        needs: &["make"],
        files: &[("Makefile", "all: one two\n	echo done\none:\n	echo one\ntwo: three\n	echo two\n"),],
        command: "Makefile -- make -f Makefile",
        says: &["No rule to make target"],
        ends: Ends::Reduced,
        result: Some(Left { file: "Makefile.min", holds: ":", bytes: 20 }),
    },
    a_type_error_of_rustc => Row {
        needs: &["rustc"],
        files: &[("a.rs", "struct Bird { wings: u8 }\nfn one() -> u8 { 1 }\nfn main() {\n    let bird = Bird { wings: one() };\n    let wings: String = bird.wings;\n}\n"),],
        command: "a.rs --max-tests 40 -- rustc --emit metadata a.rs",
        says: &["mismatched types"],
        ends: Ends::ReducedOrAtLimit,
        result: Some(Left { file: "a.min.rs", holds: "main", bytes: 110 }),
    },
    a_panic_of_a_compiled_program => Row {
        needs: &["rustc"],
        files: &[("a.rs", "fn one() -> usize { 1 }\nfn main() {\n    let list = vec![1, 2, 3];\n    let at = list.len() + one();\n    println!(\"{}\", list[at]);\n}\n"),],
        command: "a.rs --max-tests 20 -- sh -c 'rustc a.rs -o a.out 2>/dev/null && ./a.out'",
        says: &["panicked at", "index out of bounds"],
        ends: Ends::AtLimit,
        result: Some(Left { file: "a.min.rs", holds: "main", bytes: 131 }),
    },
    a_test_of_a_crate => Row {
        needs: &["cargo"],
        files: &[("src/lib.rs", "pub fn one() -> i32 { 1 }\npub fn two() -> i32 { 2 }\n\n#[test]\nfn adds() {\n    assert_eq!(one() + two(), 4);\n}\n"),("Cargo.toml", "[package]\nname = \"tiny\"\nedition = \"2021\"\n"),],
        command: "src/lib.rs --max-tests 12 -- cargo test --offline --quiet --lib",
        says: &["running in a copy of", "adds"],
        ends: Ends::AtLimit,
        result: Some(Left { file: "src/lib.min.rs", holds: "adds", bytes: 110 }),
    },
    a_compile_error_of_javac => Row {
        needs: &["javac"],
        files: &[("A.java", "class A {\n  int one() { return 1; }\n  int two() { return missing; }\n}\n"),],
        command: "A.java --max-tests 6 -- javac A.java",
        says: &["cannot find symbol"],
        ends: Ends::AtLimit,
        result: Some(Left { file: "A.min.java", holds: "missing", bytes: 60 }),
    },
    an_exception_of_java => Row {
        needs: &["java"],
        files: &[("A.java", "class A {\n  static int one() { return 1; }\n  public static void main(String[] args) {\n    Object none = null;\n    System.out.println(one());\n    none.toString();\n  }\n}\n"),],
        command: "A.java --max-tests 5 -- java A.java",
        says: &["NullPointerException"],
        ends: Ends::AtLimit,
        result: Some(Left { file: "A.min.java", holds: "none", bytes: 168 }),
    },
    an_exception_of_node => Row {
        needs: &["node"],
        files: &[("a.js", "const birds = [{wings: 2}];\nlet sum = 0;\nfor (const bird of birds) sum += bird.wings;\nconsole.log(birds[3].wings);\n"),],
        command: "a.js --max-tests 40 -- node a.js",
        says: &["TypeError: Cannot read properties of undefined"],
        ends: Ends::ReducedOrAtLimit,
        result: Some(Left { file: "a.min.js", holds: "wings", bytes: 60 }),
    },
    a_package_in_node_modules => Row {
        needs: &["node"],
        files: &[("main.js", "const lib = require('lib');\nlet x = 1;\nlet y = x + 1;\nlib.fail(y);\n"),("node_modules/lib/index.js", "exports.fail = () => { throw new TypeError('from lib'); };\n"),],
        command: "main.js --max-tests 30 -- node main.js",
        says: &["from lib"],
        ends: Ends::ReducedOrAtLimit,
        result: Some(Left { file: "main.min.js", holds: "fail", bytes: 60 }),
    },
    a_syntax_error_of_node => Row {
        needs: &["node"],
        files: &[("a.js", "let a = 1;\nfunction b() { return a; }\nlet c = ;\n"),],
        command: "a.js -- node --check a.js",
        says: &["SyntaxError: Unexpected token"],
        ends: Ends::Reduced,
        result: Some(Left { file: "a.min.js", holds: "", bytes: 10 }),
    },
    an_assertion_of_node => Row {
        needs: &["node"],
        files: &[("a.js", "const assert = require('assert');\nlet a = 1;\nlet b = a + 1;\nassert.strictEqual(b, 3, 'b is wrong');\n"),],
        command: "a.js --max-tests 40 -- node a.js",
        says: &["b is wrong"],
        ends: Ends::ReducedOrAtLimit,
        result: Some(Left { file: "a.min.js", holds: "wrong", bytes: 90 }),
    },
    an_exception_of_python => Row {
        needs: &["python3"],
        files: &[("a.py", "birds = {'owl': 2, 'crow': 2}\nfor name in ['owl', 'emu']:\n    wings = birds[name]\n    print(name, wings)\n"),],
        command: "a.py -- python3 a.py",
        says: &["KeyError: "],
        ends: Ends::Reduced,
        result: Some(Left { file: "a.min.py", holds: "emu", bytes: 45 }),
    },
    a_package_of_python => Row {
        needs: &["python3"],
        files: &[("pkg/__main__.py", "from pkg import helper\n\nprint(helper.half(2))\nprint(helper.half(0))\n"),("pkg/helper.py", "def half(number):\n    return 1 / number\n"),],
        command: "pkg/__main__.py --until 12 -- python3 -m pkg",
        says: &["ZeroDivisionError"],
        ends: Ends::Reduced,
        result: Some(Left { file: "pkg/__main__.min.py", holds: "half", bytes: 50 }),
    },
    a_failing_unittest => Row {
        needs: &["python3"],
        files: &[("test_a.py", "import unittest\n\nclass Birds(unittest.TestCase):\n    def test_one(self):\n        self.assertEqual(1, 1)\n    def test_two(self):\n        one = 1\n        self.assertEqual(one + 1, 3, 'wings')\n\nunittest.main()\n"),],
        command: "test_a.py --max-tests 40 -- python3 test_a.py",
        says: &["test_two"],
        ends: Ends::ReducedOrAtLimit,
        result: Some(Left { file: "test_a.min.py", holds: "test_two", bytes: 200 }),
    },
    a_failing_test_of_pytest => Row {
        needs: &["python3", "python3:pytest"],
        files: &[("test_a.py", "def test_one():\n    assert 1 == 1\n\ndef test_two():\n    one = 1\n    assert one + 1 == 3\n"),],
        command: "test_a.py --max-tests 40 -- python3 -m pytest -q test_a.py",
        says: &["test_two"],
        ends: Ends::ReducedOrAtLimit,
        result: Some(Left { file: "test_a.min.py", holds: "test_two", bytes: 80 }),
    },
    a_syntax_error_of_python => Row {
        needs: &["python3"],
        files: &[("a.py", "a = 1\ndef b():\n    return a\nc = (2,\n"),],
        command: "a.py -- python3 -m py_compile a.py",
        says: &["SyntaxError"],
        ends: Ends::Reduced,
        result: Some(Left { file: "a.min.py", holds: "", bytes: 10 }),
    },
    a_document_that_a_module_of_python_rejects => Row {
        needs: &["python3"],
        files: &[("in.json", "{\"owl\": 2, \"crow\": [2, 3], \"emu\": nul}\n"),],
        command: "in.json -- python3 -m json.tool in.json",
        says: &["Expecting value", "the property holds on the empty input", "make the property more specific"],
        ends: Ends::Error(1),
        result: None,
    },
    a_program_given_as_a_line_of_python => Row {
        needs: &["python3"],
        files: &[("in.json", "{\"owl\": 2, \"crow\": [2, 3], \"emu\": null}\n"),],
        command: "in.json -- python3 -c 'import json, sys; print(sum(json.load(open(sys.argv[1]))[\"emu\"]))' in.json",
        says: &["TypeError: "],
        ends: Ends::Reduced,
        result: Some(Left { file: "in.min.json", holds: "emu", bytes: 20 }),
    },
    a_page_that_is_not_well_formed => Row {
        needs: &["python3"],
        files: &[("in.xml", "<birds>\n  <owl wings=\"2\"/>\n  <crow><wing/></crow>\n  <emu></owl>\n</birds>\n"),],
        command: "in.xml -- python3 -c 'import sys, xml.dom.minidom as m; m.parse(sys.argv[1])' in.xml",
        says: &["mismatched tag"],
        ends: Ends::Reduced,
        result: Some(Left { file: "in.min.xml", holds: "</", bytes: 20 }),
    },
    an_error_of_sqlite => Row {
        needs: &["sqlite3"],
        files: &[("in.sql", "CREATE TABLE birds (name TEXT, wings INT);\nINSERT INTO birds VALUES ('owl', 2);\nSELECT name FROM birds WHERE wings = 2;\nSELECT legs FROM birds;\n"),],
        command: "in.sql --stdin -- sqlite3 -bail",
        says: &["no such column: legs"],
        ends: Ends::Reduced,
        result: Some(Left { file: "in.min.sql", holds: "legs", bytes: 60 }),
    },
    an_error_of_sqlite_in_a_shell => Row {
        needs: &["sqlite3"],
        files: &[("in.sql", "CREATE TABLE birds (name TEXT, wings INT);\nINSERT INTO bird VALUES ('owl', 2);\n"),],
        command: "in.sql -- sh -c 'sqlite3 -bail < in.sql'",
        says: &["no such table: bird"],
        ends: Ends::Reduced,
        result: Some(Left { file: "in.min.sql", holds: "bird", bytes: 40 }),
    },
    an_error_of_z3 => Row {
        needs: &["z3"],
        files: &[("in.smt2", "(declare-const a Int)\n(assert (> a 1))\n(check-sat)\n(assert (> b 1))\n(check-sat)\n"),],
        command: "in.smt2 -- z3 in.smt2",
        says: &["unknown constant b"],
        ends: Ends::Reduced,
        result: Some(Left { file: "in.min.smt2", holds: "b", bytes: 30 }),
    },
    an_error_of_iverilog => Row {
        needs: &["iverilog"],
        files: &[("a.v", "module a(input b, output c);\nassign c = b & missing_wire;\nassign d = ;\nendmodule\n"),],
        command: "a.v -- iverilog -o a.out a.v",
        says: &["error"],
        ends: Ends::Reduced,
        result: Some(Left { file: "a.min.v", holds: "", bytes: 40 }),
    },
    an_error_of_a_shell_script => Row {
        needs: &["sh"],
        files: &[("in.sh", "one=1\nif [ $one = 1 ]; then\n  echo one\nfi\nmissing_command --now\nexit $?\n"),],
        command: "in.sh -- sh in.sh",
        says: &["missing_command: not found"],
        ends: Ends::Reduced,
        result: Some(Left { file: "in.min.sh", holds: "missing_command", bytes: 16 }),
    },
    an_error_of_awk => Row {
        needs: &["awk"],
        files: &[("in.awk", "BEGIN { a = 1 }\nEND { b = a +* 2; print b }\n"),],
        command: "in.awk -- awk -f in.awk",
        says: &["syntax error"],
        ends: Ends::Reduced,
        result: Some(Left { file: "in.min.awk", holds: "", bytes: 20 }),
    },
    a_log_with_an_error => Row {
        needs: &["grep"],
        files: &[("build.log", "[1/3] one.c\n[2/3] two.c\ntwo.c:3:5: error: no such bird\n[3/3] three.c\n"),],
        command: "build.log --test 'grep -q error: build.log'",
        says: &["the test exits with 0"],
        ends: Ends::Reduced,
        result: Some(Left { file: "build.min.log", holds: "error:", bytes: 7 }),
    },
    the_lines_of_a_log => Row {
        needs: &["grep"],
        files: &[("build.log", "[1/3] one.c\n[2/3] two.c\ntwo.c:3:5: error: no such bird\n[3/3] three.c\n"),],
        command: "build.log --units lines --test 'grep -q error: build.log'",
        says: &["the test exits with 0"],
        ends: Ends::Reduced,
        result: Some(Left { file: "build.min.log", holds: "two.c:3:5: error: no such bird\n", bytes: 32 }),
    },
    a_hang => Row {
        needs: &["python3"],
        files: &[("a.py", "import time\na = 1\nwhile a:\n    time.sleep(0.05)\nprint(a)\n"),],
        command: "a.py --hangs 2s --max-tests 8 -- python3 a.py",
        says: &["runs for 2s or longer"],
        ends: Ends::ReducedOrAtLimit,
        result: Some(Left { file: "a.min.py", holds: "", bytes: 60 }),
    },
    a_script_for_another_reducer => Row {
        needs: &["gcc"],
        files: &[("a.c", "int one = 1;\nint two(int a) { return a + one; }\nint three(int a) { return two(a) * 3; }\n"),("r.sh", "#!/bin/sh\ngcc -c a.c && grep -q 'three(int' a.c\n"),],
        command: "a.c --test ./r.sh",
        says: &["the test exits with 0"],
        ends: Ends::Reduced,
        result: Some(Left { file: "a.min.c", holds: "three(int", bytes: 25 }),
    },
}

impl Row {
    fn check(&self) {
        if !self.needs.iter().all(|tool| has(tool)) {
            return;
        }
        let is_script = |name: &str| Path::new(name).extension().is_some_and(|end| end == "sh");
        let mut env = TestEnv::new();
        for &(name, content) in self.files {
            env = env.file(name, content);
            if is_script(name) {
                env = env.mode(name, 0o755);
            }
        }
        let finished = env.reduce(words(self.command));
        let is_as_expected = match self.ends {
            Ends::Reduced => finished.code == Some(0),
            Ends::AtLimit => finished.code == Some(6),
            Ends::ReducedOrAtLimit => matches!(finished.code, Some(0 | 6)),
            Ends::Error(code) => finished.code == Some(code),
        };
        assert!(is_as_expected, "\n{finished}");
        for text in self.says {
            finished.assert_says(text);
        }
        for (name, content) in self.files {
            assert_eq!(env.read(name), *content, "{name} is not changed");
        }
        if let Some(Left { file, holds, bytes }) = self.result {
            let result = env.read(file);
            assert!(
                result.contains(holds) && result.len() <= bytes,
                "{} bytes: {result}\n{finished}",
                result.len()
            );
        }
    }
}

/// Returns the words of a command line.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (at, part) in line.split('\'').enumerate() {
        match at % 2 {
            0 => words.extend(part.split_whitespace().map(str::to_owned)),
            _ => words.push(part.to_owned()),
        }
    }
    words
}
