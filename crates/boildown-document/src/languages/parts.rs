//! Parts of entries of the table: what several languages have in common, and what is long.

use super::directives::{Directives, Imports, Packages};
use super::nested::{Inner, Nested};

pub(super) const C_RULES: &str = include_str!("../../rules/c.rules");
pub(super) const JAVASCRIPT_RULES: &str = include_str!("../../rules/javascript.rules");
pub(super) const LIST_RULES: &str = include_str!("../../rules/s-expressions.rules");
pub(super) const TYPESCRIPT_RULES: &str = include_str!("../../rules/typescript.rules");

/// The directives of languages with the preprocessor of C.
pub(super) const C_DIRECTIVES: Directives =
    Directives::quoted(&["#include", "#import", ".include", "%include"]);

/// The imports of Python.
pub(super) const PYTHON_IMPORTS: &Imports = &Imports {
    statements: &[
        "from $path import $member",
        "from $path import $names",
        "from $path import($names)",
        "import $path as $name",
        "import $path",
    ],
    separator: '.',
    files: &["$.py", "$/__init__.py", "$.pyi", "$/__init__.pyi"],
    exports: &[],
};

/// The imports of JavaScript and TypeScript, and those of `CommonJS`.
pub(super) const JAVASCRIPT_IMPORTS: &Imports = &Imports {
    statements: &[
        "import{$names}from '$path'",
        "import * as $name from '$path'",
        "import $name from '$path'",
        "import '$path'",
        "const{$names}=require('$path')",
        "const $name=require('$path')",
        "var $name=require('$path')",
        "let $name=require('$path')",
        "require('$path')",
    ],
    separator: '/',
    files: &[
        "$",
        "$.js",
        "$.mjs",
        "$.cjs",
        "$.ts",
        "$.d.ts",
        "$/index.js",
        "$/index.mjs",
        "$/index.ts",
        "$/index.d.ts",
    ],
    exports: &[
        ("module.exports =", "const $ ="),
        ("export default ", "const $ = "),
        ("module.exports.", ""),
        ("exports.", ""),
        ("export ", ""),
    ],
};

/// The packages of Rust.
pub(super) const CRATES: &Packages = &Packages {
    manifest: "Cargo.toml",
    root: "src/lib.rs",
    users: &["src/lib.rs", "src/main.rs"],
    around: ("\nmod $ {\n", "\n}\n"),
    own: ("crate::", "crate::$::"),
    import: "extern crate $;",
};

/// Regular expressions in literals.
pub(super) const PATTERNS: &[Nested] = &[Nested {
    parent: "",
    kind: "regex_pattern",
    inner: Inner::Named("Regex"),
}];

/// Scripts and styles of pages.
pub(super) const IN_HTML: &[Nested] = &[
    Nested {
        parent: "script_element",
        kind: "raw_text",
        inner: Inner::Named("JavaScript"),
    },
    Nested {
        parent: "style_element",
        kind: "raw_text",
        inner: Inner::Named("CSS"),
    },
];

/// Blocks of code and pages, and what stands before a text.
pub(super) const IN_MARKDOWN: &[Nested] = &[
    Nested {
        parent: "",
        kind: "code_fence_content",
        inner: Inner::Announced,
    },
    Nested {
        parent: "",
        kind: "html_block",
        inner: Inner::Named("HTML"),
    },
    Nested {
        parent: "",
        kind: "minus_metadata",
        inner: Inner::Named("YAML"),
    },
];

/// What stands outside of the marks of programs.
pub(super) const IN_PHP: &[Nested] = &[Nested {
    parent: "",
    kind: "text",
    inner: Inner::Named("HTML"),
}];
