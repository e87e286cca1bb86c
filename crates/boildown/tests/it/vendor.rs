//! `boildown vendor`: an input with the sources of the packages that it needs.

use std::os::unix::fs::symlink;

use crate::env::TestEnv;

/// A file that imports a package, which imports another one, and an installation of both.
fn python() -> TestEnv {
    TestEnv::new()
        .file("in.py", "import os, one.deep\n")
        .file("site/one/__init__.py", "")
        .file("site/one/deep.py", "from . import side\n")
        .file("site/one/side.py", "import two\n")
        .file("site/one/data.txt", "data\n")
        .file("site/one/__pycache__/deep.pyc", "built\n")
        .file("site/one-1.0.dist-info/METADATA", "Version: 1.0\n")
        .file("site/two.py", "import three\n")
        .file("site/unused.py", "")
        .script(
            "python",
            "PYTHONPATH=\"${0%/*}\"/site exec python3 -S \"$@\"",
        )
}

const PYTHON: [&str; 3] = ["vendor", "--program", "./python"];

#[test]
fn packages_that_a_file_of_python_imports_are_written_beside_it() {
    let env = python();
    let run = env.run(PYTHON.into_iter().chain(["in.py"]));
    run.assert_code(0);
    assert_eq!(run.stdout, "in.vendored\n");
    run.assert_says("with 2 packages: one, two");
    for there in ["in.py", "one/side.py", "one/data.txt", "two.py"] {
        assert!(env.exists(&format!("in.vendored/{there}")), "{there}");
    }
    for absent in ["unused.py", "three.py", "os.py", "one/__pycache__"] {
        assert!(!env.exists(&format!("in.vendored/{absent}")), "{absent}");
    }
}

#[test]
fn a_folder_that_exists_is_replaced_only_by_force() {
    let env = python().file("in.vendored/mine.txt", "mine\n");
    let run = env.run(PYTHON.into_iter().chain(["in.py"]));
    run.assert_code(1).assert_says("in.vendored exists already");
    assert!(env.exists("in.vendored/mine.txt"));
    let run = env.run(PYTHON.into_iter().chain(["in.py", "--force"]));
    run.assert_code(0);
    assert!(!env.exists("in.vendored/mine.txt") && env.exists("in.vendored/two.py"));
}

#[test]
fn a_folder_with_another_name_is_never_replaced() {
    let env = python().file("work/mine.txt", "mine\n");
    let run = env.run(PYTHON.into_iter().chain(["in.py", "-o", "work", "--force"]));
    run.assert_code(1).assert_says("work exists already");
    assert!(env.exists("work/mine.txt"));
}

#[test]
fn nothing_is_written_outside_of_the_folder() {
    let manifest = |name: &str| format!("{{ \"dependencies\": {{ \"{name}\": \"*\" }} }}\n");
    for name in ["../../outside", "@x/..", "/tmp"] {
        let env = TestEnv::new()
            .file("app/package.json", manifest(name))
            .file("app/index.js", "")
            .file("outside/mine.txt", "mine\n");
        env.run(["vendor", "app"])
            .assert_code(1)
            .assert_says("is not installed");
        assert_eq!(env.read("outside/mine.txt"), "mine\n");
    }
    let env = python().file("in.vendored/in.py", "import two\n");
    for (input, output) in [
        ("site", "site/out"),
        ("site/one", "site"),
        ("in.vendored", "in.vendored"),
    ] {
        let run = env.run(PYTHON.into_iter().chain([input, "-o", output, "--force"]));
        run.assert_code(1)
            .assert_says("is the input, in it or around it");
    }
    assert!(env.exists("site/one/deep.py") && env.exists("in.vendored/in.py"));
}

#[test]
fn what_git_ignores_and_what_was_built_stays_behind() {
    let env = python()
        .file("app/main.py", "import one.deep\n")
        .file("app/.gitignore", ".env\n")
        .file("app/.env", "secret\n")
        .file("app/src/target/kept.py", "")
        .file("app/out/CACHEDIR.TAG", "")
        .file("app/out/built.py", "");
    env.run(PYTHON.into_iter().chain(["app"])).assert_code(0);
    assert!(env.exists("app.vendored/src/target/kept.py"));
    assert!(!env.exists("app.vendored/.env") && !env.exists("app.vendored/out"));
}

#[test]
fn a_link_to_a_folder_around_it_is_left_out() {
    let env = python();
    symlink("..", env.path("site/one/around")).unwrap();
    let run = env.run(PYTHON.into_iter().chain(["in.py"]));
    run.assert_code(0);
    assert!(env.exists("in.vendored/one/around/two.py"));
    assert!(!env.exists("in.vendored/one/around/one"));
}

#[test]
fn what_has_no_packages_is_an_error_that_says_why() {
    let env = python()
        .file("alone.py", "import os\n")
        .file("a.txt", "text\n");
    let run = env.run(["vendor", "alone.py"]);
    run.assert_code(1)
        .assert_says("alone.py needs no packages that are installed");
    let run = env.run(["vendor", "a.txt"]);
    run.assert_code(1)
        .assert_says("the packages of a.txt are not known");
    let run = env.run(["vendor", "absent.py"]);
    run.assert_code(1).assert_says("failed to read absent.py");
    let run = env.run(["vendor", "in.py", "--program", "./absent"]);
    run.assert_code(5).assert_says("failed to start `./absent`");
    let run = env.run(["vendor", "in.py", "--program", "false"]);
    run.assert_code(5)
        .assert_says("failed to find the packages with `false`");
    assert!(!env.exists("in.vendored") && !env.exists("in.vendored.unfinished"));
}

/// A package of npm that needs another one, which has a version of its own of a third.
fn npm() -> TestEnv {
    let needs = |name: &str| format!("{{ \"dependencies\": {{ \"{name}\": \"*\" }} }}\n");
    TestEnv::new()
        .file("app/package.json", needs("one"))
        .file("app/index.js", "require('one')\n")
        .file("app/node_modules/one/package.json", needs("@a/two"))
        .file("app/node_modules/one/node_modules/@a/two/index.js", "")
        .file("app/node_modules/@a/two/other.js", "")
        .file("app/node_modules/unused/index.js", "")
}

#[test]
fn packages_that_a_manifest_of_npm_names_are_written_where_they_are_installed() {
    let env = npm();
    env.run(["vendor", "app/", "-o", "out"]).assert_code(0);
    assert!(env.exists("out/index.js"));
    assert!(env.exists("out/node_modules/one/node_modules/@a/two/index.js"));
    assert!(!env.exists("out/node_modules/@a") && !env.exists("out/node_modules/unused"));
    let env = npm().file("app/one.js", "import b from '@a/two/other.js'\nx = 'one'\n");
    env.run(["vendor", "app/one.js"]).assert_code(0);
    assert!(env.exists("app/one.vendored/node_modules/@a/two/other.js"));
    assert!(env.exists("app/one.vendored/node_modules/one/package.json"));
}

#[test]
fn a_package_of_npm_that_is_not_installed_is_named() {
    let env = npm().file(
        "app/package.json",
        "{ \"dependencies\": { \"absent\": \"*\" } }\n",
    );
    let run = env.run(["vendor", "app"]);
    run.assert_code(1)
        .assert_says("the package `absent` is not installed");
    run.assert_says("npm install");
}

#[test]
fn packages_of_rust_are_named_by_paths() {
    let package = |name: &str, more: &str| {
        format!("[package]\nname = \"{name}\"\nversion = \"1.0.0\"\nedition = \"2021\"\n{more}")
    };
    let one = "[features]\non = [\"dep:a-two\"]\noff = []\n[dependencies]\n\
               a-two = { path = \"../a-two\", optional = true }\n[dev-dependencies]\n\
               three = { path = \"../three\" }\n";
    let app = "[profile.dev]\ndebug = false\n[dependencies]\n\
               renamed = { path = \"../one\", package = \"one\", features = [\"on\"] }\n";
    let env = TestEnv::new()
        .file("app/Cargo.toml", package("app", app))
        .file("app/src/main.rs", "fn main() { renamed::f() }\n")
        .file("app/target/CACHEDIR.TAG", "")
        .file("app/target/built", "")
        .file("one/Cargo.toml", package("one", one))
        .file("one/src/lib.rs", "pub fn f() { a_two::g() }\n")
        .file("one/benches/b.rs", "")
        .file("a-two/Cargo.toml", package("a-two", ""))
        .file("a-two/src/lib.rs", "pub fn g() {}\n")
        .file("three/Cargo.toml", package("three", ""))
        .file("three/src/lib.rs", "");
    let cargo = env!("CARGO");
    let run = env.run(["vendor", "--program", cargo, "app"]);
    run.assert_code(0).assert_says("with 2 packages: ");
    let manifest = env.read("app.vendored/Cargo.toml");
    assert!(manifest.contains("path = \"vendor/one\""), "{manifest}");
    assert!(manifest.contains("debug = false"), "{manifest}");
    let manifest = env.read("app.vendored/vendor/one/Cargo.toml");
    assert!(
        manifest.contains("path = \"../../vendor/a-two\""),
        "{manifest}"
    );
    assert!(
        !manifest.contains("three") && !manifest.contains("off"),
        "{manifest}"
    );
    assert!(!env.exists("app.vendored/target"));
    let run = env.run(["vendor", "--program", cargo, "app", "-o", "again"]);
    run.assert_code(0);
    let broken = env.file("app/Cargo.toml", "[package]\n");
    let run = broken.run(["vendor", "--program", cargo, "app", "-o", "broken"]);
    run.assert_code(5)
        .assert_says("failed to find the packages with");
}
