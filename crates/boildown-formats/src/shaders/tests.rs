//! The gates before shaders.

use super::{GLSL, WGSL};
use crate::testing::admits;

#[test]
fn names_of_shaders_stay_declared() {
    let text = "fn f(a: vec2f) -> f32 { return a.x; }\nvar<private> b: f32;\n\
                fn main() { b = f(vec2f()); }\n";
    let wgsl = |from, to| admits((&WGSL, "//"), text, (from, to));
    assert!(!wgsl("fn f(a: vec2f) -> f32 { return a.x; }\n", ""));
    assert!(!wgsl("var<private> b: f32;\n", ""));
    assert!(!wgsl("a: vec2f", ""));
    assert!(!wgsl("f(vec2f())", "f()"));
    assert!(wgsl("f(vec2f())", "f(b)"));
    assert!(wgsl("b = f(vec2f());", ""));
    // Known from the input.
    assert!(wgsl("a: vec2f", "a: f32"));
    let glsl = |from, to| admits((&GLSL, "//"), "#version 450\nint a;\n", (from, to));
    assert!(!glsl("#version 450\n", ""));
    assert!(glsl("int a;\n", ""));
}
