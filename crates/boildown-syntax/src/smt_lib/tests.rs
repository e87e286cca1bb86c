//! Facts about the sorts of scripts, and changes by them.

use super::{ScriptForm, SortedChangeKind, changes_by_sort};

/// Returns the scripts that changes of a kind make.
fn changed(script: &str, kind: SortedChangeKind) -> Vec<String> {
    let changes = changes_by_sort(script.as_bytes());
    let changes = changes.into_iter().filter(|change| change.kind == kind);
    let apply = changes.map(|change| {
        let mut edits = change.edits;
        edits.sort_by_key(|(range, _)| std::cmp::Reverse(range.start));
        let mut text = script.as_bytes().to_vec();
        for (range, new) in edits {
            text.splice(range, new);
        }
        String::from_utf8(text).expect("only ASCII")
    });
    apply.collect()
}

#[test]
fn a_term_becomes_a_value_of_its_sort() {
    let script = "(define-sort Byte () (_ BitVec 8)) (declare-const x Byte)\
                  (declare-datatypes ((L 0)) (((nil) (cons (hd Int) (tl L)))))\
                  (assert (= (tl (cons 1 nil)) nil))\
                  (assert (bvult ((_ extract 5 2) (bvadd x #x01)) #xa))";
    let all = changed(script, SortedChangeKind::Term);
    for (old, new) in [
        ("(bvadd x #x01)", "#x00"),
        ("((_ extract 5 2) (bvadd x #x01))", "#x0"),
        ("(tl (cons 1 nil))", "nil"),
        ("(bvult ((_ extract 5 2) (bvadd x #x01)) #xa)", "false"),
    ] {
        assert!(all.contains(&script.replace(old, new)), "{old} -> {new}");
    }
    for text in &all {
        let form = ScriptForm::read(text.as_bytes());
        assert!(!form.is_wrong && form.undeclared.is_empty(), "{text}");
    }
}

#[test]
fn a_parameter_goes_with_its_arguments() {
    let script = "(declare-fun f (Int Bool) Int) (declare-fun g (Int) Int)\
                  (assert (= (f 1 true) (g 2)))";
    let all = changed(script, SortedChangeKind::Parameter);
    let first = script
        .replace("Int Bool", " Bool")
        .replace("f 1 true", "f  true");
    assert!(all.contains(&first), "{all:?}");
    let only = script.replace("(g 2)", "g").replace("g (Int)", "g ()");
    assert!(all.contains(&only), "{all:?}");
}

#[test]
fn a_function_becomes_a_value_and_a_datatype_goes_with_its_constructors() {
    let script = "(declare-fun f (Int) (_ BitVec 6)) (assert (= (f 1) (f 2)))";
    let all = changed(script, SortedChangeKind::Symbol);
    assert_eq!(all, [" (assert (= #b000000 #b000000))"]);
    let script = "(declare-datatypes ((A 0) (B 0)) (((a)) ((b))))";
    let all = changed(script, SortedChangeKind::Datatype);
    assert_eq!(all[1], "(declare-datatypes ((A 0) ) (((a)) ))");
}

#[test]
fn names_of_sorts_constructors_and_quoted_symbols_are_known() {
    let right = "(declare-sort U 0) (define-sort W () String) (declare-const |a b| W)\r\n\
                 (declare-datatypes ((T 0)) (((leaf) (node (left T) (key U))))) ; (\r\n\
                 (declare-const t T) (assert (and ((_ is leaf) (left t)) (= |a b| \"x\"\"(\")))";
    let form = ScriptForm::read(right.as_bytes());
    assert!(!form.is_wrong && form.undeclared.is_empty(), "{form:?}");
    for (from, to) in [
        ("(declare-sort U 0) ", ""),
        ("(leaf) ", ""),
        ("(left T) ", ""),
    ] {
        let text = right.replacen(from, to, 1);
        let other = ScriptForm::read(text.as_bytes());
        let is_known = other.heads == form.heads && other.undeclared.is_empty();
        assert!(other.is_wrong || !is_known, "{text}");
    }
    let wrong = right.replace("(left t)", "t t");
    assert!(ScriptForm::read(wrong.as_bytes()).is_wrong);
}
