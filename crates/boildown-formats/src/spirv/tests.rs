//! The gate before modules of SPIR-V.

use super::facts::LINES;
use super::view::INSTRUCTIONS;
use super::{Spirv, SpirvBinary};
use crate::samples::{Checker, Sample};
use crate::testing::{admits, fault_of_lines};

#[test]
fn instructions_of_spirv_keep_their_shape() {
    let text = "OpCapability Shader\nOpMemoryModel Logical GLSL450\n\
                OpEntryPoint GLCompute %h \"\"\nOpDecorate %v Binding 0\n%v = OpTypeVoid\n\
                %f = OpTypeFunction %v\n%g = OpTypeFunction %v %v\n%h = OpFunction %v None %f\n\
                OpFunctionEnd\n";
    let spirv = |from, to| admits((&Spirv, ";"), text, (from, to));
    assert!(!spirv("%v = OpTypeVoid\n", ""));
    assert!(!spirv("= OpTypeFunction %v\n", "OpTypeFunction %v\n"));
    assert!(!spirv("OpTypeFunction %v\n", "OpTypeFunction\n"));
    assert!(spirv("%v %v", "%v"));
    // Each pair of words is in the input.
    assert!(!spirv("%v Binding 0", "%v"));
    assert!(!spirv("OpFunctionEnd\n", ""));
    assert!(!spirv("OpMemoryModel Logical GLSL450\n", ""));
    assert!(!spirv("OpCapability Shader\n", ""));
    assert!(!spirv("OpEntryPoint GLCompute %h \"\"\n", ""));
    assert!(spirv("OpDecorate %v Binding 0\n", ""));
}

const TEXTS: [(&str, &str); 3] = [
    ("fragment.spvasm", include_str!("samples/fragment.spvasm")),
    ("compute.spvasm", include_str!("samples/compute.spvasm")),
    ("kernel.spvasm", include_str!("samples/kernel.spvasm")),
];

/// A fragment shader, a compute shader, and a kernel module with two entry points.
pub(crate) fn samples() -> Vec<Sample> {
    let sample = |(name, text): (&'static str, &'static str)| Sample {
        fault: |text| fault_of_lines(&LINES, text),
        demanded: Vec::from_iter(
            text.lines()
                .filter(|line| line.contains("OpCapability"))
                .map(|line| line.trim().as_bytes()),
        ),
        checker: Some(Checker {
            programs: &[(&["spirv-as"], &["-", "-o", "-"]), (&["spirv-val"], &[])],
            divider: None,
        }),
        ..Sample::new(&Spirv, name, text.as_bytes())
    };
    TEXTS.map(sample).into()
}

/// The compute shader as a binary.
pub(crate) fn binary_samples() -> Vec<Sample> {
    let sample = |(name, bytes): (&'static str, &[u8])| Sample {
        views: vec![INSTRUCTIONS],
        // The capabilities.
        demanded: vec![&[17, 0, 2, 0, 1, 0, 0, 0], &[17, 0, 2, 0, 11, 0, 0, 0]],
        checker: Some(Checker {
            programs: &[(&["spirv-val"], &[])],
            divider: None,
        }),
        ..Sample::new(&SpirvBinary, name, bytes)
    };
    vec![sample((
        "compute.spv",
        include_bytes!("samples/compute.spv"),
    ))]
}
