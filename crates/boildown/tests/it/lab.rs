//! The laboratory.

#[cfg(feature = "lab")]
use insta::assert_snapshot;

use crate::env::TestEnv;

#[cfg(not(feature = "lab"))]
#[test]
fn a_program_without_the_laboratory_says_so() {
    let env = TestEnv::new();
    let finished = env.run(["lab", "compare", "--problems", "3"]);
    (finished.assert_code(1)).assert_says("this program was built without the laboratory");
}

#[cfg(feature = "lab")]
#[test]
fn the_laboratory_compares_algorithms_on_an_example_of_a_paper() {
    let env = TestEnv::new();
    let args = "lab compare --workload eight-statements --algorithm ddmin --algorithm probdd --algorithm halving";
    assert_snapshot!(env.run(args.split(' ')), @r"
    exit code 0
    -- stdout
    kind of list      algorithm  tests, mean  bound  geom. ratio       p  kept, mean  p
    eight-statements  ddmin             27.0      –        1.000       –         7.0  –
    eight-statements  probdd            18.0      –        0.667  1.0000         7.0  –
    eight-statements  halving           15.0      –        0.556  1.0000         7.0  –
    ");
}

#[cfg(feature = "lab")]
#[test]
fn the_output_of_the_laboratory_depends_on_the_seed_alone() {
    let env = TestEnv::new().file(
        "a.c",
        "int f(int x) { return x; }\nint g(void) { return f(2); }\nint h;\n",
    );
    let run = |seed: &str, name: &str| {
        let (csv, html) = (format!("{name}.csv"), format!("{name}.html"));
        let chosen = ["--seed", seed, "--csv", &csv, "--html", &html];
        let args = [
            "lab",
            "programs",
            "a.c",
            "--needed",
            "2",
            "--schedule",
            "hdd",
        ];
        env.run([&args, &chosen[..]].concat()).assert_code(0);
        (env.read(&csv), env.read(&html))
    };
    let (one, again, other) = (run("1", "one"), run("1", "again"), run("2", "other"));
    assert_eq!(one, again);
    assert_ne!(one.0, other.0);
    assert!(
        one.0
            .starts_with("program,tokens,needed,schedule,algorithm,"),
        "{}",
        one.0
    );
    assert!(one.1.contains("<svg"));
}

#[cfg(feature = "lab")]
#[test]
fn invalid_input_of_the_laboratory_is_explained() {
    let env = TestEnv::new().file("a.unknown", "x").file("empty.c", "");
    let says = |file: &str, complaint: &str| {
        let finished = env.run(["lab", "programs", file]);
        finished.assert_code(1).assert_says(complaint);
    };
    says("missing.c", "failed to use missing.c");
    says("a.unknown", "its language is not recognised");
    says("empty.c", "failed to use");
    for (experiment, option) in [
        ("weights", "--lists"),
        ("compare", "--length"),
        ("compare", "--problems"),
        ("scaling", "--workers"),
    ] {
        env.run(["lab", experiment, option, "0"]).assert_code(1);
    }
    let finished = env.run(["lab", "compare", "--workload", "lists"]);
    finished
        .assert_code(1)
        .assert_says("no kind of list problem has the name `lists`");
}

#[cfg(feature = "lab")]
#[test]
fn the_laboratory_debloats_programs_and_knows_the_exact_posterior() {
    let program = "int a;\nint f(int x) { a = x; return a; }\nint g(int y) { return f(y); }\nint main(void) { g(1); return 0; }\n";
    let env = TestEnv::new().file("in.c", program).file("empty.c", "\n");
    let debloated = env.run([
        "lab", "debloat", "in.c", "--needed", "2", "--csv", "rows.csv",
    ]);
    debloated.assert_code(0);
    for search in [
        "ddmin, rejecting",
        "halving, closed",
        "binary reduction",
        "chisel",
    ] {
        assert!(debloated.stdout.contains(search), "{search}");
    }
    assert_eq!(env.read("rows.csv").lines().count(), 12);
    let limited = env.run([
        "lab",
        "debloat",
        "in.c",
        "--needed",
        "2",
        "--max-tests",
        "1",
    ]);
    limited.assert_code(0);
    assert!(limited.stdout.contains("> 1.0"), "{limited}");
    let refused = env.run(["lab", "debloat", "empty.c"]);
    refused.assert_code(1).assert_says("it has no token");

    let posterior = ["lab", "posterior", "--problems", "3"];
    let known = env.run([&posterior[..], &["--length", "6"]].concat());
    known.assert_code(0);
    assert!(known.stdout.contains("exact, information"), "{known}");
    env.run([&posterior[..], &["--length", "17"]].concat())
        .assert_code(1)
        .assert_says("not a number from 1 to 16");
}

#[cfg(feature = "lab")]
#[test]
fn lists_of_a_real_reduction_are_recorded_and_replayed() {
    let program =
        "int a, b;\nint f(int x) { a = x; return needle; }\nint g(int y) { return f(y); }\n";
    let env = TestEnv::new()
        .file("s/one/in.c", program)
        .file("s/one/subject.json", r#"{"name": "one", "input": "in.c"}"#)
        .script(
            "s/one/test.sh",
            "test -d \"$SUBJECT_DIR\" && grep -q needle in.c",
        );
    let recorded = env.run(["lab", "record", "s/one"]);
    recorded.assert_code(0);
    assert!(recorded.stdout.starts_with("one: "), "{recorded}");

    let replay = |more: &[&str]| env.run([&["lab", "replay", "one.jsonl"], more].concat());
    let halving = ["--algorithm", "halving", "--bare"];
    replay(&halving).assert_code(0);
    let unknown = replay(&["--algorithm", "probdd"]);
    (unknown.assert_code(1)).assert_says("of one was never tested on a candidate of an algorithm");

    let both = ["--algorithm", "probdd", "--algorithm", "halving"];
    let lines = ["--subjects", "s", "--json-lines", "rows.jsonl"];
    replay(&[&both[..], &lines].concat()).assert_code(0);
    let rows = env.read("rows.jsonl");
    let lists = env.read("one.jsonl").lines().count();
    assert_eq!(rows.lines().count(), 2 * lists);
    assert!(rows.contains(r#""algorithm":"probdd""#), "{rows}");
    // Their tests are in the recording now.
    replay(&both).assert_code(0);

    let recording = env.read("one.jsonl");
    let timed = ["--subjects", "s", "--fresh", "--html", "one.html"];
    let timed = replay(&[&both[..], &timed].concat());
    timed.assert_code(0);
    assert!(timed.stdout.contains("tokens/s"), "{timed}");
    assert!(!env.read("one.html").contains("tokens/s"));
    assert_eq!(env.read("one.jsonl"), recording);

    let limited = ["--max-tests", "1", "--json-lines", "rows.jsonl"];
    let limited = replay(&[&both[..], &limited].concat());
    limited.assert_code(0);
    assert!(limited.stdout.contains("> "), "{limited}");
    let rows = env.read("rows.jsonl");
    assert!(
        rows.contains(r#""finished":false,"seconds":null"#),
        "{rows}"
    );
    let untimed = replay(&["--max-seconds", "3"]);
    untimed.assert_code(1).assert_says("--fresh");
    let limited = env.run(["lab", "record", "s/one", "--max-tests", "2", "--to", "s"]);
    limited.assert_code(0);
    assert!(limited.stdout.contains("> 2 tests, > "), "{limited}");
}

#[cfg(feature = "lab")]
#[test]
fn random_algorithms_of_the_laboratory_repeat_with_their_seeds() {
    let mine = include_str!("../../../../examples/own_algorithm.py");
    let env = TestEnv::new().file("mine.py", mine);
    let compare = |csv: &str| {
        let algorithms = [
            "probdd",
            "probdd:ties=random",
            "exec:python3 mine.py {seed}",
        ];
        let algorithms = algorithms
            .into_iter()
            .flat_map(|name| ["--algorithm", name]);
        let args = "lab compare --workload eight-statements --seeds 4 --csv";
        let args = args.split(' ').chain([csv]).chain(algorithms);
        let finished = env.run(args);
        finished.assert_code(0);
        (finished.stdout, env.read(csv))
    };
    let (table, rows) = compare("one.csv");
    assert_eq!((table, rows.clone()), compare("other.csv"));
    let runs_of = |name: &str| rows.matches(&format!(",8,{name},")).count();
    let runs = [
        "probdd",
        "probdd:ties=random",
        "exec:python3 mine.py {seed}",
    ]
    .map(runs_of);
    assert_eq!(runs, [1, 4, 4], "{rows}");
}

#[cfg(feature = "lab")]
#[test]
fn a_subject_whose_test_rejects_its_input_is_explained() {
    let env = TestEnv::new()
        .file("one/in.c", "int a;\n")
        .file("one/subject.json", r#"{"name": "one", "input": "in.c"}"#)
        .script("one/test.sh", "exit 1");
    let refused = env.run(["lab", "record", "one"]);
    (refused.assert_code(3)).assert_says("test.sh of one does not exit with 0 on the input");
    let missing = env.run(["lab", "record", "two"]);
    (missing.assert_code(1)).assert_says("failed to use the subject two");
    let other = env.run(["lab", "replay", "one/in.c"]);
    (other.assert_code(1)).assert_says("`boildown lab record` writes such files");
}

#[cfg(feature = "lab")]
#[test]
fn an_algorithm_in_a_program_of_its_own_is_compared() {
    let mine = include_str!("../../../../examples/own_algorithm.py");
    let env = TestEnv::new().file("mine.py", mine);
    let compare = |algorithm: &str| {
        let workload = ["--workload", "eight-statements", "--algorithm", algorithm];
        env.run([&["lab", "compare", "--csv", "rows.csv"], &workload[..]].concat())
    };
    compare("exec:python3 mine.py").assert_code(0);
    let row = "eight-statements,0,8,exec:python3 mine.py,";
    assert!(env.read("rows.csv").contains(row));
    let missing = compare("exec:python3 missing.py");
    missing
        .assert_code(5)
        .assert_says("failed to use the algorithm `python3 missing.py`: it ended before");
}
