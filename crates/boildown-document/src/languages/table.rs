//! The table of languages: one entry for each, sorted by name.

use super::Language;
use super::directives::Directives;
use super::language::{GrammarSource, Keys, Recovery};
use super::parts;
use crate::text_order::TextOrder;

/// Every language of this build.
///
/// Where several languages share an extension, one of them has it: `.pl` is Perl and not Prolog,
/// `.v` is Verilog and not Rocq. `.f` and `.for` are left out, because they stand for the fixed
/// form of Fortran, which the grammar does not read. So is `.cl`, which stands for Common Lisp and
/// for a dialect of C alike.
pub(super) static LANGUAGES: &[Language] = &[
    #[cfg(feature = "lang-ada")]
    Language {
        name: "Ada",
        extensions: &["adb", "ads"],
        node_types: tree_sitter_ada::NODE_TYPES,
        grammar: GrammarSource::BuiltIn(tree_sitter_ada::LANGUAGE),
        ..Language::PLAIN
    },
    #[cfg(feature = "lang-assembly")]
    Language {
        name: "Assembly",
        aliases: &["asm", "gas"],
        extensions: &["s", "S", "asm"],
        node_types: tree_sitter_asm::NODE_TYPES,
        grammar: GrammarSource::BuiltIn(tree_sitter_asm::LANGUAGE),
        directives: Some(parts::C_DIRECTIVES),
        ..Language::PLAIN
    },
    #[cfg(feature = "lang-bash")]
    Language {
        name: "Bash",
        aliases: &["sh", "shell", "zsh"],
        extensions: &["sh", "bash", "zsh", "ksh"],
        file_names: &[".bashrc", ".profile", ".zshrc", "PKGBUILD"],
        interpreters: &["sh", "bash", "dash", "ksh", "zsh"],
        node_types: tree_sitter_bash::NODE_TYPES,
        grammar: GrammarSource::BuiltIn(tree_sitter_bash::LANGUAGE),
        directives: Some(Directives::word(&["source", "."])),
        ..Language::PLAIN
    },
    #[cfg(feature = "lang-c")]
    Language {
        name: "C",
        extensions: &["c", "h", "i"],
        interpreters: &["tcc"],
        node_types: tree_sitter_c::NODE_TYPES,
        grammar: GrammarSource::BuiltIn(tree_sitter_c::LANGUAGE),
        recovery: Recovery::Statements,
        rules: &[parts::C_RULES],
        directives: Some(parts::C_DIRECTIVES),
        resolves_names: true,
        ..Language::PLAIN
    },
    #[cfg(feature = "lang-c-sharp")]
    Language {
        name: "C#",
        aliases: &["cs", "csharp"],
        extensions: &["cs", "csx"],
        node_types: tree_sitter_c_sharp::NODE_TYPES,
        grammar: GrammarSource::BuiltIn(tree_sitter_c_sharp::LANGUAGE),
        recovery: Recovery::Statements,
        entry: "Main",
        stub: Some("throw null;"),
        ..Language::PLAIN
    },
    #[cfg(feature = "lang-cpp")]
    Language {
        name: "C++",
        aliases: &["cpp", "cxx", "cc"],
        extensions: &[
            "cpp", "cc", "cxx", "c++", "C", "hpp", "hh", "hxx", "h++", "H", "ipp", "ixx", "cppm",
            "inl", "tpp", "tcc", "txx", "ii",
        ],
        node_types: tree_sitter_cpp::NODE_TYPES,
        grammar: GrammarSource::BuiltIn(tree_sitter_cpp::LANGUAGE),
        recovery: Recovery::Statements,
        rules: &[parts::C_RULES, include_str!("../../rules/cpp.rules")],
        directives: Some(parts::C_DIRECTIVES),
        resolves_names: true,
        ..Language::PLAIN
    },
    #[cfg(feature = "lang-cmake")]
    Language {
        name: "CMake",
        extensions: &["cmake"],
        file_names: &["CMakeLists.txt"],
        node_types: tree_sitter_cmake::NODE_TYPES,
        grammar: GrammarSource::BuiltIn(tree_sitter_cmake::LANGUAGE),
        ..Language::PLAIN
    },
    #[cfg(feature = "lang-common-lisp")]
    Language {
        name: "Common Lisp",
        aliases: &["commonlisp", "lisp", "cl"],
        extensions: &["lisp", "lsp", "asd"],
        interpreters: &["sbcl", "clisp", "ecl"],
        node_types: tree_sitter_commonlisp::NODE_TYPES,
        grammar: GrammarSource::BuiltIn(tree_sitter_commonlisp::LANGUAGE_COMMONLISP),
        ..Language::PLAIN
    },
    #[cfg(feature = "lang-css")]
    Language {
        name: "CSS",
        extensions: &["css"],
        node_types: tree_sitter_css::NODE_TYPES,
        grammar: GrammarSource::BuiltIn(tree_sitter_css::LANGUAGE),
        recovery: Recovery::Statements,
        ..Language::PLAIN
    },
    #[cfg(feature = "lang-cypher")]
    Language {
        name: "Cypher",
        extensions: &["cypher", "cyp"],
        node_types: tree_sitter_cypher::NODE_TYPES,
        grammar: GrammarSource::BuiltIn(tree_sitter_cypher::LANGUAGE),
        ..Language::PLAIN
    },
    #[cfg(feature = "lang-d")]
    Language {
        name: "D",
        aliases: &["dlang"],
        extensions: &["d", "di"],
        interpreters: &["rdmd"],
        node_types: tree_sitter_d::NODE_TYPES,
        grammar: GrammarSource::BuiltIn(tree_sitter_d::LANGUAGE),
        recovery: Recovery::Statements,
        ..Language::PLAIN
    },
    #[cfg(feature = "lang-dart")]
    Language {
        name: "Dart",
        extensions: &["dart"],
        interpreters: &["dart"],
        node_types: tree_sitter_dart::NODE_TYPES,
        grammar: GrammarSource::BuiltIn(tree_sitter_dart::LANGUAGE),
        recovery: Recovery::Statements,
        ..Language::PLAIN
    },
    #[cfg(feature = "lang-diff")]
    Language {
        name: "Diff",
        aliases: &["patch"],
        extensions: &["diff", "patch"],
        node_types: tree_sitter_diff::NODE_TYPES,
        grammar: GrammarSource::BuiltIn(tree_sitter_diff::LANGUAGE),
        ..Language::PLAIN
    },
    #[cfg(feature = "lang-dockerfile")]
    Language {
        name: "Dockerfile",
        aliases: &["docker", "containerfile"],
        extensions: &["dockerfile", "containerfile"],
        file_names: &["Dockerfile", "Containerfile"],
        node_types: tree_sitter_containerfile::NODE_TYPES,
        grammar: GrammarSource::BuiltIn(tree_sitter_containerfile::LANGUAGE),
        ..Language::PLAIN
    },
    #[cfg(feature = "lang-xml")]
    Language {
        name: "DTD",
        extensions: &["dtd", "ent"],
        node_types: tree_sitter_xml::DTD_NODE_TYPES,
        grammar: GrammarSource::BuiltIn(tree_sitter_xml::LANGUAGE_DTD),
        ..Language::PLAIN
    },
    #[cfg(feature = "lang-elixir")]
    Language {
        name: "Elixir",
        extensions: &["ex", "exs"],
        interpreters: &["elixir"],
        node_types: tree_sitter_elixir::NODE_TYPES,
        grammar: GrammarSource::BuiltIn(tree_sitter_elixir::LANGUAGE),
        ..Language::PLAIN
    },
    #[cfg(feature = "lang-elm")]
    Language {
        name: "Elm",
        extensions: &["elm"],
        node_types: tree_sitter_elm::NODE_TYPES,
        grammar: GrammarSource::BuiltIn(tree_sitter_elm::LANGUAGE),
        ..Language::PLAIN
    },
    #[cfg(feature = "lang-erlang")]
    Language {
        name: "Erlang",
        extensions: &["erl", "hrl", "escript"],
        interpreters: &["escript"],
        node_types: tree_sitter_erlang::NODE_TYPES,
        grammar: GrammarSource::BuiltIn(tree_sitter_erlang::LANGUAGE),
        directives: Some(Directives::quoted(&["-include"])),
        ..Language::PLAIN
    },
    #[cfg(feature = "lang-fortran")]
    Language {
        name: "Fortran",
        extensions: &["f90", "f95", "f03", "f08", "f18"],
        node_types: tree_sitter_fortran::NODE_TYPES,
        grammar: GrammarSource::BuiltIn(tree_sitter_fortran::LANGUAGE),
        directives: Some(Directives::quoted(&["include", "INCLUDE", "#include"])),
        ..Language::PLAIN
    },
    #[cfg(feature = "lang-gleam")]
    Language {
        name: "Gleam",
        extensions: &["gleam"],
        node_types: tree_sitter_gleam::NODE_TYPES,
        grammar: GrammarSource::BuiltIn(tree_sitter_gleam::LANGUAGE),
        ..Language::PLAIN
    },
    #[cfg(feature = "lang-glsl")]
    Language {
        name: "GLSL",
        extensions: &[
            "glsl", "vert", "frag", "geom", "comp", "tesc", "tese", "rgen", "rchit", "rmiss",
        ],
        node_types: tree_sitter_glsl::NODE_TYPES,
        grammar: GrammarSource::BuiltIn(tree_sitter_glsl::LANGUAGE_GLSL),
        recovery: Recovery::Statements,
        rules: &[include_str!("../../rules/glsl.rules")],
        directives: Some(parts::C_DIRECTIVES),
        ..Language::PLAIN
    },
    #[cfg(feature = "lang-go")]
    Language {
        name: "Go",
        aliases: &["golang"],
        extensions: &["go"],
        node_types: tree_sitter_go::NODE_TYPES,
        grammar: GrammarSource::BuiltIn(tree_sitter_go::LANGUAGE),
        recovery: Recovery::Statements,
        has_names_first: true,
        has_bare_statements: true,
        stub: Some("panic(0)"),
        rules: &[include_str!("../../rules/go.rules")],
        ..Language::PLAIN
    },
    #[cfg(feature = "lang-graphql")]
    Language {
        name: "GraphQL",
        extensions: &["graphql", "graphqls", "gql"],
        node_types: tree_sitter_graphql::NODE_TYPES,
        grammar: GrammarSource::BuiltIn(tree_sitter_graphql::LANGUAGE),
        ..Language::PLAIN
    },
    #[cfg(feature = "lang-haskell")]
    Language {
        name: "Haskell",
        extensions: &["hs"],
        interpreters: &["runhaskell", "runghc"],
        node_types: tree_sitter_haskell::NODE_TYPES,
        grammar: GrammarSource::BuiltIn(tree_sitter_haskell::LANGUAGE),
        ..Language::PLAIN
    },
    #[cfg(feature = "lang-hcl")]
    Language {
        name: "HCL",
        aliases: &["terraform", "tf"],
        extensions: &["hcl", "tf", "tfvars"],
        node_types: tree_sitter_hcl::NODE_TYPES,
        grammar: GrammarSource::BuiltIn(tree_sitter_hcl::LANGUAGE),
        ..Language::PLAIN
    },
    #[cfg(feature = "lang-hlsl")]
    Language {
        name: "HLSL",
        extensions: &["hlsl", "hlsli", "fx", "fxh"],
        node_types: tree_sitter_hlsl::NODE_TYPES,
        grammar: GrammarSource::BuiltIn(tree_sitter_hlsl::LANGUAGE_HLSL),
        recovery: Recovery::Statements,
        directives: Some(parts::C_DIRECTIVES),
        ..Language::PLAIN
    },
    #[cfg(feature = "lang-html")]
    Language {
        name: "HTML",
        extensions: &["html", "htm"],
        node_types: tree_sitter_html::NODE_TYPES,
        grammar: GrammarSource::BuiltIn(tree_sitter_html::LANGUAGE),
        nested: parts::IN_HTML,
        ..Language::PLAIN
    },
    #[cfg(feature = "lang-ini")]
    Language {
        name: "INI",
        extensions: &["ini", "cfg"],
        file_names: &[".gitconfig", ".editorconfig"],
        node_types: tree_sitter_ini::NODE_TYPES,
        grammar: GrammarSource::BuiltIn(tree_sitter_ini::LANGUAGE),
        keys: Keys::Anywhere,
        ..Language::PLAIN
    },
    #[cfg(feature = "lang-java")]
    Language {
        name: "Java",
        extensions: &["java"],
        node_types: tree_sitter_java::NODE_TYPES,
        grammar: GrammarSource::BuiltIn(tree_sitter_java::LANGUAGE),
        recovery: Recovery::Statements,
        stub: Some("throw null;"),
        rules: &[include_str!("../../rules/java.rules")],
        resolves_names: true,
        ..Language::PLAIN
    },
    #[cfg(feature = "lang-javascript")]
    Language {
        name: "JavaScript",
        aliases: &["js", "jsx", "ecmascript"],
        extensions: &["js", "mjs", "cjs", "jsx"],
        interpreters: &["node", "nodejs", "qjs"],
        imports: Some(parts::JAVASCRIPT_IMPORTS),
        node_types: tree_sitter_javascript::NODE_TYPES,
        grammar: GrammarSource::BuiltIn(tree_sitter_javascript::LANGUAGE),
        recovery: Recovery::Statements,
        rules: &[parts::JAVASCRIPT_RULES],
        nested: parts::PATTERNS,
        ..Language::PLAIN
    },
    #[cfg(feature = "lang-json")]
    Language {
        name: "JSON",
        extensions: &[
            "json",
            "jsonl",
            "ndjson",
            "geojson",
            "ipynb",
            "sarif",
            "webmanifest",
        ],
        file_names: &["flake.lock", "composer.lock", "Pipfile.lock"],
        node_types: tree_sitter_json::NODE_TYPES,
        grammar: GrammarSource::BuiltIn(tree_sitter_json::LANGUAGE),
        keys: Keys::InObjects,
        rules: &[include_str!("../../rules/json.rules")],
        ..Language::PLAIN
    },
    #[cfg(feature = "lang-jsonnet")]
    Language {
        name: "Jsonnet",
        extensions: &["jsonnet", "libsonnet"],
        node_types: tree_sitter_jsonnet::NODE_TYPES,
        grammar: GrammarSource::BuiltIn(tree_sitter_jsonnet::LANGUAGE),
        ..Language::PLAIN
    },
    #[cfg(feature = "lang-julia")]
    Language {
        name: "Julia",
        extensions: &["jl"],
        interpreters: &["julia"],
        node_types: tree_sitter_julia::NODE_TYPES,
        grammar: GrammarSource::BuiltIn(tree_sitter_julia::LANGUAGE),
        ..Language::PLAIN
    },
    #[cfg(feature = "lang-kotlin")]
    Language {
        name: "Kotlin",
        aliases: &["kt"],
        extensions: &["kt", "kts"],
        interpreters: &["kotlin"],
        node_types: tree_sitter_kotlin_ng::NODE_TYPES,
        grammar: GrammarSource::BuiltIn(tree_sitter_kotlin_ng::LANGUAGE),
        recovery: Recovery::Statements,
        ..Language::PLAIN
    },
    #[cfg(feature = "lang-llvm-ir")]
    Language {
        name: "LLVM IR",
        aliases: &["llvm", "ll"],
        extensions: &["ll"],
        node_types: tree_sitter_llvm::NODE_TYPES,
        grammar: GrammarSource::BuiltIn(tree_sitter_llvm::LANGUAGE),
        rules: &[include_str!("../../rules/llvm-ir.rules")],
        ..Language::PLAIN
    },
    #[cfg(feature = "lang-lua")]
    Language {
        name: "Lua",
        extensions: &["lua"],
        interpreters: &["lua", "luajit"],
        node_types: tree_sitter_lua::NODE_TYPES,
        grammar: GrammarSource::BuiltIn(tree_sitter_lua::LANGUAGE),
        rules: &[include_str!("../../rules/lua.rules")],
        ..Language::PLAIN
    },
    #[cfg(feature = "lang-make")]
    Language {
        name: "Make",
        aliases: &["makefile"],
        extensions: &["mk", "mak"],
        file_names: &["Makefile", "makefile", "GNUmakefile"],
        interpreters: &["make"],
        node_types: tree_sitter_make::NODE_TYPES,
        grammar: GrammarSource::BuiltIn(tree_sitter_make::LANGUAGE),
        rules: &[include_str!("../../rules/make.rules")],
        directives: Some(Directives::word(&["include", "-include", "sinclude"])),
        ..Language::PLAIN
    },
    #[cfg(feature = "lang-markdown")]
    Language {
        name: "Markdown",
        aliases: &["md"],
        extensions: &["md", "markdown"],
        node_types: tree_sitter_md::NODE_TYPES_BLOCK,
        grammar: GrammarSource::BuiltIn(tree_sitter_md::LANGUAGE),
        nested: parts::IN_MARKDOWN,
        ..Language::PLAIN
    },
    #[cfg(feature = "lang-mlir")]
    Language {
        name: "MLIR",
        extensions: &["mlir"],
        is_always_parsed: true,
        node_types: tree_sitter_mlir::NODE_TYPES,
        grammar: GrammarSource::BuiltIn(tree_sitter_mlir::LANGUAGE),
        ..Language::PLAIN
    },
    #[cfg(feature = "lang-nix")]
    Language {
        name: "Nix",
        extensions: &["nix"],
        node_types: tree_sitter_nix::NODE_TYPES,
        grammar: GrammarSource::BuiltIn(tree_sitter_nix::LANGUAGE),
        ..Language::PLAIN
    },
    #[cfg(feature = "lang-objective-c")]
    Language {
        name: "Objective-C",
        aliases: &["objc", "objectivec"],
        extensions: &["m"],
        node_types: tree_sitter_objc::NODE_TYPES,
        grammar: GrammarSource::BuiltIn(tree_sitter_objc::LANGUAGE),
        recovery: Recovery::Statements,
        directives: Some(parts::C_DIRECTIVES),
        ..Language::PLAIN
    },
    #[cfg(feature = "lang-ocaml")]
    Language {
        name: "OCaml",
        aliases: &["ml"],
        extensions: &["ml"],
        interpreters: &["ocaml", "ocamlrun"],
        node_types: tree_sitter_ocaml::OCAML_NODE_TYPES,
        grammar: GrammarSource::BuiltIn(tree_sitter_ocaml::LANGUAGE_OCAML),
        ..Language::PLAIN
    },
    #[cfg(feature = "lang-ocaml")]
    Language {
        name: "OCaml interface",
        aliases: &["mli"],
        extensions: &["mli"],
        node_types: tree_sitter_ocaml::INTERFACE_NODE_TYPES,
        grammar: GrammarSource::BuiltIn(tree_sitter_ocaml::LANGUAGE_OCAML_INTERFACE),
        ..Language::PLAIN
    },
    #[cfg(feature = "lang-pascal")]
    Language {
        name: "Pascal",
        aliases: &["delphi"],
        extensions: &["pas", "pp", "dpr", "lpr"],
        interpreters: &["instantfpc"],
        node_types: tree_sitter_pascal::NODE_TYPES,
        grammar: GrammarSource::BuiltIn(tree_sitter_pascal::LANGUAGE),
        ..Language::PLAIN
    },
    #[cfg(feature = "lang-perl")]
    Language {
        name: "Perl",
        extensions: &["pl", "pm", "t"],
        interpreters: &["perl"],
        node_types: ts_parser_perl::NODE_TYPES,
        grammar: GrammarSource::BuiltIn(super::perl::LANGUAGE),
        rules: &[include_str!("../../rules/perl.rules")],
        ..Language::PLAIN
    },
    #[cfg(feature = "lang-php")]
    Language {
        name: "PHP",
        extensions: &["php", "phtml", "phpt"],
        interpreters: &["php"],
        node_types: tree_sitter_php::PHP_NODE_TYPES,
        grammar: GrammarSource::BuiltIn(tree_sitter_php::LANGUAGE_PHP),
        rules: &[include_str!("../../rules/php.rules")],
        nested: parts::IN_PHP,
        ..Language::PLAIN
    },
    #[cfg(feature = "lang-powershell")]
    Language {
        name: "PowerShell",
        aliases: &["ps1", "pwsh"],
        extensions: &["ps1", "psm1", "psd1"],
        interpreters: &["pwsh"],
        node_types: tree_sitter_powershell::NODE_TYPES,
        grammar: GrammarSource::BuiltIn(tree_sitter_powershell::LANGUAGE),
        ..Language::PLAIN
    },
    #[cfg(feature = "lang-prolog")]
    Language {
        name: "Prolog",
        extensions: &["pro", "prolog"],
        interpreters: &["swipl", "gprolog"],
        node_types: tree_sitter_prolog::NODE_TYPES,
        grammar: GrammarSource::BuiltIn(tree_sitter_prolog::LANGUAGE),
        ..Language::PLAIN
    },
    #[cfg(feature = "lang-protobuf")]
    Language {
        name: "Protobuf",
        aliases: &["proto"],
        extensions: &["proto"],
        node_types: tree_sitter_proto::NODE_TYPES,
        grammar: GrammarSource::BuiltIn(tree_sitter_proto::LANGUAGE),
        ..Language::PLAIN
    },
    #[cfg(feature = "lang-python")]
    Language {
        name: "Python",
        aliases: &["py"],
        extensions: &["py", "pyi", "pyw"],
        file_names: &["SConstruct", "SConscript"],
        interpreters: &["python", "pypy"],
        imports: Some(parts::PYTHON_IMPORTS),
        node_types: tree_sitter_python::NODE_TYPES,
        grammar: GrammarSource::BuiltIn(tree_sitter_python::LANGUAGE),
        is_indented: true,
        has_bare_statements: true,
        rules: &[include_str!("../../rules/python.rules")],
        ..Language::PLAIN
    },
    #[cfg(feature = "lang-r")]
    Language {
        name: "R",
        extensions: &["R", "r"],
        file_names: &[".Rprofile"],
        interpreters: &["Rscript"],
        node_types: tree_sitter_r::NODE_TYPES,
        grammar: GrammarSource::BuiltIn(tree_sitter_r::LANGUAGE),
        ..Language::PLAIN
    },
    #[cfg(feature = "lang-racket")]
    Language {
        name: "Racket",
        aliases: &["rkt"],
        extensions: &["rkt", "rktd"],
        interpreters: &["racket"],
        node_types: tree_sitter_racket::NODE_TYPES,
        grammar: GrammarSource::BuiltIn(tree_sitter_racket::LANGUAGE),
        ..Language::PLAIN
    },
    #[cfg(feature = "lang-regex")]
    Language {
        name: "Regex",
        aliases: &["regexp"],
        extensions: &["regex"],
        node_types: tree_sitter_regex::NODE_TYPES,
        grammar: GrammarSource::BuiltIn(tree_sitter_regex::LANGUAGE),
        has_meaningful_spaces: true,
        ..Language::PLAIN
    },
    #[cfg(feature = "lang-ruby")]
    Language {
        name: "Ruby",
        aliases: &["rb"],
        extensions: &["rb", "rake", "gemspec", "ru"],
        file_names: &["Rakefile", "Gemfile"],
        interpreters: &["ruby", "jruby"],
        node_types: tree_sitter_ruby::NODE_TYPES,
        grammar: GrammarSource::BuiltIn(tree_sitter_ruby::LANGUAGE),
        ..Language::PLAIN
    },
    #[cfg(feature = "lang-rust")]
    Language {
        name: "Rust",
        aliases: &["rs"],
        extensions: &["rs"],
        node_types: tree_sitter_rust::NODE_TYPES,
        grammar: GrammarSource::BuiltIn(tree_sitter_rust::LANGUAGE),
        recovery: Recovery::Statements,
        stub: Some("loop {}"),
        export_mark: Some("#[no_mangle]"),
        rules: &[include_str!("../../rules/rust.rules")],
        directives: Some(Directives::module(&["mod"])),
        packages: Some(parts::CRATES),
        resolves_names: true,
        ..Language::PLAIN
    },
    #[cfg(feature = "lang-scheme")]
    Language {
        name: "S-expressions",
        aliases: &["sexp", "wat"],
        extensions: &["sexp", "wat", "wast", "pddl"],
        node_types: tree_sitter_scheme::NODE_TYPES,
        grammar: GrammarSource::BuiltIn(tree_sitter_scheme::LANGUAGE),
        rules: &[parts::LIST_RULES],
        ..Language::PLAIN
    },
    #[cfg(feature = "lang-scala")]
    Language {
        name: "Scala",
        extensions: &["scala", "sc", "sbt"],
        interpreters: &["scala"],
        node_types: tree_sitter_scala::NODE_TYPES,
        grammar: GrammarSource::BuiltIn(tree_sitter_scala::LANGUAGE),
        recovery: Recovery::Statements,
        stub: Some("???"),
        ..Language::PLAIN
    },
    #[cfg(feature = "lang-scheme")]
    Language {
        name: "Scheme",
        aliases: &["scm"],
        extensions: &["scm", "ss", "sld", "sls", "sps"],
        interpreters: &["guile", "chibi", "csi"],
        node_types: tree_sitter_scheme::NODE_TYPES,
        grammar: GrammarSource::BuiltIn(tree_sitter_scheme::LANGUAGE),
        ..Language::PLAIN
    },
    #[cfg(feature = "lang-scheme")]
    Language {
        name: "SMT-LIB",
        aliases: &["smtlib"],
        extensions: &["smt2", "smt"],
        text_order: TextOrder::Terms,
        node_types: tree_sitter_scheme::NODE_TYPES,
        grammar: GrammarSource::BuiltIn(tree_sitter_scheme::LANGUAGE),
        rules: &[parts::LIST_RULES, include_str!("../../rules/smt-lib.rules")],
        ..Language::PLAIN
    },
    #[cfg(feature = "lang-solidity")]
    Language {
        name: "Solidity",
        aliases: &["sol"],
        extensions: &["sol"],
        node_types: tree_sitter_solidity::NODE_TYPES,
        grammar: GrammarSource::BuiltIn(tree_sitter_solidity::LANGUAGE),
        recovery: Recovery::Statements,
        ..Language::PLAIN
    },
    #[cfg(feature = "lang-souffle")]
    Language {
        name: "Souffle",
        aliases: &["datalog"],
        extensions: &["dl"],
        node_types: tree_sitter_souffle::NODE_TYPES,
        grammar: GrammarSource::BuiltIn(tree_sitter_souffle::LANGUAGE),
        directives: Some(Directives::quoted(&[".include", "#include"])),
        ..Language::PLAIN
    },
    #[cfg(feature = "lang-sql")]
    Language {
        name: "SQL",
        extensions: &["sql"],
        node_types: tree_sitter_sequel::NODE_TYPES,
        grammar: GrammarSource::BuiltIn(tree_sitter_sequel::LANGUAGE),
        recovery: Recovery::Clauses,
        is_script: true,
        ignores_case: true,
        rules: &[include_str!("../../rules/sql.rules")],
        ..Language::PLAIN
    },
    #[cfg(feature = "lang-starlark")]
    Language {
        name: "Starlark",
        aliases: &["bazel"],
        extensions: &["bzl", "star", "bazel"],
        file_names: &["BUILD", "WORKSPACE"],
        node_types: tree_sitter_starlark::NODE_TYPES,
        grammar: GrammarSource::BuiltIn(tree_sitter_starlark::LANGUAGE),
        is_indented: true,
        has_bare_statements: true,
        ..Language::PLAIN
    },
    #[cfg(feature = "lang-swift")]
    Language {
        name: "Swift",
        extensions: &["swift"],
        interpreters: &["swift"],
        node_types: tree_sitter_swift::NODE_TYPES,
        grammar: GrammarSource::BuiltIn(tree_sitter_swift::LANGUAGE),
        recovery: Recovery::Statements,
        stub: Some("fatalError()"),
        ..Language::PLAIN
    },
    #[cfg(feature = "lang-toml")]
    Language {
        name: "TOML",
        extensions: &["toml"],
        file_names: &["Cargo.lock", "poetry.lock", "uv.lock"],
        node_types: tree_sitter_toml_ng::NODE_TYPES,
        grammar: GrammarSource::BuiltIn(tree_sitter_toml_ng::LANGUAGE),
        keys: Keys::Anywhere,
        ..Language::PLAIN
    },
    #[cfg(feature = "lang-typescript")]
    Language {
        name: "TSX",
        extensions: &["tsx"],
        imports: Some(parts::JAVASCRIPT_IMPORTS),
        node_types: tree_sitter_typescript::TSX_NODE_TYPES,
        grammar: GrammarSource::BuiltIn(tree_sitter_typescript::LANGUAGE_TSX),
        recovery: Recovery::Statements,
        rules: &[parts::JAVASCRIPT_RULES, parts::TYPESCRIPT_RULES],
        nested: parts::PATTERNS,
        ..Language::PLAIN
    },
    #[cfg(feature = "lang-typescript")]
    Language {
        name: "TypeScript",
        aliases: &["ts"],
        extensions: &["ts", "mts", "cts"],
        interpreters: &["deno", "ts-node", "tsx", "bun"],
        imports: Some(parts::JAVASCRIPT_IMPORTS),
        node_types: tree_sitter_typescript::TYPESCRIPT_NODE_TYPES,
        grammar: GrammarSource::BuiltIn(tree_sitter_typescript::LANGUAGE_TYPESCRIPT),
        recovery: Recovery::Statements,
        rules: &[parts::JAVASCRIPT_RULES, parts::TYPESCRIPT_RULES],
        nested: parts::PATTERNS,
        ..Language::PLAIN
    },
    #[cfg(feature = "lang-verilog")]
    Language {
        name: "Verilog",
        aliases: &["systemverilog"],
        extensions: &["v", "vh", "sv", "svh"],
        is_always_parsed: true,
        node_types: tree_sitter_verilog::NODE_TYPES,
        grammar: GrammarSource::BuiltIn(tree_sitter_verilog::LANGUAGE),
        rules: &[include_str!("../../rules/verilog.rules")],
        directives: Some(Directives::quoted(&["`include"])),
        ..Language::PLAIN
    },
    #[cfg(feature = "lang-vhdl")]
    Language {
        name: "VHDL",
        extensions: &["vhd", "vhdl"],
        node_types: tree_sitter_vhdl::NODE_TYPES,
        grammar: GrammarSource::BuiltIn(tree_sitter_vhdl::LANGUAGE),
        ..Language::PLAIN
    },
    #[cfg(feature = "lang-wgsl")]
    Language {
        name: "WGSL",
        extensions: &["wgsl"],
        node_types: tree_sitter_wgsl_bevy::NODE_TYPES,
        grammar: GrammarSource::BuiltIn(tree_sitter_wgsl_bevy::LANGUAGE),
        recovery: Recovery::Statements,
        rules: &[include_str!("../../rules/wgsl.rules")],
        ..Language::PLAIN
    },
    #[cfg(feature = "lang-xml")]
    Language {
        name: "XML",
        extensions: &["xml", "xsd", "xsl", "xslt", "svg", "rng", "wsdl", "xhtml"],
        node_types: tree_sitter_xml::XML_NODE_TYPES,
        grammar: GrammarSource::BuiltIn(tree_sitter_xml::LANGUAGE_XML),
        ..Language::PLAIN
    },
    #[cfg(feature = "lang-yaml")]
    Language {
        name: "YAML",
        aliases: &["yml"],
        extensions: &["yaml", "yml"],
        file_names: &[".clang-format", ".clang-tidy"],
        node_types: tree_sitter_yaml::NODE_TYPES,
        grammar: GrammarSource::BuiltIn(tree_sitter_yaml::LANGUAGE),
        keys: Keys::Anywhere,
        ..Language::PLAIN
    },
    #[cfg(feature = "lang-zig")]
    Language {
        name: "Zig",
        extensions: &["zig", "zon"],
        node_types: tree_sitter_zig::NODE_TYPES,
        grammar: GrammarSource::BuiltIn(tree_sitter_zig::LANGUAGE),
        recovery: Recovery::Statements,
        stub: Some("unreachable;"),
        ..Language::PLAIN
    },
];
