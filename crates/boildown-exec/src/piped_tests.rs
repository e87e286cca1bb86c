//! Tests of algorithms in programs of their own.

use boildown_search::list::ListAlgorithm as _;
use boildown_search::run;

use super::*;

/// The example of the documentation.
fn example() -> String {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../examples/own_algorithm.py"
    );
    format!("python3 {path}")
}

#[test]
fn the_page_about_algorithms_shows_the_example() {
    let page = include_str!("../../../docs/algorithms.md");
    let example = include_str!("../../../examples/own_algorithm.py");
    assert!(page.contains(example));
    assert!(example.lines().count() <= 40);
}

fn needs(elements: &[usize]) -> impl Fn(&Subset) -> Verdict {
    |kept| match elements.iter().all(|&element| kept.contains(element)) {
        true => Verdict::Interesting,
        false => Verdict::Uninteresting,
    }
}

#[test]
fn a_program_finds_the_elements_that_are_needed() {
    let piped = PipedAlgorithm::new(&example());
    let algorithm = piped.algorithm();
    assert_eq!(algorithm.to_string(), piped.to_string());
    for needed in [&[3, 4][..], &[0], &[9], &[0, 5, 9]] {
        let search = run(algorithm.on(List::uniform(10)), needs(needed));
        assert!(search.best().iter().eq(needed.iter().copied()));
    }
    assert_eq!(piped.0.processes().idle.len(), 1, "one process for all");
    assert!(piped.failure().is_none());
}

#[test]
fn a_seed_in_the_line_makes_another_program_that_ends_with_the_first() {
    let line = "read list; echo '{\"ask\": [{seed}]}'; read verdict; echo '{\"result\": []}'";
    let piped = PipedAlgorithm::new(line);
    let algorithm = piped.algorithm();
    let other = algorithm.reseeded(4).unwrap();
    let asked = |algorithm: &Algorithm| algorithm.on(List::uniform(9)).ask().unwrap().candidate;
    assert!(asked(&algorithm).iter().eq([0]));
    assert!(asked(&other).iter().eq([4]));
    assert_eq!(
        other.to_string(),
        algorithm.to_string().replace("{seed}", "4")
    );
    // Its result was never asked about.
    run(other.on(List::uniform(9)), needs(&[0]));
    assert!(piped.failure().is_some());
    let unseeded = PipedAlgorithm::new(&example()).algorithm();
    assert!(unseeded.reseeded(1).is_none());
}

#[test]
fn the_elements_that_are_left_are_counted_anew() {
    let piped = PipedAlgorithm::new(&example());
    let mut search = piped.algorithm().on(List::uniform(10));
    search.restart(Subset::full(10).without([2..5]));
    let search = run(search, needs(&[1, 7]));
    assert!(search.best().iter().eq([1, 7]));
    let empty = run(piped.algorithm().on(List::uniform(0)), needs(&[]));
    assert_eq!(empty.best().count(), 0);
}

#[test]
fn each_clone_of_a_search_has_its_own_conversation() {
    let piped = PipedAlgorithm::new(&example());
    let judge = needs(&[2, 6, 7]);
    let mut search = piped.algorithm().on(List::uniform(9));
    let mut asked = Vec::new();
    while let Some(query) = search.ask() {
        // What a planner does with guesses.
        for guess in [Verdict::Interesting, Verdict::Uninteresting] {
            let mut guessed = search.clone();
            guessed.tell(guess);
            guessed.skip();
        }
        asked.push(query.candidate.clone());
        search.tell(judge(&query.candidate));
    }
    assert!(piped.failure().is_none(), "{:?}", piped.failure());
    assert!(search.best().iter().eq([2, 6, 7]));
    let alone = PipedAlgorithm::new(&example());
    let mut search = alone.algorithm().on(List::uniform(9));
    for candidate in asked {
        assert_eq!(search.ask().unwrap().candidate, candidate);
        search.tell(judge(&candidate));
    }
    assert!(search.ask().is_none());
}

/// Returns what is wrong with a program that is a line of shell.
#[track_caller]
fn fault(line: &str) -> String {
    let piped = PipedAlgorithm::new(line);
    let interrupt = Interrupt::new().unwrap();
    piped.end_with(&interrupt);
    let search = run(piped.algorithm().on(List::uniform(10)), needs(&[3]));
    assert!(search.best().contains(3));
    assert!(interrupt.is_triggered());
    let message = piped.failure().expect("it failed").to_string();
    let start = format!("use the algorithm `{line}`: ");
    message.strip_prefix(&start).expect(&message).to_owned()
}

#[test]
fn faults_of_a_program_are_explained() {
    let faults = [
        "exit 3",
        "read x; echo no such module >&2; exit 1",
        "read x; echo hello; read y",
        r#"read x; echo '{"ask": [1, 10]}'; read y"#,
        r#"read x; echo '{"ask": [-1]}'; read y"#,
        r#"read x; echo '{"result": [1]}'; read y"#,
        r#"read x; printf '{"ask": [1]}\n{"ask": [2]}\n'; cat"#,
        r#"while read x; do echo '{"ask": [2]}'; done"#,
    ];
    insta::assert_snapshot!(faults.map(fault).join("\n"), @r#"
    it ended before it had a result
    it ended before it had a result; it said: no such module
    it answered `hello`, which is neither {"ask": [...]} nor {"result": [...]}
    it named the element 10 of a list of 10; elements are counted from 0
    it named the element -1 of a list of 10; elements are counted from 0
    its result is neither the whole list nor a candidate that was interesting
    it wrote more than one line for an answer, or one of more than 128 MB
    it has no result after 1400 candidates of a list of 10 elements
    "#);
}

#[test]
fn a_program_that_never_answers_is_given_up() {
    let piped = PipedAlgorithm::with_patience("read x; sleep 1000", Duration::from_millis(100));
    let search = piped.algorithm().on(List::uniform(3));
    assert!(search.ask().is_none());
    let failure = piped.failure().unwrap().to_string();
    assert!(
        failure.ends_with("it did not answer within 0.1 s"),
        "{failure}"
    );
}

#[test]
fn a_program_that_asks_something_else_the_second_time_is_noticed() {
    let line = r#"read x; echo "{\"ask\": [$(($$ % 2))]}"; read y; echo '{"ask": [2]}'; cat"#;
    let failed = (0..20).any(|_| {
        let piped = PipedAlgorithm::new(line);
        let search = piped.algorithm().on(List::uniform(3));
        for verdict in [Verdict::Uninteresting, Verdict::Unresolved] {
            search.clone().tell(verdict);
        }
        (piped.failure()).is_some_and(|error| matches!(error.fault, PipedFault::NotDeterministic))
    });
    assert!(failed);
}

#[test]
fn a_session_that_is_interrupted_waits_for_no_answer() {
    let piped = PipedAlgorithm::new("read x; sleep 1000");
    let interrupt = Interrupt::new().unwrap();
    piped.end_with(&interrupt);
    interrupt.trigger();
    assert!(piped.algorithm().on(List::uniform(3)).ask().is_none());
    assert!(piped.failure().is_none());
}
