//! The pages of `docs/lab`, and the tables of `docs/algorithms.md` that are made of them.

use std::collections::BTreeMap;
use std::convert::Infallible;

use boildown_lab::Report as _;
use boildown_lab::experiments::Contestant;
use boildown_lab::experiments::compare::{self, CompareSetup, Finish};
use boildown_lab::experiments::replay::{self, ListReplay, ReplayResult, ReplaySetup};
use boildown_lab::experiments::scaling::{self, ScalingSetup};
use boildown_lab::experiments::sigma::{self, AlgorithmFamily, SIGMAS};
use boildown_lab::recorded_lists::{ListRecording, TimedTest};
use boildown_lab::statistics::mean;
use boildown_lab::workload::Shape;
use boildown_search::Subset;
use boildown_search::algorithms::Algorithm;

const ALGORITHMS: &str = include_str!("../../../../docs/algorithms.md");

type Row = BTreeMap<String, String>;

/// Returns the rows of a file of `docs/lab`.
fn rows(csv: &str) -> Vec<Row> {
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    reader.deserialize().collect::<Result<_, _>>().unwrap()
}

fn values(rows: &[Row], chosen: &[(&str, &str)], column: &str) -> Vec<f64> {
    let is_chosen = |row: &&Row| chosen.iter().all(|&(name, value)| row[name] == value);
    let values = rows.iter().filter(is_chosen).map(|row| &row[column]);
    values.map(|value| value.parse().unwrap()).collect()
}

/// Returns the cells of the rows of a table of `docs/algorithms.md`, without emphasis and code. The
/// table is found by the start of its heading.
fn table(heading: &str) -> Vec<Vec<String>> {
    let start = ALGORITHMS.find(heading).expect(heading);
    let lines = ALGORITHMS[start..].lines().skip(2);
    let rows = lines.take_while(|line| line.starts_with('|'));
    let cell = |cell: &str| cell.replace(['*', '`', ','], "").trim().to_owned();
    rows.map(|line| line.trim_matches('|').split('|').map(cell).collect())
        .collect()
}

fn rounded(value: f64) -> String {
    value.round().to_string()
}

#[test]
fn the_table_of_lists_is_that_of_the_page() {
    let rows = rows(include_str!("../../../../docs/lab/lists.csv"));
    let shapes = [
        ("2 % needed", "independent:needed=0.02"),
        ("10 % needed", "independent:needed=0.1"),
        ("40 % needed", "independent:needed=0.4"),
        ("10 % needed in runs", "clustered:needed=0.1"),
        ("each uses an earlier one", "def-use"),
        ("neighbours that go in pairs", "pairs:distance=1"),
        (
            "weights as in WDD's simulation up to 1000 elements",
            "weighted",
        ),
    ];
    let algorithms = [
        "ddmin",
        "wddmin",
        "probdd",
        "cdd",
        "coarsen",
        "pma",
        "adaptive",
        "halving",
        "group-testing",
    ];
    let table = table("| kind of list |");
    assert_eq!(table.len(), shapes.len());
    for (cells, (name, shape)) in table.iter().zip(shapes) {
        assert_eq!(cells[0], name);
        for (cell, algorithm) in cells[1..].iter().zip(algorithms) {
            let queries = values(
                &rows,
                &[("shape", shape), ("algorithm", algorithm)],
                "queries",
            );
            assert_eq!(
                *cell,
                rounded(mean(&queries).unwrap()),
                "{shape} {algorithm}"
            );
        }
    }
}

/// Returns the geometric means of the tokens that are left and of the queries.
fn of_programs(rows: &[Row], schedule: &str, algorithm: &str) -> [f64; 2] {
    let chosen = [("schedule", schedule), ("algorithm", algorithm)];
    ["left", "queries"].map(|column| {
        let values = values(rows, &chosen, column);
        (values.iter().map(|value| value.ln()).sum::<f64>() / values.len() as f64).exp()
    })
}

#[test]
fn the_tables_of_programs_are_those_of_the_pages() {
    let schedules = rows(include_str!("../../../../docs/lab/schedules.csv"));
    let table_of_schedules = table("| schedule, with halving |");
    assert_eq!(table_of_schedules.len(), 7);
    for cells in table_of_schedules {
        let expected = of_programs(&schedules, &cells[0], "halving").map(rounded);
        assert_eq!(cells[1..], expected, "{}", cells[0]);
    }
    let programs = rows(include_str!("../../../../docs/lab/programs.csv"));
    let table_of_algorithms = table("| list algorithm |");
    assert_eq!(table_of_algorithms.len(), 10);
    for cells in table_of_algorithms {
        for (cell, schedule) in cells[1..].iter().zip(["hdd", "boildown"]) {
            let [left, queries] = of_programs(&programs, schedule, &cells[0]);
            let [_, of_ddmin] = of_programs(&programs, schedule, "ddmin");
            let ratio = match &*cells[0] {
                "ddmin" => "1".to_owned(),
                _ => format!("{:.2}", queries / of_ddmin),
            };
            let expected = format!("{} {} ({ratio})", rounded(left), rounded(queries));
            assert_eq!(*cell, expected, "{} in {schedule}", cells[0]);
        }
    }
}

#[test]
fn the_table_of_workers_is_that_of_the_page() {
    let rows = rows(include_str!("../../../../docs/lab/scaling.csv"));
    for cells in table("| workers |") {
        let chosen = [
            ("shape", "independent:needed=0.1"),
            ("algorithm", "cdd"),
            ("workers", &*cells[0]),
        ];
        let of = |column| values(&rows, &chosen, column);
        let faster = of("alone").iter().sum::<f64>() / of("latency").iter().sum::<f64>();
        let more = of("executed").iter().sum::<f64>() / of("alone_told").iter().sum::<f64>();
        let more = match more < 9.95 {
            true => format!("{more:.1}"),
            false => format!("{more:.0}"),
        };
        assert_eq!(cells[1], format!("{faster:.1} ({more})"), "{}", cells[0]);
    }
}

/// Returns the different values of a column, in the order in which they occur first.
fn distinct(rows: &[Row], column: &str) -> Vec<String> {
    let mut values: Vec<String> = Vec::new();
    for row in rows {
        if !values.contains(&row[column]) {
            values.push(row[column].clone());
        }
    }
    values
}

fn algorithm(name: &str) -> Algorithm {
    boildown_literature::algorithms().parse_list(name).unwrap()
}

fn contestants(names: &[String]) -> Vec<Contestant> {
    let named = names.iter().map(|name| algorithm(name));
    named.map(Contestant::from).collect()
}

fn shapes(rows: &[Row]) -> Vec<Shape> {
    let names = distinct(rows, "shape");
    names.iter().map(|name| name.parse().unwrap()).collect()
}

/// Compares rows that were made now with those of a page that `is_made` chooses.
#[track_caller]
fn assert_rows(made: &str, page: &[Row], is_made: impl Fn(&Row) -> bool) {
    let expected: Vec<&Row> = page.iter().filter(|row| is_made(row)).collect();
    let made = rows(made);
    assert!(!made.is_empty());
    assert_eq!(made.iter().collect::<Vec<_>>(), expected);
}

#[test]
fn the_first_lists_of_each_kind_are_as_on_the_page() {
    let page = rows(include_str!("../../../../docs/lab/lists.csv"));
    let setup = CompareSetup {
        problems: 1,
        finish: Finish::Swept,
        ..CompareSetup::default()
    };
    let algorithms = contestants(&distinct(&page, "algorithm"));
    let made = compare::run(&algorithms, &shapes(&page), &setup);
    assert_rows(&made.csv(), &page, |row| row["problem"] == "0");
}

#[test]
fn the_first_lists_for_each_sigma_are_as_on_the_page() {
    let page = rows(include_str!("../../../../docs/lab/sigma.csv"));
    let setup = CompareSetup {
        length: 200,
        problems: 1,
        ..CompareSetup::default()
    };
    let family = |name: &'static str| {
        AlgorithmFamily::new(name, &SIGMAS, move |sigma| {
            algorithm(&format!("{name}:sigma={sigma}"))
        })
    };
    let families = ["probdd", "wprobdd", "cdd"].map(family);
    let made = sigma::run(&families, &shapes(&page), &setup);
    assert_rows(&made.csv(), &page, |row| row["problem"] == "0");
}

#[test]
fn the_first_lists_with_few_workers_are_as_on_the_page() {
    let page = rows(include_str!("../../../../docs/lab/scaling.csv"));
    let setup = ScalingSetup {
        workers: scaling::powers_of_two(4),
        problems: 1,
        ..ScalingSetup::default()
    };
    let algorithms = contestants(&distinct(&page, "algorithm"));
    let made = scaling::run(&algorithms, &shapes(&page), &setup);
    assert_rows(&made.csv(), &page, |row| {
        row["problem"] == "0" && ["1", "2", "4"].contains(&&*row["workers"])
    });
}

/// Runs algorithms on the recorded lists of a text.
fn replay_lines(text: &str, algorithms: &[Contestant], finish: Finish) -> Vec<ListReplay> {
    let setup = ReplaySetup {
        finish,
        ..ReplaySetup::default()
    };
    let replay = |line: &str| {
        let mut recording: ListRecording = serde_json::from_str(line).unwrap();
        let ask = |subset: &Subset| -> Result<TimedTest, Infallible> {
            panic!("{subset:?} was not recorded")
        };
        replay::run(&mut recording, algorithms, &setup, ask).unwrap()
    };
    text.lines().map(replay).collect()
}

#[test]
fn the_figures_of_the_long_list_are_those_of_its_recording() {
    let names = ["ddmin", "probdd", "halving", "group-testing"].map(str::to_owned);
    let text = include_str!("../../../../docs/lab/long-list.jsonl");
    let list = replay_lines(text, &contestants(&names), Finish::Bare).remove(0);
    let rows = list.rows;
    let tests: Vec<u64> = rows.iter().map(|row| row.tests).collect();
    assert_eq!(tests, [1_557, 262, 180, 118]);
    assert!(rows.iter().all(|row| row.elements == 882));
}

/// Replays the recordings of `docs/lab` with the algorithms of the page.
fn replayed() -> ReplayResult {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/lab/recorded");
    let files = std::fs::read_dir(folder).unwrap();
    let mut paths: Vec<_> = files.map(|file| file.unwrap().path()).collect();
    paths.sort();
    let names = [
        "ddmin",
        "halving",
        "group-testing",
        "adaptive",
        "wddmin",
        "probdd",
        "wprobdd",
        "cdd",
        "coarsen",
        "pma",
    ]
    .map(str::to_owned);
    let algorithms = contestants(&names);
    let mut lists = Vec::new();
    for path in paths {
        let text = std::fs::read_to_string(path).unwrap();
        lists.extend(replay_lines(&text, &algorithms, Finish::Swept));
    }
    ReplayResult::new(&ReplaySetup::default(), &algorithms, lists)
}

#[test]
fn the_page_of_recorded_lists_is_made_of_the_recordings() {
    let result = replayed();
    let page = include_str!("../../../../docs/lab/recorded.html");
    assert!(result.html() == page, "`cargo xtask lab --only recorded`");
    // The table of `docs/algorithms.md` has ratio, interval and p-value of the tests.
    let rows = table("| on real lists |");
    assert_eq!(rows.len(), result.algorithms.len() - 1);
    let shown = result.table();
    for row in rows {
        for (lists, cells) in ["levels", "siblings"].into_iter().zip(row[1..].chunks(3)) {
            let is_it = |line: &&str| line.split_whitespace().take(2).eq([lists, &row[0]]);
            let line = shown.lines().find(is_it).expect(&row[0]);
            let expected: Vec<&str> = line.split_whitespace().skip(3).take(3).collect();
            assert_eq!(cells, expected, "{} on {lists}", row[0]);
        }
    }
}
