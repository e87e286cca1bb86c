//! The table of languages: one entry for each, sorted by name.

use super::Language;
use super::directives::Directives;
use super::language::{Keys, Recovery};
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
        ..Language::built_in(tree_sitter_ada::LANGUAGE, tree_sitter_ada::NODE_TYPES)
    },
    #[cfg(feature = "lang-assembly")]
    Language {
        name: "Assembly",
        aliases: &["asm", "gas"],
        extensions: &["s", "S", "asm"],
        directives: Some(parts::C_DIRECTIVES),
        ..Language::built_in(tree_sitter_asm::LANGUAGE, tree_sitter_asm::NODE_TYPES)
    },
    #[cfg(feature = "lang-bash")]
    Language {
        name: "Bash",
        aliases: &["sh", "shell", "zsh"],
        extensions: &["sh", "bash", "zsh", "ksh"],
        file_names: &[".bashrc", ".profile", ".zshrc", "PKGBUILD"],
        interpreters: &["sh", "bash", "dash", "ksh", "zsh"],
        directives: Some(Directives::word(&["source", "."])),
        ..Language::built_in(tree_sitter_bash::LANGUAGE, tree_sitter_bash::NODE_TYPES)
    },
    #[cfg(feature = "lang-c")]
    Language {
        name: "C",
        extensions: &["c", "h", "i"],
        interpreters: &["tcc"],
        recovery: Recovery::Statements,
        rules: &[parts::C_RULES],
        directives: Some(parts::C_DIRECTIVES),
        resolves_names: true,
        ..Language::built_in(tree_sitter_c::LANGUAGE, tree_sitter_c::NODE_TYPES)
    },
    #[cfg(feature = "lang-c-sharp")]
    Language {
        name: "C#",
        aliases: &["cs", "csharp"],
        extensions: &["cs", "csx"],
        recovery: Recovery::Statements,
        entry: "Main",
        stub: Some("throw null;"),
        ..Language::built_in(
            tree_sitter_c_sharp::LANGUAGE,
            tree_sitter_c_sharp::NODE_TYPES,
        )
    },
    #[cfg(feature = "lang-cpp")]
    Language {
        name: "C++",
        aliases: &["cpp", "cxx", "cc"],
        extensions: &[
            "cpp", "cc", "cxx", "c++", "C", "hpp", "hh", "hxx", "h++", "H", "ipp", "ixx", "cppm",
            "inl", "tpp", "tcc", "txx", "ii",
        ],
        recovery: Recovery::Statements,
        rules: &[parts::C_RULES, include_str!("../../rules/cpp.rules")],
        directives: Some(parts::C_DIRECTIVES),
        resolves_names: true,
        ..Language::built_in(tree_sitter_cpp::LANGUAGE, tree_sitter_cpp::NODE_TYPES)
    },
    #[cfg(feature = "lang-cmake")]
    Language {
        name: "CMake",
        extensions: &["cmake"],
        file_names: &["CMakeLists.txt"],
        ..Language::built_in(tree_sitter_cmake::LANGUAGE, tree_sitter_cmake::NODE_TYPES)
    },
    #[cfg(feature = "lang-common-lisp")]
    Language {
        name: "Common Lisp",
        aliases: &["commonlisp", "lisp", "cl"],
        extensions: &["lisp", "lsp", "asd"],
        interpreters: &["sbcl", "clisp", "ecl"],
        ..Language::built_in(
            tree_sitter_commonlisp::LANGUAGE_COMMONLISP,
            tree_sitter_commonlisp::NODE_TYPES,
        )
    },
    #[cfg(feature = "lang-css")]
    Language {
        name: "CSS",
        extensions: &["css"],
        recovery: Recovery::Statements,
        ..Language::built_in(tree_sitter_css::LANGUAGE, tree_sitter_css::NODE_TYPES)
    },
    #[cfg(feature = "lang-cypher")]
    Language {
        name: "Cypher",
        extensions: &["cypher", "cyp"],
        ..Language::built_in(tree_sitter_cypher::LANGUAGE, tree_sitter_cypher::NODE_TYPES)
    },
    #[cfg(feature = "lang-d")]
    Language {
        name: "D",
        aliases: &["dlang"],
        extensions: &["d", "di"],
        interpreters: &["rdmd"],
        recovery: Recovery::Statements,
        ..Language::built_in(tree_sitter_d::LANGUAGE, tree_sitter_d::NODE_TYPES)
    },
    #[cfg(feature = "lang-dart")]
    Language {
        name: "Dart",
        extensions: &["dart"],
        interpreters: &["dart"],
        recovery: Recovery::Statements,
        ..Language::built_in(tree_sitter_dart::LANGUAGE, tree_sitter_dart::NODE_TYPES)
    },
    #[cfg(feature = "lang-diff")]
    Language {
        name: "Diff",
        aliases: &["patch"],
        extensions: &["diff", "patch"],
        ..Language::built_in(tree_sitter_diff::LANGUAGE, tree_sitter_diff::NODE_TYPES)
    },
    #[cfg(feature = "lang-dockerfile")]
    Language {
        name: "Dockerfile",
        aliases: &["docker", "containerfile"],
        extensions: &["dockerfile", "containerfile"],
        file_names: &["Dockerfile", "Containerfile"],
        ..Language::built_in(
            tree_sitter_containerfile::LANGUAGE,
            tree_sitter_containerfile::NODE_TYPES,
        )
    },
    #[cfg(feature = "lang-xml")]
    Language {
        name: "DTD",
        extensions: &["dtd", "ent"],
        ..Language::built_in(
            tree_sitter_xml::LANGUAGE_DTD,
            tree_sitter_xml::DTD_NODE_TYPES,
        )
    },
    #[cfg(feature = "lang-elixir")]
    Language {
        name: "Elixir",
        extensions: &["ex", "exs"],
        interpreters: &["elixir"],
        ..Language::built_in(tree_sitter_elixir::LANGUAGE, tree_sitter_elixir::NODE_TYPES)
    },
    #[cfg(feature = "lang-elm")]
    Language {
        name: "Elm",
        extensions: &["elm"],
        ..Language::built_in(tree_sitter_elm::LANGUAGE, tree_sitter_elm::NODE_TYPES)
    },
    #[cfg(feature = "lang-erlang")]
    Language {
        name: "Erlang",
        extensions: &["erl", "hrl", "escript"],
        interpreters: &["escript"],
        directives: Some(Directives::quoted(&["-include"])),
        ..Language::built_in(tree_sitter_erlang::LANGUAGE, tree_sitter_erlang::NODE_TYPES)
    },
    #[cfg(feature = "lang-fortran")]
    Language {
        name: "Fortran",
        extensions: &["f90", "f95", "f03", "f08", "f18"],
        directives: Some(Directives::quoted(&["include", "INCLUDE", "#include"])),
        ..Language::built_in(
            tree_sitter_fortran::LANGUAGE,
            tree_sitter_fortran::NODE_TYPES,
        )
    },
    #[cfg(feature = "lang-gleam")]
    Language {
        name: "Gleam",
        extensions: &["gleam"],
        ..Language::built_in(tree_sitter_gleam::LANGUAGE, tree_sitter_gleam::NODE_TYPES)
    },
    #[cfg(feature = "lang-glsl")]
    Language {
        name: "GLSL",
        extensions: &[
            "glsl", "vert", "frag", "geom", "comp", "tesc", "tese", "rgen", "rchit", "rmiss",
        ],
        recovery: Recovery::Statements,
        rules: &[include_str!("../../rules/glsl.rules")],
        directives: Some(parts::C_DIRECTIVES),
        ..Language::built_in(
            tree_sitter_glsl::LANGUAGE_GLSL,
            tree_sitter_glsl::NODE_TYPES,
        )
    },
    #[cfg(feature = "lang-go")]
    Language {
        name: "Go",
        aliases: &["golang"],
        extensions: &["go"],
        recovery: Recovery::Statements,
        has_names_first: true,
        has_bare_statements: true,
        stub: Some("panic(0)"),
        rules: &[include_str!("../../rules/go.rules")],
        ..Language::built_in(tree_sitter_go::LANGUAGE, tree_sitter_go::NODE_TYPES)
    },
    #[cfg(feature = "lang-graphql")]
    Language {
        name: "GraphQL",
        extensions: &["graphql", "graphqls", "gql"],
        ..Language::built_in(
            tree_sitter_graphql::LANGUAGE,
            tree_sitter_graphql::NODE_TYPES,
        )
    },
    #[cfg(feature = "lang-haskell")]
    Language {
        name: "Haskell",
        extensions: &["hs"],
        interpreters: &["runhaskell", "runghc"],
        ..Language::built_in(
            tree_sitter_haskell::LANGUAGE,
            tree_sitter_haskell::NODE_TYPES,
        )
    },
    #[cfg(feature = "lang-hcl")]
    Language {
        name: "HCL",
        aliases: &["terraform", "tf"],
        extensions: &["hcl", "tf", "tfvars"],
        ..Language::built_in(tree_sitter_hcl::LANGUAGE, tree_sitter_hcl::NODE_TYPES)
    },
    #[cfg(feature = "lang-hlsl")]
    Language {
        name: "HLSL",
        extensions: &["hlsl", "hlsli", "fx", "fxh"],
        recovery: Recovery::Statements,
        directives: Some(parts::C_DIRECTIVES),
        ..Language::built_in(
            tree_sitter_hlsl::LANGUAGE_HLSL,
            tree_sitter_hlsl::NODE_TYPES,
        )
    },
    #[cfg(feature = "lang-html")]
    Language {
        name: "HTML",
        extensions: &["html", "htm"],
        nested: parts::IN_HTML,
        ..Language::built_in(tree_sitter_html::LANGUAGE, tree_sitter_html::NODE_TYPES)
    },
    #[cfg(feature = "lang-ini")]
    Language {
        name: "INI",
        extensions: &["ini", "cfg"],
        file_names: &[".gitconfig", ".editorconfig"],
        keys: Keys::Anywhere,
        ..Language::built_in(tree_sitter_ini::LANGUAGE, tree_sitter_ini::NODE_TYPES)
    },
    #[cfg(feature = "lang-java")]
    Language {
        name: "Java",
        extensions: &["java"],
        recovery: Recovery::Statements,
        stub: Some("throw null;"),
        rules: &[include_str!("../../rules/java.rules")],
        resolves_names: true,
        ..Language::built_in(tree_sitter_java::LANGUAGE, tree_sitter_java::NODE_TYPES)
    },
    #[cfg(feature = "lang-javascript")]
    Language {
        name: "JavaScript",
        aliases: &["js", "jsx", "ecmascript"],
        extensions: &["js", "mjs", "cjs", "jsx"],
        interpreters: &["node", "nodejs", "qjs"],
        imports: Some(parts::JAVASCRIPT_IMPORTS),
        recovery: Recovery::Statements,
        rules: &[parts::JAVASCRIPT_RULES],
        nested: parts::PATTERNS,
        ..Language::built_in(
            tree_sitter_javascript::LANGUAGE,
            tree_sitter_javascript::NODE_TYPES,
        )
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
        keys: Keys::InObjects,
        rules: &[include_str!("../../rules/json.rules")],
        ..Language::built_in(tree_sitter_json::LANGUAGE, tree_sitter_json::NODE_TYPES)
    },
    #[cfg(feature = "lang-jsonnet")]
    Language {
        name: "Jsonnet",
        extensions: &["jsonnet", "libsonnet"],
        ..Language::built_in(
            tree_sitter_jsonnet::LANGUAGE,
            tree_sitter_jsonnet::NODE_TYPES,
        )
    },
    #[cfg(feature = "lang-julia")]
    Language {
        name: "Julia",
        extensions: &["jl"],
        interpreters: &["julia"],
        ..Language::built_in(tree_sitter_julia::LANGUAGE, tree_sitter_julia::NODE_TYPES)
    },
    #[cfg(feature = "lang-kotlin")]
    Language {
        name: "Kotlin",
        aliases: &["kt"],
        extensions: &["kt", "kts"],
        interpreters: &["kotlin"],
        recovery: Recovery::Statements,
        ..Language::built_in(
            tree_sitter_kotlin_ng::LANGUAGE,
            tree_sitter_kotlin_ng::NODE_TYPES,
        )
    },
    #[cfg(feature = "lang-llvm-ir")]
    Language {
        name: "LLVM IR",
        aliases: &["llvm", "ll"],
        extensions: &["ll"],
        rules: &[include_str!("../../rules/llvm-ir.rules")],
        ..Language::built_in(tree_sitter_llvm::LANGUAGE, tree_sitter_llvm::NODE_TYPES)
    },
    #[cfg(feature = "lang-lua")]
    Language {
        name: "Lua",
        extensions: &["lua"],
        interpreters: &["lua", "luajit"],
        rules: &[include_str!("../../rules/lua.rules")],
        ..Language::built_in(tree_sitter_lua::LANGUAGE, tree_sitter_lua::NODE_TYPES)
    },
    #[cfg(feature = "lang-make")]
    Language {
        name: "Make",
        aliases: &["makefile"],
        extensions: &["mk", "mak"],
        file_names: &["Makefile", "makefile", "GNUmakefile"],
        interpreters: &["make"],
        rules: &[include_str!("../../rules/make.rules")],
        directives: Some(Directives::word(&["include", "-include", "sinclude"])),
        ..Language::built_in(tree_sitter_make::LANGUAGE, tree_sitter_make::NODE_TYPES)
    },
    #[cfg(feature = "lang-markdown")]
    Language {
        name: "Markdown",
        aliases: &["md"],
        extensions: &["md", "markdown"],
        nested: parts::IN_MARKDOWN,
        ..Language::built_in(tree_sitter_md::LANGUAGE, tree_sitter_md::NODE_TYPES_BLOCK)
    },
    #[cfg(feature = "lang-mlir")]
    Language {
        name: "MLIR",
        extensions: &["mlir"],
        is_always_parsed: true,
        ..Language::built_in(tree_sitter_mlir::LANGUAGE, tree_sitter_mlir::NODE_TYPES)
    },
    #[cfg(feature = "lang-nix")]
    Language {
        name: "Nix",
        extensions: &["nix"],
        ..Language::built_in(tree_sitter_nix::LANGUAGE, tree_sitter_nix::NODE_TYPES)
    },
    #[cfg(feature = "lang-objective-c")]
    Language {
        name: "Objective-C",
        aliases: &["objc", "objectivec"],
        extensions: &["m"],
        recovery: Recovery::Statements,
        directives: Some(parts::C_DIRECTIVES),
        ..Language::built_in(tree_sitter_objc::LANGUAGE, tree_sitter_objc::NODE_TYPES)
    },
    #[cfg(feature = "lang-ocaml")]
    Language {
        name: "OCaml",
        aliases: &["ml"],
        extensions: &["ml"],
        interpreters: &["ocaml", "ocamlrun"],
        ..Language::built_in(
            tree_sitter_ocaml::LANGUAGE_OCAML,
            tree_sitter_ocaml::OCAML_NODE_TYPES,
        )
    },
    #[cfg(feature = "lang-ocaml")]
    Language {
        name: "OCaml interface",
        aliases: &["mli"],
        extensions: &["mli"],
        ..Language::built_in(
            tree_sitter_ocaml::LANGUAGE_OCAML_INTERFACE,
            tree_sitter_ocaml::INTERFACE_NODE_TYPES,
        )
    },
    #[cfg(feature = "lang-pascal")]
    Language {
        name: "Pascal",
        aliases: &["delphi"],
        extensions: &["pas", "pp", "dpr", "lpr"],
        interpreters: &["instantfpc"],
        ..Language::built_in(tree_sitter_pascal::LANGUAGE, tree_sitter_pascal::NODE_TYPES)
    },
    #[cfg(feature = "lang-perl")]
    Language {
        name: "Perl",
        extensions: &["pl", "pm", "t"],
        interpreters: &["perl"],
        rules: &[include_str!("../../rules/perl.rules")],
        ..Language::built_in(super::perl::LANGUAGE, ts_parser_perl::NODE_TYPES)
    },
    #[cfg(feature = "lang-php")]
    Language {
        name: "PHP",
        extensions: &["php", "phtml", "phpt"],
        interpreters: &["php"],
        rules: &[include_str!("../../rules/php.rules")],
        nested: parts::IN_PHP,
        ..Language::built_in(
            tree_sitter_php::LANGUAGE_PHP,
            tree_sitter_php::PHP_NODE_TYPES,
        )
    },
    #[cfg(feature = "lang-powershell")]
    Language {
        name: "PowerShell",
        aliases: &["ps1", "pwsh"],
        extensions: &["ps1", "psm1", "psd1"],
        interpreters: &["pwsh"],
        ..Language::built_in(
            tree_sitter_powershell::LANGUAGE,
            tree_sitter_powershell::NODE_TYPES,
        )
    },
    #[cfg(feature = "lang-prolog")]
    Language {
        name: "Prolog",
        extensions: &["pro", "prolog"],
        interpreters: &["swipl", "gprolog"],
        ..Language::built_in(tree_sitter_prolog::LANGUAGE, tree_sitter_prolog::NODE_TYPES)
    },
    #[cfg(feature = "lang-protobuf")]
    Language {
        name: "Protobuf",
        aliases: &["proto"],
        extensions: &["proto"],
        rules: &[include_str!("../../rules/protobuf.rules")],
        ..Language::built_in(tree_sitter_proto::LANGUAGE, tree_sitter_proto::NODE_TYPES)
    },
    #[cfg(feature = "lang-python")]
    Language {
        name: "Python",
        aliases: &["py"],
        extensions: &["py", "pyi", "pyw"],
        file_names: &["SConstruct", "SConscript"],
        interpreters: &["python", "pypy"],
        imports: Some(parts::PYTHON_IMPORTS),
        is_indented: true,
        has_bare_statements: true,
        stub: Some("pass"),
        rules: &[include_str!("../../rules/python.rules")],
        ..Language::built_in(tree_sitter_python::LANGUAGE, tree_sitter_python::NODE_TYPES)
    },
    #[cfg(feature = "lang-r")]
    Language {
        name: "R",
        extensions: &["R", "r"],
        file_names: &[".Rprofile"],
        interpreters: &["Rscript"],
        ..Language::built_in(tree_sitter_r::LANGUAGE, tree_sitter_r::NODE_TYPES)
    },
    #[cfg(feature = "lang-racket")]
    Language {
        name: "Racket",
        aliases: &["rkt"],
        extensions: &["rkt", "rktd"],
        interpreters: &["racket"],
        ..Language::built_in(tree_sitter_racket::LANGUAGE, tree_sitter_racket::NODE_TYPES)
    },
    #[cfg(feature = "lang-regex")]
    Language {
        name: "Regex",
        aliases: &["regexp"],
        extensions: &["regex"],
        has_meaningful_spaces: true,
        ..Language::built_in(tree_sitter_regex::LANGUAGE, tree_sitter_regex::NODE_TYPES)
    },
    #[cfg(feature = "lang-ruby")]
    Language {
        name: "Ruby",
        aliases: &["rb"],
        extensions: &["rb", "rake", "gemspec", "ru"],
        file_names: &["Rakefile", "Gemfile"],
        interpreters: &["ruby", "jruby"],
        ..Language::built_in(tree_sitter_ruby::LANGUAGE, tree_sitter_ruby::NODE_TYPES)
    },
    #[cfg(feature = "lang-rust")]
    Language {
        name: "Rust",
        aliases: &["rs"],
        extensions: &["rs"],
        recovery: Recovery::Statements,
        stub: Some("loop {}"),
        export_mark: Some("#[no_mangle]"),
        rules: &[include_str!("../../rules/rust.rules")],
        directives: Some(Directives::module(&["mod"])),
        packages: Some(parts::CRATES),
        resolves_names: true,
        ..Language::built_in(tree_sitter_rust::LANGUAGE, tree_sitter_rust::NODE_TYPES)
    },
    #[cfg(feature = "lang-scheme")]
    Language {
        name: "S-expressions",
        aliases: &["sexp", "wat"],
        extensions: &["sexp", "wat", "wast", "pddl"],
        rules: &[parts::LIST_RULES],
        ..Language::built_in(tree_sitter_scheme::LANGUAGE, tree_sitter_scheme::NODE_TYPES)
    },
    #[cfg(feature = "lang-scala")]
    Language {
        name: "Scala",
        extensions: &["scala", "sc", "sbt"],
        interpreters: &["scala"],
        recovery: Recovery::Statements,
        stub: Some("???"),
        ..Language::built_in(tree_sitter_scala::LANGUAGE, tree_sitter_scala::NODE_TYPES)
    },
    #[cfg(feature = "lang-scheme")]
    Language {
        name: "Scheme",
        aliases: &["scm"],
        extensions: &["scm", "ss", "sld", "sls", "sps"],
        interpreters: &["guile", "chibi", "csi"],
        ..Language::built_in(tree_sitter_scheme::LANGUAGE, tree_sitter_scheme::NODE_TYPES)
    },
    #[cfg(feature = "lang-scheme")]
    Language {
        name: "SMT-LIB",
        aliases: &["smtlib"],
        extensions: &["smt2", "smt"],
        text_order: TextOrder::Terms,
        rules: &[parts::LIST_RULES, include_str!("../../rules/smt-lib.rules")],
        ..Language::built_in(tree_sitter_scheme::LANGUAGE, tree_sitter_scheme::NODE_TYPES)
    },
    #[cfg(feature = "lang-solidity")]
    Language {
        name: "Solidity",
        aliases: &["sol"],
        extensions: &["sol"],
        recovery: Recovery::Statements,
        ..Language::built_in(
            tree_sitter_solidity::LANGUAGE,
            tree_sitter_solidity::NODE_TYPES,
        )
    },
    #[cfg(feature = "lang-souffle")]
    Language {
        name: "Souffle",
        aliases: &["datalog"],
        extensions: &["dl"],
        directives: Some(Directives::quoted(&[".include", "#include"])),
        ..Language::built_in(
            tree_sitter_souffle::LANGUAGE,
            tree_sitter_souffle::NODE_TYPES,
        )
    },
    #[cfg(feature = "lang-sql")]
    Language {
        name: "SQL",
        extensions: &["sql"],
        recovery: Recovery::Clauses,
        is_script: true,
        ignores_case: true,
        has_names_first: true,
        rules: &[include_str!("../../rules/sql.rules")],
        ..Language::built_in(tree_sitter_sequel::LANGUAGE, tree_sitter_sequel::NODE_TYPES)
    },
    #[cfg(feature = "lang-starlark")]
    Language {
        name: "Starlark",
        aliases: &["bazel"],
        extensions: &["bzl", "star", "bazel"],
        file_names: &["BUILD", "WORKSPACE"],
        is_indented: true,
        has_bare_statements: true,
        ..Language::built_in(
            tree_sitter_starlark::LANGUAGE,
            tree_sitter_starlark::NODE_TYPES,
        )
    },
    #[cfg(feature = "lang-swift")]
    Language {
        name: "Swift",
        extensions: &["swift"],
        interpreters: &["swift"],
        recovery: Recovery::Statements,
        stub: Some("fatalError()"),
        ..Language::built_in(tree_sitter_swift::LANGUAGE, tree_sitter_swift::NODE_TYPES)
    },
    #[cfg(feature = "lang-toml")]
    Language {
        name: "TOML",
        extensions: &["toml"],
        file_names: &["Cargo.lock", "poetry.lock", "uv.lock"],
        keys: Keys::Anywhere,
        ..Language::built_in(
            tree_sitter_toml_ng::LANGUAGE,
            tree_sitter_toml_ng::NODE_TYPES,
        )
    },
    #[cfg(feature = "lang-typescript")]
    Language {
        name: "TSX",
        extensions: &["tsx"],
        imports: Some(parts::JAVASCRIPT_IMPORTS),
        recovery: Recovery::Statements,
        rules: &[parts::JAVASCRIPT_RULES, parts::TYPESCRIPT_RULES],
        nested: parts::PATTERNS,
        ..Language::built_in(
            tree_sitter_typescript::LANGUAGE_TSX,
            tree_sitter_typescript::TSX_NODE_TYPES,
        )
    },
    #[cfg(feature = "lang-typescript")]
    Language {
        name: "TypeScript",
        aliases: &["ts"],
        extensions: &["ts", "mts", "cts"],
        interpreters: &["deno", "ts-node", "tsx", "bun"],
        imports: Some(parts::JAVASCRIPT_IMPORTS),
        recovery: Recovery::Statements,
        rules: &[parts::JAVASCRIPT_RULES, parts::TYPESCRIPT_RULES],
        nested: parts::PATTERNS,
        ..Language::built_in(
            tree_sitter_typescript::LANGUAGE_TYPESCRIPT,
            tree_sitter_typescript::TYPESCRIPT_NODE_TYPES,
        )
    },
    #[cfg(feature = "lang-verilog")]
    Language {
        name: "Verilog",
        aliases: &["systemverilog"],
        extensions: &["v", "vh", "sv", "svh"],
        is_always_parsed: true,
        rules: &[include_str!("../../rules/verilog.rules")],
        directives: Some(Directives::quoted(&["`include"])),
        ..Language::built_in(
            tree_sitter_verilog::LANGUAGE,
            tree_sitter_verilog::NODE_TYPES,
        )
    },
    #[cfg(feature = "lang-vhdl")]
    Language {
        name: "VHDL",
        extensions: &["vhd", "vhdl"],
        ..Language::built_in(tree_sitter_vhdl::LANGUAGE, tree_sitter_vhdl::NODE_TYPES)
    },
    #[cfg(feature = "lang-wgsl")]
    Language {
        name: "WGSL",
        extensions: &["wgsl"],
        recovery: Recovery::Statements,
        rules: &[include_str!("../../rules/wgsl.rules")],
        ..Language::built_in(
            tree_sitter_wgsl_bevy::LANGUAGE,
            tree_sitter_wgsl_bevy::NODE_TYPES,
        )
    },
    #[cfg(feature = "lang-xml")]
    Language {
        name: "XML",
        extensions: &["xml", "xsd", "xsl", "xslt", "svg", "rng", "wsdl", "xhtml"],
        rules: &[include_str!("../../rules/xml.rules")],
        ..Language::built_in(
            tree_sitter_xml::LANGUAGE_XML,
            tree_sitter_xml::XML_NODE_TYPES,
        )
    },
    #[cfg(feature = "lang-yaml")]
    Language {
        name: "YAML",
        aliases: &["yml"],
        extensions: &["yaml", "yml"],
        file_names: &[".clang-format", ".clang-tidy"],
        keys: Keys::Anywhere,
        ..Language::built_in(tree_sitter_yaml::LANGUAGE, tree_sitter_yaml::NODE_TYPES)
    },
    #[cfg(feature = "lang-zig")]
    Language {
        name: "Zig",
        extensions: &["zig", "zon"],
        recovery: Recovery::Statements,
        stub: Some("unreachable;"),
        ..Language::built_in(tree_sitter_zig::LANGUAGE, tree_sitter_zig::NODE_TYPES)
    },
];
