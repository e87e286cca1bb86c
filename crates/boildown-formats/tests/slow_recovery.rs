//! Parsers that count their work: allocations, and what their scanners read. A test program of its
//! own: the allocator is set before anything is parsed, by the only thread that parses.

#[test]
#[expect(unsafe_code, reason = "the allocator of the parsers is set")]
fn recovery_that_takes_seconds_is_given_up_and_other_texts_are_parsed() {
    // SAFETY: this is the only test of the program.
    unsafe { boildown_document::count_parser_allocations() };
    let errors = |language: &str, text: &str| {
        let language = boildown_document::Language::named(language).expect("the grammar is built");
        language.errors(text.as_bytes())
    };
    let slow = "-->".repeat(2000);
    assert_eq!(errors("Python", &format!("class A(B): {slow}")), usize::MAX);
    assert_eq!(errors("Rust", &format!("use{slow}")), usize::MAX);

    let lines = |line: &str| line.repeat(20_000);
    assert_eq!(errors("Python", &lines("a = b(c, d)\n")), 0);
    let broken = errors("Python", &lines("a = b(c, d))\n"));
    assert!((1..usize::MAX).contains(&broken), "{broken} errors");
    let broken = errors("Rust", &lines("fn f() { a b }\n"));
    assert!((1..usize::MAX).contains(&broken), "{broken} errors");

    // Scanners that read to the end of the text at many places, or that keep all open tags.
    for (language, text) in [
        ("Bash", "\0"),
        ("HTML", "<!--"),
        ("HTML", "<a>"),
        ("XML", "<a>"),
    ] {
        if boildown_document::Language::named(language).is_some() {
            assert_eq!(
                errors(language, &text.repeat(30_000)),
                usize::MAX,
                "{language}"
            );
        }
    }
    for (language, text) in [
        ("Bash", "a <<E\nb\nE\n"),
        ("HTML", "<p><!-- a -->"),
        ("XML", "<?a?>"),
    ] {
        if boildown_document::Language::named(language).is_some() {
            assert_ne!(
                errors(language, &text.repeat(30_000)),
                usize::MAX,
                "{language}"
            );
        }
    }
}
