//! Shaders in GLSL and WGSL.
//!
//! - `names.rs`: names that are mentioned without being declared

mod names;
#[cfg(test)]
mod tests;

use boildown_reduce::{Facts, Format, GatePolicy, Input, Proof};

use names::{ShaderLanguage, undeclared};

/// Shaders in one of the languages.
#[derive(Debug)]
pub(super) struct Shader {
    name: &'static str,
    language: ShaderLanguage,
}

/// Shaders in GLSL.
pub(super) static GLSL: Shader = Shader {
    name: "GLSL",
    language: ShaderLanguage::Glsl,
};

/// Shaders in WGSL.
pub(super) static WGSL: Shader = Shader {
    name: "WGSL",
    language: ShaderLanguage::Wgsl,
};

impl Format for Shader {
    fn name(&self) -> &'static str {
        self.name
    }

    fn detects(&self, input: &Input<'_>) -> bool {
        input.is_in(self.name)
    }

    fn gate(&self, _input: &Input<'_>) -> Option<GatePolicy> {
        Some(GatePolicy {
            // The last passes delete single tokens whatever the rest is.
            proof: Proof::Tokens,
            // Built-in types may take the place of others.
            knows_input_names: true,
            ..GatePolicy::STRICT
        })
    }

    fn facts(&self, text: &[u8]) -> Facts {
        Facts::of_undeclared(undeclared(self.language, text))
    }
}
