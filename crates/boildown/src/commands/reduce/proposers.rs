//! Programs that propose candidates.

use std::env;
use std::path::{Path, PathBuf};

use boildown_exec::{Proposer, Runner};
use boildown_oracle::shell::quote;

use crate::error::CliError;

/// The value that stands for all transformations below.
const CLANG_DELTA: &str = "clang_delta";

/// The transformations of `clang_delta` that can make a text smaller, in the order in which C-Vise
/// uses them: those that remove much come first.
const TRANSFORMATIONS: &[&str] = &[
    "remove-unused-function",
    "remove-unused-var",
    "callexpr-to-value",
    "replace-callexpr",
    "simplify-callexpr",
    "remove-namespace",
    "aggregate-to-scalar",
    "param-to-global",
    "param-to-local",
    "remove-nested-function",
    "union-to-struct",
    "return-void",
    "simple-inliner",
    "reduce-pointer-level",
    "lift-assignment-expr",
    "copy-propagation",
    "replace-function-def-with-decl",
    "replace-simple-typedef",
    "replace-dependent-typedef",
    "replace-one-level-typedef-type",
    "remove-unused-field",
    "instantiate-template-type-param-to-int",
    "instantiate-template-param",
    "template-arg-to-int",
    "template-non-type-arg-to-int",
    "reduce-class-template-param",
    "remove-trivial-base-template",
    "class-template-to-class",
    "remove-base-class",
    "replace-derived-class",
    "remove-unresolved-base",
    "remove-ctor-initializer",
    "replace-class-with-base-template-spec",
    "simplify-nested-class",
    "remove-unused-outer-class",
    "empty-struct-to-int",
    "remove-pointer",
    "reduce-pointer-pairs",
    "remove-array",
    "remove-addr-taken",
    "simplify-struct",
    "replace-undefined-function",
    "replace-array-index-var",
    "replace-array-access-with-index",
    "local-to-global",
    "remove-enum-member-value",
    "remove-try-catch",
    "simplify-if",
    "reduce-array-dim",
    "reduce-array-size",
    "move-function-body",
    "simplify-comma-expr",
    "simplify-dependent-typedef",
    "vector-to-array",
    "expression-detector",
    "unify-function-decl",
];

/// The places of `clang_delta` beside the PATH, where packages of C-Vise and C-Reduce put it.
const PLACES: &[&str] = &[
    "/usr/libexec/cvise",
    "/usr/lib/cvise",
    "/usr/libexec/creduce",
    "/usr/lib/creduce",
    "/usr/local/libexec/cvise",
    "/opt/homebrew/libexec/cvise",
];

/// Returns the programs of the options.
///
/// # Errors
/// [`CliError`] if an option is no pass, `clang_delta` is not installed, or parts of the input have
/// to stay: a program does not know which.
pub(super) fn proposers(
    named: &[String],
    keeps_parts: bool,
    runner: &Runner,
) -> Result<Vec<Proposer>, CliError> {
    if keeps_parts && !named.is_empty() {
        let what = "--pass-command does not know which parts of the input have to stay";
        return Err(CliError::usage(what).hint("leave out --pass-command, or what keeps parts"));
    }
    let user_dir = env::current_dir().unwrap_or_default();
    let make = |text: &str| {
        Proposer::new(text, &user_dir, runner).map_err(|why| {
            CliError::usage(format!("`{text}` is no --pass-command: {why}"))
                .hint("for example --pass-command 'short: ./shorten.py {in} {index}'")
        })
    };
    let mut proposers = Vec::new();
    for text in named {
        if text != CLANG_DELTA {
            proposers.push(make(text)?);
            continue;
        }
        let program = clang_delta().ok_or_else(|| {
            CliError::usage("clang_delta is not installed")
                .hint("it is a part of C-Vise and of C-Reduce, such as Debian's package cvise")
        })?;
        let program = quote(&program);
        for name in TRANSFORMATIONS {
            let line = "--transformation={name} --counter={index} {in}".replace("{name}", name);
            proposers.push(make(&format!("{name}: {program} {line}"))?);
        }
    }
    Ok(proposers)
}

/// Returns the path of `clang_delta`, if it is installed.
fn clang_delta() -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let dirs = env::split_paths(&path).chain(PLACES.iter().map(PathBuf::from));
    dirs.map(|dir| dir.join("clang_delta"))
        .find(|program: &PathBuf| Path::is_file(program))
}
