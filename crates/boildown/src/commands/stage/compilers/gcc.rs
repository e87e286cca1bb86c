//! GCC: preprocessor, compiler, assembler and linker.

use super::known::{KnownCompiler, KnownNarrower, KnownStage};

pub(super) const GCC: KnownCompiler = KnownCompiler {
    programs: &["gcc", "g++", "cc", "c++"],
    makes: &[
        "-c",
        "-S",
        "-E",
        "-fsyntax-only",
        "-M",
        "-MD",
        "-MMD",
        "-MP",
        "-save-temps",
    ],
    makes_with_value: &["-o", "-MF", "-MT", "-MQ"],
    of_source: &["-x"],
    stages: &[
        KnownStage {
            name: "preprocessor",
            reads: &["c"],
            writes: Some("i"),
            unless: &[],
            line: "{source} -E {in} -o {out}",
            narrower: &[],
        },
        KnownStage {
            name: "preprocessor",
            reads: &["c++", "cc", "cp", "cpp", "cxx", "C", "CPP"],
            writes: Some("ii"),
            unless: &[],
            line: "{source} -E {in} -o {out}",
            narrower: &[],
        },
        KnownStage {
            name: "compiler",
            reads: &["i", "ii"],
            writes: Some("s"),
            unless: &["-E"],
            line: "{command} -S {in} -o {out}",
            narrower: &[KnownNarrower {
                line: "{command} -fsyntax-only {in}",
                passes: None,
                says: None,
            }],
        },
        KnownStage {
            name: "assembler",
            reads: &["s"],
            writes: Some("o"),
            unless: &["-E", "-fsyntax-only", "-S"],
            line: "{command} -c {in} -o {out}",
            narrower: &[],
        },
        KnownStage {
            name: "linker",
            reads: &["o"],
            writes: Some("out"),
            unless: &["-E", "-fsyntax-only", "-S", "-c"],
            line: "{command} {in} -o {out}",
            narrower: &[],
        },
    ],
};
