//! Compiles the library that makes programs fork, as a shared one that is loaded into them.

use std::path::Path;
use std::{env, fs};

fn main() {
    let source = "src/warm/zygote.c";
    println!("cargo::rerun-if-changed={source}");
    let out = env::var_os("OUT_DIR").expect("Cargo sets it for build scripts");
    let library = Path::new(&out).join("zygote.so");
    if env::var("CARGO_CFG_TARGET_OS").as_deref() != Ok("linux") {
        // What needs it says that it is missing.
        fs::write(library, "").expect("the directory for output can be written to");
        return;
    }
    let mut compiler = cc::Build::new().opt_level(2).get_compiler().to_command();
    // It takes the functions of the C library from the process into which it is loaded.
    let status = compiler
        .args(["-shared", "-nostdlib", "-fPIC", "-fvisibility=hidden"])
        .args(["-fno-stack-protector", "-U_FORTIFY_SOURCE", "-Wl,-s", "-o"])
        .arg(library)
        .arg(source)
        .status();
    assert!(
        status.is_ok_and(|status| status.success()),
        "the C compiler cannot link {source}"
    );
}
