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
                  (assert (= (tl (cons 1 nil)) (cons 2 nil)))\
                  (check-sat) (assert (bvult ((_ extract 5 2) (bvadd x #x01)) #xa))";
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
fn a_term_of_which_the_value_is_asked_becomes_a_value() {
    let script = "(define-fun f ((a Int)) Bool true)(check-sat)(get-value ((f 1)))";
    let all = changed(script, SortedChangeKind::Term);
    assert!(all.contains(&script.replace("(f 1)", "true")), "{all:?}");
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
    assert_eq!(all[0], " (assert (= #b000000 #b000000))");
    let script = "(declare-datatypes ((A 0) (B 0)) (((a)) ((b))))";
    let all = changed(script, SortedChangeKind::Pair);
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

#[test]
fn levels_are_closed_as_often_as_opened() {
    let right = "(push)(declare-const a Int)(push 1)(assert (< a 1))(pop)(pop 1)\
                 (declare-const a Bool)(assert a)(check-sat)";
    let form = ScriptForm::read(right.as_bytes());
    assert!(!form.is_wrong && form.undeclared.is_empty(), "{form:?}");
    let lost = right.replace("(declare-const a Bool)", "");
    let form = ScriptForm::read(lost.as_bytes());
    assert_eq!(
        form.undeclared.len(),
        1,
        "a level ends with its declarations"
    );
    let unopened = right.replace("(push)", "");
    let form = ScriptForm::read(unopened.as_bytes());
    assert!(form.undeclared.contains(&b"pop"[..]), "{form:?}");
    let global = format!("(set-option :global-declarations true){lost}").replace("< a 1", "not a");
    let global = global.replace("a Int", "a Bool");
    let form = ScriptForm::read(global.as_bytes());
    assert!(!form.is_wrong && form.undeclared.is_empty(), "{form:?}");
}

#[test]
fn the_commands_of_a_level_go_together() {
    let script = "(push)(push 1)(check-sat)(pop 1)(pop)";
    let all = changed(script, SortedChangeKind::Pair);
    assert_eq!(
        all,
        ["(push)(check-sat)(pop)", "(push 1)(check-sat)(pop 1)"]
    );
}

#[test]
fn a_function_becomes_its_body() {
    let script = "(define-fun f ((x Int) (y Int)) Bool (< x (+ x y)))(assert (f 1 (g 2)))";
    let all = changed(script, SortedChangeKind::Inlined);
    assert_eq!(all, ["(assert (< 1 (+ 1 (g 2))))"]);
}

#[test]
fn bound_names_become_their_values() {
    let script = "(assert (let ((a (f x)) (b 1)) (let ((c (g a b b)) (d 2)) (h c b))))\
                  (assert (let ((a (f x y z))) (= a a a)))";
    let all = changed(script, SortedChangeKind::Inlined);
    assert_eq!(
        all,
        ["(assert (h (g (f x) 1 1) 1))(assert (let ((a (f x y z))) (= a a a)))"]
    );
    let used_twice = "(assert (let ((a (f x y))) (= a a)))";
    let all = changed(used_twice, SortedChangeKind::Inlined);
    assert_eq!(all, ["(assert (= (f x y) (f x y)))"]);
}

#[test]
fn values_of_what_a_let_is_about_are_asked_once() {
    let script = "(declare-fun f (Int) Int)(assert (= (let ((a 1)) (f a)) 2))";
    let all = changed(script, SortedChangeKind::Term);
    let value = script.replace("(let ((a 1)) (f a))", "0");
    assert!(all.contains(&value), "{all:?}");
    assert!(!all.contains(&script.replace("(f a)", "0")), "{all:?}");
}

#[test]
fn a_literal_takes_the_place_of_a_constant_and_of_a_longer_one() {
    let script = "(declare-const a (_ BitVec 8))(declare-const b (_ BitVec 8))\
                  (assert (bvult (bvmul a b) (_ bv5 8)))";
    let all = changed(script, SortedChangeKind::Term);
    assert!(
        all.contains(&script.replace("(_ bv5 8)", "#x05")),
        "{all:?}"
    );
    let all = changed(script, SortedChangeKind::Constant);
    assert!(!all.contains(&script.replace("a b)", "a #x00)")), "{all:?}");
    let shift = script.replace("bvmul", "bvlshr");
    let all = changed(&shift, SortedChangeKind::Constant);
    for (from, to) in [("a b)", "#x01 b)"), ("a b)", "a #x01)")] {
        assert!(all.contains(&shift.replace(from, to)), "{all:?}");
    }
}

#[test]
fn two_constants_become_one_while_an_assertion_goes() {
    let script = "(declare-const a Int)(declare-const b Int)(assert (p a b))(assert (q b))";
    let all = changed(script, SortedChangeKind::Merged);
    for left in ["(assert (q a))", "(assert (p a a))"] {
        let after = format!("(declare-const a Int){left}");
        assert!(all.contains(&after), "{all:?}");
    }
}

#[test]
fn two_bit_vectors_of_different_widths_become_one() {
    let script = "(declare-const a (_ BitVec 4))(declare-const b (_ BitVec 8))(assert (= b #x05))\
        (assert (= a #x1))";
    let all = changed(script, SortedChangeKind::Symbol);
    let after = "(declare-const a (_ BitVec 4))(assert (= a #x5))(assert (= a #x1))";
    assert!(all.contains(&after.to_owned()), "{all:?}");
}

#[test]
fn a_relation_becomes_an_equation_for_a_term_in_it() {
    let script =
        "(declare-const a String)(assert (= 0 (str.indexof a (str.replace \"\" a \"\") 0)))";
    let all = changed(script, SortedChangeKind::Equation);
    let after = "(declare-const a String)(assert (= a (str.replace \"\" a \"\")))";
    assert_eq!(all, [after]);
}

#[test]
fn an_assertion_is_deleted() {
    let script = "(assert (p 1))(define-fun-rec f () Int 1)";
    let all = changed(script, SortedChangeKind::Dropped);
    assert_eq!(all, ["(define-fun-rec f () Int 1)", "(assert (p 1))"]);
}

#[test]
fn each_of_a_few_assertions_is_tried_alone() {
    let script = "(assert (p 1))(assert (p 2))(assert (p 3))";
    let all = changed(script, SortedChangeKind::Pair);
    assert_eq!(all, ["(assert (p 1))", "(assert (p 2))", "(assert (p 3))"]);
}

#[test]
fn recursive_functions_are_declared_for_each_other() {
    let right = "(define-fun-rec f ((n Int)) Int (ite (< n 0) 0 (f (- n 1))))\
                 (define-funs-rec ((e ((n Int)) Bool) (o ((n Int)) Bool))\
                 ((o (- n 1)) (not (e n))))(assert (and (e 1) (o (f 2))))";
    let is_right = |text: &str| {
        let form = ScriptForm::read(text.as_bytes());
        !form.is_wrong && form.undeclared.is_empty() && !form.heads.contains(&(&b"f"[..], 1))
    };
    assert!(is_right(right));
    for (from, to) in [
        (
            "(define-fun-rec f ((n Int)) Int (ite (< n 0) 0 (f (- n 1))))",
            "",
        ),
        ("(e 1)", "(e true)"),
        ("(not (e n))", ""),
        (" Int (ite", " Bool (ite"),
    ] {
        assert!(
            right.contains(from) && !is_right(&right.replacen(from, to, 1)),
            "{from}"
        );
    }
}

#[test]
fn attributes_are_keywords_with_their_values() {
    let right = "(set-option :a true)(declare-fun f (Int) Int)\
                 (assert (! (forall ((k Int)) (! (< (f k) k) :pattern ((f k)))) :named n))(assert n)";
    let form = ScriptForm::read(right.as_bytes());
    assert!(!form.is_wrong && form.undeclared.is_empty(), "{form:?}");
    for (from, to) in [
        (":named n", ":named"),
        (":named n", "n"),
        (":named n", ""),
        (":pattern ((f k))", ":pattern"),
        ("(f k))))", "(f k k))))"),
        (":a true", "true"),
    ] {
        let text = right.replacen(from, to, 1);
        assert!(
            text != right && ScriptForm::read(text.as_bytes()).is_wrong,
            "{text}"
        );
    }
}

#[test]
fn floating_point_operations_have_sorts() {
    let right = "(declare-const x Float16)(declare-const r RoundingMode)\
                 (assert (fp.leq (fp.add r x (fp #b0 #b00000 #b0000000000)) (_ +oo 5 11)))\
                 (assert (= ((_ fp.to_sbv 4) RNE x) #x0))\
                 (assert (fp.isNaN ((_ to_fp 5 11) RNE 1.5)))";
    let form = ScriptForm::read(right.as_bytes());
    assert!(!form.is_wrong && form.undeclared.is_empty(), "{form:?}");
    for (from, to) in [
        ("fp.add r x", "fp.add x"),
        ("#b00000 ", "#b000 "),
        ("(_ +oo 5 11)", "(_ +oo 8 24)"),
        ("#x0", "#x00"),
        ("fp.isNaN", "not"),
    ] {
        let text = right.replacen(from, to, 1);
        assert!(
            text != right && ScriptForm::read(text.as_bytes()).is_wrong,
            "{text}"
        );
    }
    let all = changed(right, SortedChangeKind::Term);
    assert!(all.contains(&right.replace("((_ to_fp 5 11) RNE 1.5)", "(_ +zero 5 11)")));
}

#[test]
fn a_term_of_a_short_script_becomes_one_or_a_constant() {
    let script = "(declare-const x (_ BitVec 8)) (declare-const n Int)\
                  (assert (= (bvnot x) (bvadd x x))) (assert (< (+ n n) 3))";
    let all = changed(script, SortedChangeKind::OtherTerm);
    for (old, new) in [
        ("(bvnot x)", "#x01"),
        ("(bvadd x x)", "x"),
        ("(+ n n)", "n"),
    ] {
        assert!(all.contains(&script.replace(old, new)), "{old} -> {new}");
    }
    let all = changed(script, SortedChangeKind::Symbol);
    let one = script
        .replace("(declare-const n Int)", "")
        .replace("n n", "1 1");
    assert!(all.contains(&one), "{all:#?}");
}

#[test]
fn names_become_letters() {
    let script = "(declare-const x1 Int)(assert (! (let ((x2 1)) (< x1 x2)) :named x3))(assert x3)";
    let all = changed(script, SortedChangeKind::Renamed);
    let unprinted = script.replace("x1", "x").replace("x2", "a");
    assert_eq!(all[0], unprinted.replace("x3", "b"));
    assert_eq!(all[1], unprinted, "a solver prints the names of terms");
    assert_eq!(all.len(), 5);
    assert!(changed(&all[0], SortedChangeKind::Renamed).is_empty());
}

#[test]
fn values_that_other_changes_imply_are_left_out() {
    let script = "(declare-const p Bool)(declare-const n Int)\
                  (assert (or p (not (< n (+ (* n n) 1)))))(assert (= n (* 2 n)))";
    let all = changed(script, SortedChangeKind::Term);
    let expected = [
        script.replace("(* n n)", "0"),
        script.replace("(+ (* n n) 1)", "0"),
        script.replace("(or p (not (< n (+ (* n n) 1))))", "false"),
        script.replace("(* 2 n)", "0"),
    ];
    // `0` in the sum is what `1` in its place is.
    let is_wanted = |text: &&String| **text != expected[0];
    assert_eq!(
        all.iter().collect::<Vec<_>>(),
        expected.iter().filter(is_wanted).collect::<Vec<_>>()
    );
    let others = changed(script, SortedChangeKind::OtherTerm);
    assert!(!others.contains(&script.replace("(* 2 n)", "n")));
}

#[test]
fn sorts_and_operations_with_numbers_are_checked() {
    let right = "(declare-const x (_ BitVec 8))(declare-const y (Array Int (_ BitVec 8)))\
                 (assert (= ((_ extract 3 0) x) (_ bv3 4)))";
    let form = ScriptForm::read(right.as_bytes());
    assert!(!form.is_wrong, "{form:?}");
    for (from, to) in [
        ("x (_ BitVec 8)", "x (_ BitVec)"),
        ("x (_ BitVec 8)", "x (_ 8)"),
        ("x (_ BitVec 8)", "x (BitVec 8)"),
        ("x (_ BitVec 8)", "x ()"),
        ("(_ bv3 4)", "(_ bv3 (4))"),
        ("(_ BitVec 8)))", "(_ BitVec 0)))"),
        ("(= ((_ extract 3 0) x)", "(((_ extract 3 0) x)"),
    ] {
        let text = right.replacen(from, to, 1);
        let other = ScriptForm::read(text.as_bytes());
        let is_known = other.heads.is_subset(&form.heads);
        assert!(text != right && (other.is_wrong || !is_known), "{text}");
    }
}

#[test]
fn cases_bind_the_fields_of_constructors() {
    let right = "(declare-datatype L ((nil) (cons (hd Int) (tl L))))\
                 (define-fun f ((l L)) Int (match l ((nil 0) ((cons a b) (+ a (hd b))))))\
                 (assert (< (f nil) (match (cons 1 nil) ((nil 1) (z (hd z))))))";
    let form = ScriptForm::read(right.as_bytes());
    assert!(!form.is_wrong && form.undeclared.is_empty(), "{form:?}");
    for (from, to) in [
        ("(cons a b) (+", "(cons a) (+"),
        ("(cons a b) (+", "(conz a b) (+"),
        ("(+ a (hd b))", "(+ a (hd a))"),
        ("(nil 0)", "(nil true)"),
        ("(nil 0)", "(nil)"),
        ("(hd z)", "(hd y)"),
    ] {
        let text = right.replacen(from, to, 1);
        let form = ScriptForm::read(text.as_bytes());
        assert!(
            text != right && (form.is_wrong || !form.undeclared.is_empty()),
            "{text}"
        );
    }
}

#[test]
fn an_assertion_goes_while_another_one_becomes_stronger() {
    let [first, second] = ["(assert (< n (* n n)))", "(assert (= n (abs n)))"];
    let script = format!("(declare-const n Int){first}{second}");
    let all = changed(&script, SortedChangeKind::OtherTerm);
    for (gone, old, new) in [
        (second, "(< n", "(< 0"),
        (first, "(= n (abs n))", "(< n (abs n))"),
        (first, "(= n (abs n))", "(< (abs n) n)"),
    ] {
        let expected = script.replace(gone, "").replace(old, new);
        assert!(all.contains(&expected), "{expected}: {all:#?}");
    }
}

#[test]
fn an_operation_on_literals_becomes_its_value() {
    let script = "(assert (= x (bvadd #x0f ((_ zero_extend 4) #b1111)) (bvnot y)))";
    let expected = script.replace("((_ zero_extend 4) #b1111)", "#x0f");
    assert_eq!(changed(script, SortedChangeKind::Folded), [expected]);
    for (operation, value) in [
        ("(bvadd #x0f #x0f)", "#x1e"),
        ("(bvnot #b101)", "#b010"),
        ("(bvneg (_ bv1 8))", "#xff"),
        ("(concat #b1 #b01)", "#b101"),
        ("((_ sign_extend 4) #xc)", "#xfc"),
        ("((_ extract 5 2) #x34)", "#xd"),
        ("(+ 2 3)", "5"),
        ("(- 7 3)", "4"),
    ] {
        let script = format!("(assert (= x {operation}))");
        let expected = script.replace(operation, value);
        assert_eq!(changed(&script, SortedChangeKind::Folded), [expected]);
    }
    for script in ["(assert (= (- 3 7) (- 1)))", "(assert (bvadd #x0 #x00))"] {
        assert!(
            changed(script, SortedChangeKind::Folded).is_empty(),
            "{script}"
        );
    }
}

#[test]
fn all_bit_vectors_of_a_width_become_narrower() {
    let script = "(declare-const a (Array (_ BitVec 4) (_ BitVec 16)))\
                  (assert (= (select a #xb) #x1234 (_ bv5 16)))\
                  (assert (= ((_ extract 15 15) (select a #x0)) #b1))";
    let all = changed(script, SortedChangeKind::Narrowed);
    let eight = script
        .replace("BitVec 16", "BitVec 8")
        .replace("#x1234", "#x34");
    let eight = eight.replace("(_ bv5 16)", "#x05").replace("15 15", "7 7");
    assert!(all.contains(&eight), "{all:?}");
    let one = script.replace("BitVec 4", "BitVec 1").replace("#xb", "#b1");
    assert!(all.contains(&one.replace("#x0)", "#b0)")), "{all:?}");
    assert_eq!(all.len(), 4 + 2);
}

#[test]
fn a_constant_takes_the_place_of_the_terms_that_it_is_used_in() {
    let script = "(declare-const a (Array Int Real)) (declare-fun s () String)\
                  (assert (< (select a 1) (select a 2) (str.len s)))";
    let all = changed(script, SortedChangeKind::Raised);
    let array = "(declare-const a Real) (declare-fun s () String)\
                 (assert (< a a (str.len s)))";
    let string = "(declare-const a (Array Int Real)) (declare-const s Int)\
                  (assert (< (select a 1) (select a 2) s))";
    assert_eq!(all, [array, string]);
    let two_sorts = "(declare-const s String) (assert (= (str.at s (str.len s)) \"\"))";
    assert!(changed(two_sorts, SortedChangeKind::Raised).is_empty());
}
