//! Stages of clang: preprocessor, front end, LLVM's optimizer pass by pass, and code generator.

use super::known::{KnownCompiler, KnownNarrower, KnownStage};

const NO_OBJECT: &[&str] = &["-E", "-fsyntax-only", "-S", "-emit-llvm"];
const NO_CODE: &[&str] = &["-E", "-fsyntax-only", "-emit-llvm"];
const NO_IR: &[&str] = &["-E", "-fsyntax-only"];

pub(super) const CLANG: KnownCompiler = KnownCompiler {
    programs: &["clang", "clang++"],
    makes: &[
        "-c",
        "-S",
        "-E",
        "-emit-llvm",
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
            name: "front end",
            reads: &["i", "ii"],
            writes: Some("ll"),
            unless: &["-E"],
            line: "{command} -Qunused-arguments -fno-crash-diagnostics -Xclang -disable-llvm-passes \
                   -S -emit-llvm {in} -o {out}",
            narrower: &[KnownNarrower {
                line: "{command} -Qunused-arguments -fno-crash-diagnostics -fsyntax-only {in}",
                passes: None,
                says: None,
            }],
        },
        KnownStage {
            name: "optimizer",
            reads: &["ll", "bc"],
            writes: Some("ll"),
            unless: NO_IR,
            line: "{command} -Qunused-arguments -fno-crash-diagnostics -S -emit-llvm {in} -o {out}",
            narrower: &[KnownNarrower {
                line: "{opt} -S -passes={passes} {in} -o {out}",
                passes: Some(
                    "{opt} -passes='default<{level}>' -print-pipeline-passes -disable-output {in}",
                ),
                says: None,
            }],
        },
        KnownStage {
            name: "code generator",
            reads: &["ll"],
            writes: Some("s"),
            unless: NO_CODE,
            line: "{command} -Qunused-arguments -fno-crash-diagnostics -Xclang -disable-llvm-passes \
                   -S {in} -o {out}",
            narrower: &[KnownNarrower {
                line: "{llc} -O{number} {in} -o {out}",
                passes: None,
                says: Some(("LLVM ERROR: ", "fatal error: error in backend: ")),
            }],
        },
        KnownStage {
            name: "assembler",
            reads: &["s", "S"],
            writes: Some("o"),
            unless: NO_OBJECT,
            line: "{command} -Qunused-arguments -fno-crash-diagnostics -c {in} -o {out}",
            narrower: &[],
        },
        KnownStage {
            name: "linker",
            reads: &["o"],
            writes: Some("out"),
            unless: &["-c", "-E", "-fsyntax-only", "-S", "-emit-llvm"],
            line: "{command} {in} -o {out}",
            narrower: &[],
        },
    ],
};
