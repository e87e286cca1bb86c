//! Stages of rustc, which reads no output of an earlier stage, so all stages read the source.

use super::known::{KnownCompiler, KnownStage};

pub(super) const RUSTC: KnownCompiler = KnownCompiler {
    programs: &["rustc"],
    makes: &[],
    makes_with_value: &["-o", "--emit", "--out-dir"],
    of_source: &[],
    stages: &[
        KnownStage {
            name: "analysis",
            reads: &["rs"],
            writes: None,
            unless: &[],
            line: "{command} --emit=metadata {in} -o {out}",
            narrower: &[],
        },
        KnownStage {
            name: "MIR",
            reads: &["rs"],
            writes: None,
            unless: &[],
            line: "{command} --emit=mir {in} -o {out}",
            narrower: &[],
        },
        KnownStage {
            name: "LLVM IR",
            reads: &["rs"],
            writes: None,
            unless: &[],
            line: "{command} --emit=llvm-ir -C no-prepopulate-passes {in} -o {out}",
            narrower: &[],
        },
        KnownStage {
            name: "optimizer",
            reads: &["rs"],
            writes: None,
            unless: &[],
            line: "{command} --emit=llvm-ir {in} -o {out}",
            narrower: &[],
        },
        KnownStage {
            name: "code generator",
            reads: &["rs"],
            writes: None,
            unless: &[],
            line: "{command} --emit=obj {in} -o {out}",
            narrower: &[],
        },
    ],
};
