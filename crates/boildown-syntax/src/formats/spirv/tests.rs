//! The gate before modules of SPIR-V.

use super::Spirv;
use crate::formats::testing::admits;

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
