//! LLVM's opt: the passes of its list.

use super::known::{KnownCompiler, KnownNarrower, KnownStage};

pub(super) const OPT: KnownCompiler = KnownCompiler {
    programs: &["opt"],
    makes: &["-S", "-disable-output", "--disable-output"],
    makes_with_value: &["-o"],
    of_source: &["-passes", "--passes"],
    stages: &[KnownStage {
        name: "optimizer",
        reads: &["ll", "bc"],
        writes: Some("ll"),
        unless: &[],
        line: "{source} -S {in} -o {out}",
        narrower: &[KnownNarrower {
            line: "{command} -S -passes={passes} {in} -o {out}",
            passes: Some("{source} -print-pipeline-passes -disable-output {in}"),
            says: None,
        }],
    }],
};
