//! The gate before scripts of SMT-LIB.

use std::sync::Arc;

use boildown_search::Verdict;

use super::SmtLib;
use crate::testing::{admits, gate};

#[test]
fn a_miss_is_not_asked_about_again_with_other_spaces() {
    let best: Arc<[u8]> = b"(assert (= a  b)) ; c".as_slice().into();
    let mut gate = gate(&SmtLib, &best);
    assert!(gate.admits(b"(assert (= a b))", &best));
    gate.tell(b"(assert (= a b))", Verdict::Uninteresting);
    assert!(!gate.admits(b"(assert (= a b) )", &best));
    let narrow = b"(assert (= a b)) ; c";
    gate.tell(narrow, Verdict::Uninteresting);
    assert!(gate.admits(narrow, &best), "only spaces differ");
}

#[test]
fn terms_of_a_script_keep_their_sorts() {
    let script = "(declare-const a Int) (assert (and (< a 1) true))";
    let smt = |from, to| admits((&SmtLib, ";"), script, (from, to));
    assert!(!smt("(declare-const a Int) ", ""));
    assert!(!smt("(< a 1)", "a"));
    assert!(!smt("a 1", "a"));
    assert!(smt("(and (< a 1) true)", "(< a 1)"));
}
