//! The checks that `--valid` knows: one row for each kind and language, the cheapest first.

/// A check that a valid candidate passes.
pub(super) struct KnownCheck {
    /// What it is called on the command line.
    pub(super) kind: &'static str,
    /// The names of languages and formats.
    pub(super) languages: &'static [&'static str],
    /// A text that an input must have for the check to mean something, such as a main function.
    pub(super) needs: Option<&'static str>,
    /// How many different programs of one list it needs. With two, the line has both.
    pub(super) programs: Programs,
}

/// The programs of a check, and the line that runs them.
pub(super) enum Programs {
    /// The first that is installed: its name, and the line for the shell, in which `{}` is the
    /// program and `$1` the candidate.
    One(&'static [(&'static str, &'static str)]),
    /// A compiler, with its line, that no earlier check uses.
    Another(&'static [&'static str], &'static str),
    /// Two different ones, `{1}` and `{2}` in the line.
    Two(&'static [&'static str], &'static str),
}

use Programs::{Another, One, Two};

const C: &[&str] = &["C"];
const CXX: &[&str] = &["C++"];
const MAIN: Option<&str> = Some("main");

/// Warnings that C-Reduce's users refuse in their scripts: what they warn of is undefined.
const WARNINGS: &str = "{} -c -O1 -o out.o -Werror=implicit-function-declaration \
     -Werror=implicit-int -Werror=return-type -Werror=uninitialized -Werror=int-conversion \
     -Werror=incompatible-pointer-types -Werror=format -Werror=array-bounds \
     -Werror=shift-count-overflow -Werror=div-by-zero \"$1\" 2>&1 | { ! grep error: >&2; }";
const CXX_WARNINGS: &str = "{} -c -O1 -o out.o -Werror=return-type -Werror=uninitialized \
     -Werror=format -Werror=array-bounds -Werror=shift-count-overflow -Werror=div-by-zero \"$1\" 2>&1 | { ! grep error: >&2; }";
const PARSES: &str = "{} -fsyntax-only -w \"$1\"";
const OBJECT: &str = "{} -w -c -o out.o \"$1\"";
/// A program may exit with any code, but not with that of the sanitizers, nor by a signal.
const SANITIZED: &str = "{} -w -g -O1 -fsanitize=undefined,address -fno-sanitize-recover=all \
     -o out \"$1\" && { ASAN_OPTIONS=detect_leaks=0:exitcode=77 UBSAN_OPTIONS=exitcode=77 ./out \
     </dev/null; test $? -ne 77 -a $? -lt 128; }";
const AGREE: &str = "{1} -w -O0 -o one \"$1\" && {2} -w -O0 -o two \"$1\" && \
     { ./one </dev/null >one.txt; echo $? >>one.txt; ./two </dev/null >two.txt; \
     echo $? >>two.txt; cmp -s one.txt two.txt; }";

/// The options that say which form of a language an input is in.
pub(super) struct Dialect {
    pub(super) languages: &'static [&'static str],
    /// Their beginnings. One that ends with a space has its value in the next word.
    pub(super) options: &'static [&'static str],
    /// What another program than the one under test gets if there are none.
    pub(super) default: &'static str,
}

#[rustfmt::skip]
pub(super) const DIALECTS: &[Dialect] = &[
    Dialect {
        languages: &["C", "C++"],
        options: &[
            "-D ", "-I ", "-isystem ", "-include ", "-D", "-I", "-std=", "--std=", "-m32",
            "-fms-extensions", "-fopenmp", "-fcoroutines", "-fconcepts", "-fchar8_t",
        ],
        default: "",
    },
    Dialect { languages: &["Rust"], options: &["--edition ", "--edition="], default: " --edition 2021" },
    Dialect { languages: &["LLVM IR"], options: &["-opaque-pointers", "--opaque-pointers"], default: "" },
    Dialect { languages: &["SPIR-V", "SPIR-V binary"], options: &["--target-env "], default: "" },
    Dialect { languages: &["GLSL"], options: &["-S ", "--target-env ", "-V", "-G"], default: "" },
];

const fn check(
    kind: &'static str,
    languages: &'static [&'static str],
    programs: Programs,
) -> KnownCheck {
    KnownCheck {
        kind,
        languages,
        needs: None,
        programs,
    }
}

const fn of_programs(
    kind: &'static str,
    languages: &'static [&'static str],
    programs: Programs,
) -> KnownCheck {
    KnownCheck {
        needs: MAIN,
        ..check(kind, languages, programs)
    }
}

#[rustfmt::skip]
pub(super) const CHECKS: &[KnownCheck] = &[
    check("parses", C, One(&[("clang", PARSES), ("gcc", PARSES), ("cc", PARSES)])),
    check("parses", CXX, One(&[("clang++", PARSES), ("g++", PARSES), ("clang", PARSES)])),
    check("warnings", C, One(&[("clang", WARNINGS), ("gcc", WARNINGS), ("cc", WARNINGS)])),
    check("warnings", CXX, One(&[("clang++", CXX_WARNINGS), ("g++", CXX_WARNINGS), ("clang", CXX_WARNINGS)])),
    check("second", C, Another(&["tcc", "gcc", "clang"], OBJECT)),
    check("second", CXX, Another(&["g++", "clang++", "clang"], OBJECT)),
    of_programs("sanitizers", C, One(&[("gcc", SANITIZED), ("clang", SANITIZED)])),
    of_programs("sanitizers", CXX, One(&[("g++", SANITIZED), ("clang++", SANITIZED)])),
    of_programs("agree", C, Two(&["gcc", "clang", "tcc"], AGREE)),
    of_programs("agree", CXX, Two(&["g++", "clang++"], AGREE)),
    check("parses", &["Python"], One(&[("python3", r#"{} -c 'import sys; compile(open(sys.argv[1], "rb").read(), "x", "exec")' "$1""#)])),
    check("parses", &["JavaScript"], One(&[("node", r#"{} --check "$1""#)])),
    check("parses", &["TypeScript", "TSX"], One(&[("tsc", r#"{} --noEmit --noResolve "$1""#), ("esbuild", r#"{} --log-level=silent "$1" >/dev/null"#)])),
    check("accepts", &["SQL"], One(&[("sqlite3", r#"{} -batch -bail :memory: <"$1" >/dev/null"#), ("python3", r#"{} -c 'import sqlite3, sys; sqlite3.connect(":memory:").executescript(open(sys.argv[1]).read())' "$1""#)])),
    check("verify", &["LLVM IR"], One(&[("opt", r#"{} -passes=verify -disable-output "$1""#), ("llvm-as", r#"{} -o /dev/null "$1""#)])),
    check("verify", &["MLIR"], One(&[("mlir-opt", r#"{} "$1" -o /dev/null"#)])),
    check("validate", &["WebAssembly"], One(&[("wasm-validate", r#"{} "$1""#), ("wasm-tools", r#"{} validate "$1""#), ("node", r#"{} -e 'new WebAssembly.Module(fs.readFileSync(process.argv[1]))' "$1""#)])),
    check("validate", &["WebAssembly text"], One(&[("wat2wasm", r#"{} -o out.wasm "$1""#), ("wasm-tools", r#"{} validate "$1""#)])),
    check("validate", &["SPIR-V"], Two(&["spirv-as", "spirv-val"], r#"{1} -o out.spv "$1" && {2} out.spv"#)),
    check("validate", &["SPIR-V binary"], One(&[("spirv-val", r#"{} "$1""#)])),
    check("validate", &["GLSL"], One(&[("glslangValidator", r#"{} "$1""#)])),
    check("validate", &["WGSL"], One(&[("naga", r#"{} "$1""#)])),
    check("parses", &["JSON"], One(&[("python3", r#"{} -c 'import json, sys; json.load(open(sys.argv[1]))' "$1""#), ("jq", r#"{} empty "$1""#), ("node", r#"{} -e 'JSON.parse(fs.readFileSync(process.argv[1]))' "$1""#)])),
    check("parses", &["XML"], One(&[("xmllint", r#"{} --nonet --noout "$1""#), ("python3", r#"{} -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' "$1""#)])),
    check("parses", &["YAML"], One(&[("ruby", r#"{} -ryaml -e 'YAML.parse_file(ARGV[0]) or exit 1' "$1""#), ("yq", r#"{} . "$1" >/dev/null"#)])),
    check("parses", &["TOML"], One(&[("python3", r#"{} -c 'import sys, tomllib; tomllib.load(open(sys.argv[1], "rb"))' "$1""#), ("taplo", r#"{} check "$1""#)])),
    check("compiles", &["Rust"], One(&[("rustc", r#"{} --crate-type lib --emit metadata -A warnings -o out.rmeta "$1""#)])),
    check("parses", &["Bash"], One(&[("bash", r#"{} -n "$1""#)])),
    check("parses", &["Perl"], One(&[("perl", r#"{} -c "$1""#)])),
    check("parses", &["Ruby"], One(&[("ruby", r#"{} -c "$1""#)])),
    check("parses", &["PHP"], One(&[("php", r#"{} -l "$1""#)])),
    check("parses", &["Lua"], One(&[("luac", r#"{} -p "$1""#)])),
    check("parses", &["Go"], One(&[("gofmt", r#"{} -e "$1" >/dev/null"#)])),
    check("compiles", &["Go"], One(&[("go", r#"{} vet "$1""#)])),
    check("compiles", &["Java"], One(&[("javac", r#"{} -nowarn -proc:none -d . "$1""#)])),
    check("parses", &["Verilog"], One(&[("iverilog", r#"{} -g2012 -t null "$1""#)])),
    check("parses", &["RTLIL"], One(&[("yosys", r#"{} -q -p "read_rtlil $1""#)])),
    check("parses", &["SMT-LIB"], One(&[("cvc5", r#"{} --parse-only "$1""#)])),
];
