//! The list of licences.

use crate::env::TestEnv;

#[test]
fn every_package_is_listed_with_its_version_and_licence() {
    let env = TestEnv::new();
    let listed = env.run(["licences"]).assert_code(0).stdout.clone();
    assert!(listed.contains("MIT or Apache-2.0"), "{listed}");
    let packages = listed.lines().skip_while(|line| !line.is_empty());
    let packages: Vec<&str> = packages.skip(1).collect();
    assert!(
        packages
            .iter()
            .any(|line| line.starts_with("tree-sitter-python "))
    );
    for package in packages {
        let words: Vec<&str> = package.split_whitespace().collect();
        let version = words.get(1).unwrap_or(&"");
        assert!(words.len() >= 3, "{package}");
        assert!(
            version.starts_with(|first: char| first.is_ascii_digit()),
            "{package}"
        );
    }
}
