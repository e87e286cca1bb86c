//! The table of languages: one entry for each, sorted by name.

use super::Language;
use super::notation::Notation;
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
        aliases: &[],
        extensions: &["adb", "ads"],
        file_names: &[],
        interpreters: &[],
        notation: Notation::PLAIN,
        node_types: tree_sitter_ada::NODE_TYPES,
        grammar: tree_sitter_ada::LANGUAGE,
    },
    #[cfg(feature = "lang-assembly")]
    Language {
        name: "Assembly",
        aliases: &["asm", "gas"],
        extensions: &["s", "S", "asm"],
        file_names: &[],
        interpreters: &[],
        notation: Notation::PLAIN,
        node_types: tree_sitter_asm::NODE_TYPES,
        grammar: tree_sitter_asm::LANGUAGE,
    },
    #[cfg(feature = "lang-bash")]
    Language {
        name: "Bash",
        aliases: &["sh", "shell", "zsh"],
        extensions: &["sh", "bash", "zsh", "ksh"],
        file_names: &[".bashrc", ".profile", ".zshrc", "PKGBUILD"],
        interpreters: &["sh", "bash", "dash", "ksh", "zsh"],
        notation: Notation::PLAIN,
        node_types: tree_sitter_bash::NODE_TYPES,
        grammar: tree_sitter_bash::LANGUAGE,
    },
    #[cfg(feature = "lang-c")]
    Language {
        name: "C",
        aliases: &[],
        extensions: &["c", "h", "i"],
        file_names: &[],
        interpreters: &["tcc"],
        notation: Notation::PLAIN,
        node_types: tree_sitter_c::NODE_TYPES,
        grammar: tree_sitter_c::LANGUAGE,
    },
    #[cfg(feature = "lang-c-sharp")]
    Language {
        name: "C#",
        aliases: &["cs", "csharp"],
        extensions: &["cs", "csx"],
        file_names: &[],
        interpreters: &[],
        notation: Notation::PLAIN,
        node_types: tree_sitter_c_sharp::NODE_TYPES,
        grammar: tree_sitter_c_sharp::LANGUAGE,
    },
    #[cfg(feature = "lang-cpp")]
    Language {
        name: "C++",
        aliases: &["cpp", "cxx", "cc"],
        extensions: &[
            "cpp", "cc", "cxx", "c++", "C", "hpp", "hh", "hxx", "h++", "H", "ipp", "ixx", "cppm",
            "inl", "tpp", "tcc", "txx", "ii",
        ],
        file_names: &[],
        interpreters: &[],
        notation: Notation::PLAIN,
        node_types: tree_sitter_cpp::NODE_TYPES,
        grammar: tree_sitter_cpp::LANGUAGE,
    },
    #[cfg(feature = "lang-cmake")]
    Language {
        name: "CMake",
        aliases: &[],
        extensions: &["cmake"],
        file_names: &["CMakeLists.txt"],
        interpreters: &[],
        notation: Notation::PLAIN,
        node_types: tree_sitter_cmake::NODE_TYPES,
        grammar: tree_sitter_cmake::LANGUAGE,
    },
    #[cfg(feature = "lang-common-lisp")]
    Language {
        name: "Common Lisp",
        aliases: &["commonlisp", "lisp", "cl"],
        extensions: &["lisp", "lsp", "asd"],
        file_names: &[],
        interpreters: &["sbcl", "clisp", "ecl"],
        notation: Notation::PLAIN,
        node_types: tree_sitter_commonlisp::NODE_TYPES,
        grammar: tree_sitter_commonlisp::LANGUAGE_COMMONLISP,
    },
    #[cfg(feature = "lang-css")]
    Language {
        name: "CSS",
        aliases: &[],
        extensions: &["css"],
        file_names: &[],
        interpreters: &[],
        notation: Notation::PLAIN,
        node_types: tree_sitter_css::NODE_TYPES,
        grammar: tree_sitter_css::LANGUAGE,
    },
    #[cfg(feature = "lang-cypher")]
    Language {
        name: "Cypher",
        aliases: &[],
        extensions: &["cypher", "cyp"],
        file_names: &[],
        interpreters: &[],
        notation: Notation::PLAIN,
        node_types: tree_sitter_cypher::NODE_TYPES,
        grammar: tree_sitter_cypher::LANGUAGE,
    },
    #[cfg(feature = "lang-d")]
    Language {
        name: "D",
        aliases: &["dlang"],
        extensions: &["d", "di"],
        file_names: &[],
        interpreters: &["rdmd"],
        notation: Notation::PLAIN,
        node_types: tree_sitter_d::NODE_TYPES,
        grammar: tree_sitter_d::LANGUAGE,
    },
    #[cfg(feature = "lang-dart")]
    Language {
        name: "Dart",
        aliases: &[],
        extensions: &["dart"],
        file_names: &[],
        interpreters: &["dart"],
        notation: Notation::PLAIN,
        node_types: tree_sitter_dart::NODE_TYPES,
        grammar: tree_sitter_dart::LANGUAGE,
    },
    #[cfg(feature = "lang-diff")]
    Language {
        name: "Diff",
        aliases: &["patch"],
        extensions: &["diff", "patch"],
        file_names: &[],
        interpreters: &[],
        notation: Notation::PLAIN,
        node_types: tree_sitter_diff::NODE_TYPES,
        grammar: tree_sitter_diff::LANGUAGE,
    },
    #[cfg(feature = "lang-dockerfile")]
    Language {
        name: "Dockerfile",
        aliases: &["docker", "containerfile"],
        extensions: &["dockerfile", "containerfile"],
        file_names: &["Dockerfile", "Containerfile"],
        interpreters: &[],
        notation: Notation::PLAIN,
        node_types: tree_sitter_containerfile::NODE_TYPES,
        grammar: tree_sitter_containerfile::LANGUAGE,
    },
    #[cfg(feature = "lang-xml")]
    Language {
        name: "DTD",
        aliases: &[],
        extensions: &["dtd", "ent"],
        file_names: &[],
        interpreters: &[],
        notation: Notation::PLAIN,
        node_types: tree_sitter_xml::DTD_NODE_TYPES,
        grammar: tree_sitter_xml::LANGUAGE_DTD,
    },
    #[cfg(feature = "lang-elixir")]
    Language {
        name: "Elixir",
        aliases: &[],
        extensions: &["ex", "exs"],
        file_names: &[],
        interpreters: &["elixir"],
        notation: Notation::PLAIN,
        node_types: tree_sitter_elixir::NODE_TYPES,
        grammar: tree_sitter_elixir::LANGUAGE,
    },
    #[cfg(feature = "lang-elm")]
    Language {
        name: "Elm",
        aliases: &[],
        extensions: &["elm"],
        file_names: &[],
        interpreters: &[],
        notation: Notation::PLAIN,
        node_types: tree_sitter_elm::NODE_TYPES,
        grammar: tree_sitter_elm::LANGUAGE,
    },
    #[cfg(feature = "lang-erlang")]
    Language {
        name: "Erlang",
        aliases: &[],
        extensions: &["erl", "hrl", "escript"],
        file_names: &[],
        interpreters: &["escript"],
        notation: Notation::PLAIN,
        node_types: tree_sitter_erlang::NODE_TYPES,
        grammar: tree_sitter_erlang::LANGUAGE,
    },
    #[cfg(feature = "lang-fortran")]
    Language {
        name: "Fortran",
        aliases: &[],
        extensions: &["f90", "f95", "f03", "f08", "f18"],
        file_names: &[],
        interpreters: &[],
        notation: Notation::PLAIN,
        node_types: tree_sitter_fortran::NODE_TYPES,
        grammar: tree_sitter_fortran::LANGUAGE,
    },
    #[cfg(feature = "lang-gleam")]
    Language {
        name: "Gleam",
        aliases: &[],
        extensions: &["gleam"],
        file_names: &[],
        interpreters: &[],
        notation: Notation::PLAIN,
        node_types: tree_sitter_gleam::NODE_TYPES,
        grammar: tree_sitter_gleam::LANGUAGE,
    },
    #[cfg(feature = "lang-glsl")]
    Language {
        name: "GLSL",
        aliases: &[],
        extensions: &[
            "glsl", "vert", "frag", "geom", "comp", "tesc", "tese", "rgen", "rchit", "rmiss",
        ],
        file_names: &[],
        interpreters: &[],
        notation: Notation::PLAIN,
        node_types: tree_sitter_glsl::NODE_TYPES,
        grammar: tree_sitter_glsl::LANGUAGE_GLSL,
    },
    #[cfg(feature = "lang-go")]
    Language {
        name: "Go",
        aliases: &["golang"],
        extensions: &["go"],
        file_names: &[],
        interpreters: &[],
        notation: Notation::PLAIN,
        node_types: tree_sitter_go::NODE_TYPES,
        grammar: tree_sitter_go::LANGUAGE,
    },
    #[cfg(feature = "lang-graphql")]
    Language {
        name: "GraphQL",
        aliases: &[],
        extensions: &["graphql", "graphqls", "gql"],
        file_names: &[],
        interpreters: &[],
        notation: Notation::PLAIN,
        node_types: tree_sitter_graphql::NODE_TYPES,
        grammar: tree_sitter_graphql::LANGUAGE,
    },
    #[cfg(feature = "lang-haskell")]
    Language {
        name: "Haskell",
        aliases: &[],
        extensions: &["hs"],
        file_names: &[],
        interpreters: &["runhaskell", "runghc"],
        notation: Notation::PLAIN,
        node_types: tree_sitter_haskell::NODE_TYPES,
        grammar: tree_sitter_haskell::LANGUAGE,
    },
    #[cfg(feature = "lang-hcl")]
    Language {
        name: "HCL",
        aliases: &["terraform", "tf"],
        extensions: &["hcl", "tf", "tfvars"],
        file_names: &[],
        interpreters: &[],
        notation: Notation::PLAIN,
        node_types: tree_sitter_hcl::NODE_TYPES,
        grammar: tree_sitter_hcl::LANGUAGE,
    },
    #[cfg(feature = "lang-hlsl")]
    Language {
        name: "HLSL",
        aliases: &[],
        extensions: &["hlsl", "hlsli", "fx", "fxh"],
        file_names: &[],
        interpreters: &[],
        notation: Notation::PLAIN,
        node_types: tree_sitter_hlsl::NODE_TYPES,
        grammar: tree_sitter_hlsl::LANGUAGE_HLSL,
    },
    #[cfg(feature = "lang-html")]
    Language {
        name: "HTML",
        aliases: &[],
        extensions: &["html", "htm"],
        file_names: &[],
        interpreters: &[],
        notation: Notation::PLAIN,
        node_types: tree_sitter_html::NODE_TYPES,
        grammar: tree_sitter_html::LANGUAGE,
    },
    #[cfg(feature = "lang-ini")]
    Language {
        name: "INI",
        aliases: &[],
        extensions: &["ini", "cfg"],
        file_names: &[".gitconfig", ".editorconfig"],
        interpreters: &[],
        notation: Notation::PLAIN,
        node_types: tree_sitter_ini::NODE_TYPES,
        grammar: tree_sitter_ini::LANGUAGE,
    },
    #[cfg(feature = "lang-java")]
    Language {
        name: "Java",
        aliases: &[],
        extensions: &["java"],
        file_names: &[],
        interpreters: &[],
        notation: Notation::PLAIN,
        node_types: tree_sitter_java::NODE_TYPES,
        grammar: tree_sitter_java::LANGUAGE,
    },
    #[cfg(feature = "lang-javascript")]
    Language {
        name: "JavaScript",
        aliases: &["js", "jsx", "ecmascript"],
        extensions: &["js", "mjs", "cjs", "jsx"],
        file_names: &[],
        interpreters: &["node", "nodejs", "qjs"],
        notation: Notation::PLAIN,
        node_types: tree_sitter_javascript::NODE_TYPES,
        grammar: tree_sitter_javascript::LANGUAGE,
    },
    #[cfg(feature = "lang-json")]
    Language {
        name: "JSON",
        aliases: &[],
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
        interpreters: &[],
        notation: Notation::PLAIN,
        node_types: tree_sitter_json::NODE_TYPES,
        grammar: tree_sitter_json::LANGUAGE,
    },
    #[cfg(feature = "lang-jsonnet")]
    Language {
        name: "Jsonnet",
        aliases: &[],
        extensions: &["jsonnet", "libsonnet"],
        file_names: &[],
        interpreters: &[],
        notation: Notation::PLAIN,
        node_types: tree_sitter_jsonnet::NODE_TYPES,
        grammar: tree_sitter_jsonnet::LANGUAGE,
    },
    #[cfg(feature = "lang-julia")]
    Language {
        name: "Julia",
        aliases: &[],
        extensions: &["jl"],
        file_names: &[],
        interpreters: &["julia"],
        notation: Notation::PLAIN,
        node_types: tree_sitter_julia::NODE_TYPES,
        grammar: tree_sitter_julia::LANGUAGE,
    },
    #[cfg(feature = "lang-kotlin")]
    Language {
        name: "Kotlin",
        aliases: &["kt"],
        extensions: &["kt", "kts"],
        file_names: &[],
        interpreters: &["kotlin"],
        notation: Notation::PLAIN,
        node_types: tree_sitter_kotlin_ng::NODE_TYPES,
        grammar: tree_sitter_kotlin_ng::LANGUAGE,
    },
    #[cfg(feature = "lang-llvm-ir")]
    Language {
        name: "LLVM IR",
        aliases: &["llvm", "ll"],
        extensions: &["ll"],
        file_names: &[],
        interpreters: &[],
        notation: Notation::PLAIN,
        node_types: tree_sitter_llvm::NODE_TYPES,
        grammar: tree_sitter_llvm::LANGUAGE,
    },
    #[cfg(feature = "lang-lua")]
    Language {
        name: "Lua",
        aliases: &[],
        extensions: &["lua"],
        file_names: &[],
        interpreters: &["lua", "luajit"],
        notation: Notation::PLAIN,
        node_types: tree_sitter_lua::NODE_TYPES,
        grammar: tree_sitter_lua::LANGUAGE,
    },
    #[cfg(feature = "lang-make")]
    Language {
        name: "Make",
        aliases: &["makefile"],
        extensions: &["mk", "mak"],
        file_names: &["Makefile", "makefile", "GNUmakefile"],
        interpreters: &["make"],
        notation: Notation::PLAIN,
        node_types: tree_sitter_make::NODE_TYPES,
        grammar: tree_sitter_make::LANGUAGE,
    },
    #[cfg(feature = "lang-markdown")]
    Language {
        name: "Markdown",
        aliases: &["md"],
        extensions: &["md", "markdown"],
        file_names: &[],
        interpreters: &[],
        notation: Notation::PLAIN,
        node_types: tree_sitter_md::NODE_TYPES_BLOCK,
        grammar: tree_sitter_md::LANGUAGE,
    },
    #[cfg(feature = "lang-mlir")]
    Language {
        name: "MLIR",
        aliases: &[],
        extensions: &["mlir"],
        file_names: &[],
        interpreters: &[],
        notation: Notation {
            is_always_parsed: true,
            ..Notation::PLAIN
        },
        node_types: tree_sitter_mlir::NODE_TYPES,
        grammar: tree_sitter_mlir::LANGUAGE,
    },
    #[cfg(feature = "lang-nix")]
    Language {
        name: "Nix",
        aliases: &[],
        extensions: &["nix"],
        file_names: &[],
        interpreters: &[],
        notation: Notation::PLAIN,
        node_types: tree_sitter_nix::NODE_TYPES,
        grammar: tree_sitter_nix::LANGUAGE,
    },
    #[cfg(feature = "lang-objective-c")]
    Language {
        name: "Objective-C",
        aliases: &["objc", "objectivec"],
        extensions: &["m"],
        file_names: &[],
        interpreters: &[],
        notation: Notation::PLAIN,
        node_types: tree_sitter_objc::NODE_TYPES,
        grammar: tree_sitter_objc::LANGUAGE,
    },
    #[cfg(feature = "lang-ocaml")]
    Language {
        name: "OCaml",
        aliases: &["ml"],
        extensions: &["ml"],
        file_names: &[],
        interpreters: &["ocaml", "ocamlrun"],
        notation: Notation::PLAIN,
        node_types: tree_sitter_ocaml::OCAML_NODE_TYPES,
        grammar: tree_sitter_ocaml::LANGUAGE_OCAML,
    },
    #[cfg(feature = "lang-ocaml")]
    Language {
        name: "OCaml interface",
        aliases: &["mli"],
        extensions: &["mli"],
        file_names: &[],
        interpreters: &[],
        notation: Notation::PLAIN,
        node_types: tree_sitter_ocaml::INTERFACE_NODE_TYPES,
        grammar: tree_sitter_ocaml::LANGUAGE_OCAML_INTERFACE,
    },
    #[cfg(feature = "lang-pascal")]
    Language {
        name: "Pascal",
        aliases: &["delphi"],
        extensions: &["pas", "pp", "dpr", "lpr"],
        file_names: &[],
        interpreters: &["instantfpc"],
        notation: Notation::PLAIN,
        node_types: tree_sitter_pascal::NODE_TYPES,
        grammar: tree_sitter_pascal::LANGUAGE,
    },
    #[cfg(feature = "lang-perl")]
    Language {
        name: "Perl",
        aliases: &[],
        extensions: &["pl", "pm", "t"],
        file_names: &[],
        interpreters: &["perl"],
        notation: Notation::PLAIN,
        node_types: ts_parser_perl::NODE_TYPES,
        grammar: super::perl::LANGUAGE,
    },
    #[cfg(feature = "lang-php")]
    Language {
        name: "PHP",
        aliases: &[],
        extensions: &["php", "phtml", "phpt"],
        file_names: &[],
        interpreters: &["php"],
        notation: Notation::PLAIN,
        node_types: tree_sitter_php::PHP_NODE_TYPES,
        grammar: tree_sitter_php::LANGUAGE_PHP,
    },
    #[cfg(feature = "lang-powershell")]
    Language {
        name: "PowerShell",
        aliases: &["ps1", "pwsh"],
        extensions: &["ps1", "psm1", "psd1"],
        file_names: &[],
        interpreters: &["pwsh"],
        notation: Notation::PLAIN,
        node_types: tree_sitter_powershell::NODE_TYPES,
        grammar: tree_sitter_powershell::LANGUAGE,
    },
    #[cfg(feature = "lang-prolog")]
    Language {
        name: "Prolog",
        aliases: &[],
        extensions: &["pro", "prolog"],
        file_names: &[],
        interpreters: &["swipl", "gprolog"],
        notation: Notation::PLAIN,
        node_types: tree_sitter_prolog::NODE_TYPES,
        grammar: tree_sitter_prolog::LANGUAGE,
    },
    #[cfg(feature = "lang-protobuf")]
    Language {
        name: "Protobuf",
        aliases: &["proto"],
        extensions: &["proto"],
        file_names: &[],
        interpreters: &[],
        notation: Notation::PLAIN,
        node_types: tree_sitter_proto::NODE_TYPES,
        grammar: tree_sitter_proto::LANGUAGE,
    },
    #[cfg(feature = "lang-python")]
    Language {
        name: "Python",
        aliases: &["py"],
        extensions: &["py", "pyi", "pyw"],
        file_names: &["SConstruct", "SConscript"],
        interpreters: &["python", "pypy"],
        notation: Notation::PLAIN,
        node_types: tree_sitter_python::NODE_TYPES,
        grammar: tree_sitter_python::LANGUAGE,
    },
    #[cfg(feature = "lang-r")]
    Language {
        name: "R",
        aliases: &[],
        extensions: &["R", "r"],
        file_names: &[".Rprofile"],
        interpreters: &["Rscript"],
        notation: Notation::PLAIN,
        node_types: tree_sitter_r::NODE_TYPES,
        grammar: tree_sitter_r::LANGUAGE,
    },
    #[cfg(feature = "lang-racket")]
    Language {
        name: "Racket",
        aliases: &["rkt"],
        extensions: &["rkt", "rktd"],
        file_names: &[],
        interpreters: &["racket"],
        notation: Notation::PLAIN,
        node_types: tree_sitter_racket::NODE_TYPES,
        grammar: tree_sitter_racket::LANGUAGE,
    },
    #[cfg(feature = "lang-regex")]
    Language {
        name: "Regex",
        aliases: &["regexp"],
        extensions: &["regex"],
        file_names: &[],
        interpreters: &[],
        notation: Notation::PLAIN,
        node_types: tree_sitter_regex::NODE_TYPES,
        grammar: tree_sitter_regex::LANGUAGE,
    },
    #[cfg(feature = "lang-ruby")]
    Language {
        name: "Ruby",
        aliases: &["rb"],
        extensions: &["rb", "rake", "gemspec", "ru"],
        file_names: &["Rakefile", "Gemfile"],
        interpreters: &["ruby", "jruby"],
        notation: Notation::PLAIN,
        node_types: tree_sitter_ruby::NODE_TYPES,
        grammar: tree_sitter_ruby::LANGUAGE,
    },
    #[cfg(feature = "lang-rust")]
    Language {
        name: "Rust",
        aliases: &["rs"],
        extensions: &["rs"],
        file_names: &[],
        interpreters: &[],
        notation: Notation::PLAIN,
        node_types: tree_sitter_rust::NODE_TYPES,
        grammar: tree_sitter_rust::LANGUAGE,
    },
    #[cfg(feature = "lang-scheme")]
    Language {
        name: "S-expressions",
        aliases: &["sexp", "wat"],
        extensions: &["sexp", "wat", "wast", "pddl"],
        file_names: &[],
        interpreters: &[],
        notation: Notation::PLAIN,
        node_types: tree_sitter_scheme::NODE_TYPES,
        grammar: tree_sitter_scheme::LANGUAGE,
    },
    #[cfg(feature = "lang-scala")]
    Language {
        name: "Scala",
        aliases: &[],
        extensions: &["scala", "sc", "sbt"],
        file_names: &[],
        interpreters: &["scala"],
        notation: Notation::PLAIN,
        node_types: tree_sitter_scala::NODE_TYPES,
        grammar: tree_sitter_scala::LANGUAGE,
    },
    #[cfg(feature = "lang-scheme")]
    Language {
        name: "Scheme",
        aliases: &["scm"],
        extensions: &["scm", "ss", "sld", "sls", "sps"],
        file_names: &[],
        interpreters: &["guile", "chibi", "csi"],
        notation: Notation::PLAIN,
        node_types: tree_sitter_scheme::NODE_TYPES,
        grammar: tree_sitter_scheme::LANGUAGE,
    },
    #[cfg(feature = "lang-scheme")]
    Language {
        name: "SMT-LIB",
        aliases: &["smtlib"],
        extensions: &["smt2", "smt"],
        file_names: &[],
        interpreters: &[],
        notation: Notation {
            text_order: TextOrder::Terms,
            ..Notation::PLAIN
        },
        node_types: tree_sitter_scheme::NODE_TYPES,
        grammar: tree_sitter_scheme::LANGUAGE,
    },
    #[cfg(feature = "lang-solidity")]
    Language {
        name: "Solidity",
        aliases: &["sol"],
        extensions: &["sol"],
        file_names: &[],
        interpreters: &[],
        notation: Notation::PLAIN,
        node_types: tree_sitter_solidity::NODE_TYPES,
        grammar: tree_sitter_solidity::LANGUAGE,
    },
    #[cfg(feature = "lang-souffle")]
    Language {
        name: "Souffle",
        aliases: &["datalog"],
        extensions: &["dl"],
        file_names: &[],
        interpreters: &[],
        notation: Notation::PLAIN,
        node_types: tree_sitter_souffle::NODE_TYPES,
        grammar: tree_sitter_souffle::LANGUAGE,
    },
    #[cfg(feature = "lang-sql")]
    Language {
        name: "SQL",
        aliases: &[],
        extensions: &["sql"],
        file_names: &[],
        interpreters: &[],
        notation: Notation::PLAIN,
        node_types: tree_sitter_sequel::NODE_TYPES,
        grammar: tree_sitter_sequel::LANGUAGE,
    },
    #[cfg(feature = "lang-starlark")]
    Language {
        name: "Starlark",
        aliases: &["bazel"],
        extensions: &["bzl", "star", "bazel"],
        file_names: &["BUILD", "WORKSPACE"],
        interpreters: &[],
        notation: Notation::PLAIN,
        node_types: tree_sitter_starlark::NODE_TYPES,
        grammar: tree_sitter_starlark::LANGUAGE,
    },
    #[cfg(feature = "lang-swift")]
    Language {
        name: "Swift",
        aliases: &[],
        extensions: &["swift"],
        file_names: &[],
        interpreters: &["swift"],
        notation: Notation::PLAIN,
        node_types: tree_sitter_swift::NODE_TYPES,
        grammar: tree_sitter_swift::LANGUAGE,
    },
    #[cfg(feature = "lang-toml")]
    Language {
        name: "TOML",
        aliases: &[],
        extensions: &["toml"],
        file_names: &["Cargo.lock", "poetry.lock", "uv.lock"],
        interpreters: &[],
        notation: Notation::PLAIN,
        node_types: tree_sitter_toml_ng::NODE_TYPES,
        grammar: tree_sitter_toml_ng::LANGUAGE,
    },
    #[cfg(feature = "lang-typescript")]
    Language {
        name: "TSX",
        aliases: &[],
        extensions: &["tsx"],
        file_names: &[],
        interpreters: &[],
        notation: Notation::PLAIN,
        node_types: tree_sitter_typescript::TSX_NODE_TYPES,
        grammar: tree_sitter_typescript::LANGUAGE_TSX,
    },
    #[cfg(feature = "lang-typescript")]
    Language {
        name: "TypeScript",
        aliases: &["ts"],
        extensions: &["ts", "mts", "cts"],
        file_names: &[],
        interpreters: &["deno", "ts-node", "tsx", "bun"],
        notation: Notation::PLAIN,
        node_types: tree_sitter_typescript::TYPESCRIPT_NODE_TYPES,
        grammar: tree_sitter_typescript::LANGUAGE_TYPESCRIPT,
    },
    #[cfg(feature = "lang-verilog")]
    Language {
        name: "Verilog",
        aliases: &["systemverilog"],
        extensions: &["v", "vh", "sv", "svh"],
        file_names: &[],
        interpreters: &[],
        notation: Notation {
            is_always_parsed: true,
            ..Notation::PLAIN
        },
        node_types: tree_sitter_verilog::NODE_TYPES,
        grammar: tree_sitter_verilog::LANGUAGE,
    },
    #[cfg(feature = "lang-vhdl")]
    Language {
        name: "VHDL",
        aliases: &[],
        extensions: &["vhd", "vhdl"],
        file_names: &[],
        interpreters: &[],
        notation: Notation::PLAIN,
        node_types: tree_sitter_vhdl::NODE_TYPES,
        grammar: tree_sitter_vhdl::LANGUAGE,
    },
    #[cfg(feature = "lang-wgsl")]
    Language {
        name: "WGSL",
        aliases: &[],
        extensions: &["wgsl"],
        file_names: &[],
        interpreters: &[],
        notation: Notation::PLAIN,
        node_types: tree_sitter_wgsl_bevy::NODE_TYPES,
        grammar: tree_sitter_wgsl_bevy::LANGUAGE,
    },
    #[cfg(feature = "lang-xml")]
    Language {
        name: "XML",
        aliases: &[],
        extensions: &["xml", "xsd", "xsl", "xslt", "svg", "rng", "wsdl", "xhtml"],
        file_names: &[],
        interpreters: &[],
        notation: Notation::PLAIN,
        node_types: tree_sitter_xml::XML_NODE_TYPES,
        grammar: tree_sitter_xml::LANGUAGE_XML,
    },
    #[cfg(feature = "lang-yaml")]
    Language {
        name: "YAML",
        aliases: &["yml"],
        extensions: &["yaml", "yml"],
        file_names: &[".clang-format", ".clang-tidy"],
        interpreters: &[],
        notation: Notation::PLAIN,
        node_types: tree_sitter_yaml::NODE_TYPES,
        grammar: tree_sitter_yaml::LANGUAGE,
    },
    #[cfg(feature = "lang-zig")]
    Language {
        name: "Zig",
        aliases: &[],
        extensions: &["zig", "zon"],
        file_names: &[],
        interpreters: &[],
        notation: Notation::PLAIN,
        node_types: tree_sitter_zig::NODE_TYPES,
        grammar: tree_sitter_zig::LANGUAGE,
    },
];
