//! The gate before designs in RTLIL.

use super::Rtlil;
use crate::samples::{Checker, Sample};
use crate::testing::admits;

#[test]
fn cells_keep_their_forms() {
    let text = "module \\m\n  wire input 1 \\a\n  wire output 2 \\y\n  cell $not $1\n    \
                parameter \\A_SIGNED 0\n    parameter \\A_WIDTH 1\n    parameter \\Y_WIDTH 1\n    \
                connect \\A \\a\n    connect \\Y \\y\n  end\nend\n";
    let rtlil = |from, to| admits((&Rtlil, "#"), text, (from, to));
    assert!(!rtlil("    connect \\Y \\y\n", ""));
    assert!(!rtlil("  end\n", ""));
    assert!(rtlil("input 1 ", ""));
}

/// A design with everything that statements are.
pub(crate) fn samples() -> Vec<Sample> {
    vec![Sample {
        checker: Some(Checker {
            programs: &[(&["yosys"], &["-q", "-p", "check", "-f", "rtlil", "-"])],
            divider: None,
        }),
        ..Sample::new(&Rtlil, "design.il", include_bytes!("samples/design.il"))
    }]
}
