//! The instructions of a module of SPIR-V before its functions.

/// What a module of SPIR-V says before its functions.
#[derive(Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts")]
pub(super) struct SpirvHeader {
    has_model: bool,
    /// Whether the memory model is one of shaders.
    pub(super) is_shader: bool,
    has_shader: bool,
    has_linkage: bool,
    has_entry: bool,
    has_fragment: bool,
    has_origin: bool,
}

/// Capabilities that do not come with those of shaders.
#[rustfmt::skip]
const NOT_OF_SHADERS: [&[u8]; 10] = [
    b"Addresses", b"Float16", b"Float64", b"Int16", b"Int64", b"Int8", b"Kernel", b"Linkage",
    b"Matrix", b"VariablePointers",
];

impl SpirvHeader {
    pub(super) fn line(&mut self, operation: &[u8], words: &[&[u8]]) {
        let has = |operand: &[u8]| words.contains(&operand);
        match operation {
            b"OpMemoryModel" => {
                self.has_model = true;
                self.is_shader = !has(b"OpenCL");
            }
            b"OpCapability" => {
                let name = words.last().copied().unwrap_or_default();
                self.has_shader |= !NOT_OF_SHADERS.contains(&name);
                self.has_linkage |= name == b"Linkage";
            }
            b"OpEntryPoint" => {
                self.has_entry = true;
                self.has_fragment |= has(b"Fragment");
            }
            b"OpExecutionMode" => {
                self.has_origin |= has(b"OriginUpperLeft") || has(b"OriginLowerLeft");
            }
            _ => {}
        }
    }

    /// Returns whether something is missing that each valid module has.
    pub(super) fn is_incomplete(&self) -> bool {
        !self.has_model
            || self.is_shader && !self.has_shader
            || !self.has_entry && !self.has_linkage
            || self.has_fragment && !self.has_origin
    }
}
