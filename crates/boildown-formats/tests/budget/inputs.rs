//! The inputs of the measurements, and their property.

use boildown_search::Verdict;

/// A generated text.
pub(crate) struct Input {
    /// Its name in the table of languages; of a text in none, another one.
    pub(crate) language: &'static str,
    pub(crate) text: String,
    /// What each of its units has, with its number.
    mark: &'static str,
    units: usize,
}

/// How much of an input is needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Need {
    /// Parts of three of its units.
    Three,
    /// A part of every tenth unit.
    Tenth,
}

/// The parts of a text. In each, `@` is the number of the unit, `~` that of one before it, `#` a
/// number, and `$` a word.
struct Parts {
    language: &'static str,
    begin: &'static str,
    mark: &'static str,
    /// The beginning of each unit, which holds the mark.
    head: &'static str,
    /// Each unit has two to seven of these.
    inner: &'static [&'static str],
    tail: &'static str,
    between: &'static str,
    end: &'static str,
}

/// The parts that most languages do not have.
const PLAIN: Parts = Parts {
    language: "",
    begin: "",
    mark: "",
    head: "",
    inner: &[],
    tail: "",
    between: "",
    end: "",
};

const ALL: &[Parts] = &[
    Parts {
        language: "C",
        mark: "int f@(int a",
        head: "/* Function @ of the $. */\nstruct s@ { int left, right; unsigned long $; };\n\
            static int table@[8] = { 1, 2, #, 4, # };\nint f@(int a, int b) {\n    \
            struct s@ p = { a, #, # };\n    int sum = 0;\n",
        inner: &[
            "    for (int i = 0; i < #; i++) {\n        sum += table@[i & 7] * #;\n    }\n",
            "    if (a > # && b != #) {\n        sum -= p.left;\n    } else {\n        sum++;\n    }\n",
            "    switch (a % #) {\n    case 0:\n        sum ^= b;\n        break;\n    default:\n        \
                break;\n    }\n",
            "    sum += f~(a - #, p.right);\n",
            "    printf(\"$ @: %d %d\\n\", sum, #);\n",
        ],
        tail: "    return sum + p.right;\n}\n\n",
        ..PLAIN
    },
    Parts {
        language: "C++",
        mark: "int f@(int a",
        head: "namespace $ {\n// Class @ of the $.\ntemplate <typename T>\n\
            class c@ : public base {\npublic:\n    explicit c@(T v) : value_(v) {}\n    \
            virtual ~c@() {}\nprivate:\n    T value_;\n    std::map<std::string, int> map_;\n};\n\
            inline int f@(int a) {\n    c@<int> x(a);\n",
        inner: &[
            "    for (auto const& e : x.list()) {\n        a += e * #;\n    }\n",
            "    auto g = [&](int q) { return q + a * #; };\n    a -= g(#);\n",
            "    if (a > #) a = static_cast<int>(f~(#));\n",
            "    std::cout << \"$ @\" << a << std::endl;\n",
        ],
        tail: "    return a;\n}\n}\n\n",
        ..PLAIN
    },
    Parts {
        language: "JSON",
        begin: "[\n",
        mark: "\"id\": @,",
        head: "  {\n    \"id\": @,\n    \"name\": \"$ $\",\n    \"items\": [\n      null",
        inner: &[
            ",\n      { \"key\": \"$\", \"value\": # }",
            ",\n      { \"x\": #.5, \"y\": #, \"label\": null, \"active\": true }",
            ",\n      [\"$\", \"$\", #]",
        ],
        tail: "\n    ]\n  }",
        between: ",\n",
        end: "\n]\n",
    },
    Parts {
        language: "JavaScript",
        mark: "function f@(a",
        head: "// Function @ of the $.\nfunction f@(a, b = #) {\n  let sum = 0;\n  \
            const o = { left: a, right: b, name: '$ @', list: [1, #, #] };\n",
        inner: &[
            "  for (let i = 0; i < #; i++) {\n    sum += o.list[i % 3] * #;\n  }\n",
            "  if (a > # && b !== #) { sum -= o.left; } else { sum++; }\n",
            "  sum += o.list.map((v, j) => v + j * #).filter(v => v > #).length;\n",
            "  sum += f~(a - #, o.right);\n",
            "  console.log(`$ ${sum}`, #, /ab+c/.test(o.name));\n",
        ],
        tail: "  return sum + o.right;\n}\n\n",
        ..PLAIN
    },
    Parts {
        language: "Python",
        mark: "def f@(a",
        head: "class C@(object):\n    \"\"\"Holds the $.\"\"\"\n    \
            def __init__(self, left, right=#):\n        self.left = left\n        \
            self.right = right\n\n\ndef f@(a, b=#):\n    # computes the $\n    p = C@(a)\n    \
            sum = 0\n",
        inner: &[
            "    for i in range(#):\n        sum += p.left * i + #\n",
            "    if a > # and b != #:\n        sum -= p.left\n    else:\n        sum += 1\n",
            "    sum += len([v * # for v in range(a) if v % 2])\n",
            "    sum += f~(a - #, p.right)\n",
            "    print(f\"$ {sum}\", #)\n",
        ],
        tail: "    return sum + p.right\n\n\n",
        ..PLAIN
    },
    Parts {
        language: "Rust",
        mark: "fn f@(a",
        head: "/// Holds the $.\n#[derive(Debug, Clone)]\n\
            pub struct S@ { left: i32, right: i32 }\nimpl S@ {\n    \
            pub fn new(left: i32) -> Self { Self { left, right: # } }\n}\n\
            pub fn f@(a: i32, b: i32) -> i32 {\n    let p = S@::new(a);\n    let mut sum = 0;\n",
        inner: &[
            "    for i in 0..# {\n        sum += p.left * i + #;\n    }\n",
            "    if a > # && b != # { sum -= p.left; } else { sum += 1; }\n",
            "    sum += match a % 3 { 0 => #, 1 => b, _ => p.right };\n",
            "    sum += f~(a - #, p.right);\n",
            "    println!(\"$ {} {}\", sum, #);\n",
        ],
        tail: "    sum + p.right\n}\n\n",
        ..PLAIN
    },
    Parts {
        language: "SQL",
        mark: "TABLE t@ (",
        head: "CREATE TABLE t@ (id INTEGER PRIMARY KEY, $ INT NOT NULL, name VARCHAR(#));\n",
        inner: &[
            "INSERT INTO t@ VALUES (#, #, '$'), (#, #, NULL);\n",
            "SELECT a.id, count(*) AS c FROM t@ AS a LEFT JOIN t~ AS b ON a.id = b.id \
                WHERE a.$ > # AND b.name LIKE '%$%' GROUP BY a.id ORDER BY c DESC;\n",
            "UPDATE t@ SET name = 'x#' WHERE id IN (SELECT id FROM t~ WHERE id < #);\n",
        ],
        tail: "\n",
        ..PLAIN
    },
    Parts {
        language: "XML",
        begin: "<?xml version=\"1.0\"?>\n<root>\n",
        mark: "id=\"@\"",
        head: "  <entry id=\"@\" kind=\"$\">\n    <name>$ $</name>\n    <!-- note # -->\n",
        inner: &[
            "    <item key=\"$\" value=\"#\">text $ # <b>$</b></item>\n",
            "    <empty x=\"#\"/>\n",
        ],
        tail: "  </entry>\n",
        end: "</root>\n",
        ..PLAIN
    },
    Parts {
        language: "text",
        mark: "(@)",
        head: "The $ of the $ (@) has # of them.\n",
        inner: &[
            "A $ follows it, with a $.\n",
            "After \"$\" and $, # is the $.\n",
        ],
        tail: "\n",
        ..PLAIN
    },
];

const WORDS: [&str; 16] = [
    "alpha", "buffer", "count", "depth", "edge", "field", "graph", "handle", "index", "job", "key",
    "label", "map", "node", "offset", "parent",
];

/// A small generator of pseudo-random numbers; only variety is needed.
struct Noise(u32);

impl Noise {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (self.0 >> 8) as usize % limit
    }
}

/// Returns a text of about this many bytes; the same one for the same size.
///
/// # Panics
/// When there are no parts of this name.
pub(crate) fn generate(language: &str, size: usize) -> Input {
    let parts = ALL.iter().find(|parts| parts.language == language);
    let parts = parts.expect("there are parts of every language");
    let mut noise = Noise(0x2545_F491);
    let mut text = parts.begin.to_owned();
    let mut units = 0;
    while text.len() < size {
        if units > 0 {
            text += parts.between;
        }
        write(&mut text, parts.head, units, &mut noise);
        for _ in 0..2 + noise.below(6) {
            let inner = parts.inner[noise.below(parts.inner.len())];
            write(&mut text, inner, units, &mut noise);
        }
        write(&mut text, parts.tail, units, &mut noise);
        units += 1;
    }
    text += parts.end;
    Input {
        language: parts.language,
        text,
        mark: parts.mark,
        units,
    }
}

fn write(text: &mut String, part: &str, unit: usize, noise: &mut Noise) {
    for character in part.chars() {
        match character {
            '@' => *text += &unit.to_string(),
            '~' => *text += &noise.below(unit.max(1)).to_string(),
            '#' => *text += &noise.below(1000).to_string(),
            '$' => *text += WORDS[noise.below(WORDS.len())],
            character => text.push(character),
        }
    }
}

impl Input {
    /// Returns the texts that the property needs, in their order.
    pub(crate) fn needed(&self, need: Need) -> Vec<String> {
        let units: Vec<usize> = match need {
            Need::Three => [1, 2, 3].map(|part| self.units * part / 4).into(),
            Need::Tenth => (5..self.units).step_by(10).collect(),
        };
        let mark = |unit: usize| self.mark.replace('@', &unit.to_string());
        units.into_iter().map(mark).collect()
    }
}

/// Returns whether a candidate has all that is needed.
pub(crate) fn verdict(candidate: &[u8], needed: &[String]) -> Verdict {
    let mut rest = std::str::from_utf8(candidate).expect("candidates consist of whole characters");
    for text in needed {
        let Some(at) = rest.find(text) else {
            return Verdict::Uninteresting;
        };
        rest = &rest[at + text.len()..];
    }
    Verdict::Interesting
}
