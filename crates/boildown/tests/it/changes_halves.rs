//! Answers of `boildown changes` that are whole: half of a change may fail like all of it.

use crate::repo::{Repo, scripts};

#[track_caller]
fn check(before: &[(&str, &str)], after: &[(&str, &str)], test: &str, expected: &[&str]) -> String {
    let repo = scripts(before, after, test);
    let run = repo.changes(["HEAD~3..HEAD", "--", "./test.sh"]);
    run.assert_code(0).assert_says("Ada: the change");
    assert_eq!(repo.changed(), expected, "{run}");
    run.stderr.clone()
}

/// Prints an error about a name that is not defined.
const NEED: &str = "need() {
  command -v \"$1\" >/dev/null || { echo \"Error: cannot find $1\" >&2; exit 1; }
}
";

#[test]
fn a_definition_that_is_renamed_goes_with_its_uses_also_if_the_failure_names_it() {
    // The use that was forgotten is in a file that the change leaves as it is.
    let forgotten = ("forgotten.sh", "need total\ntotal\n");
    let lib = |name: &str| format!("{name}() {{\n  echo 1\n}}\n");
    let main = |name: &str| format!("need {name}\n{name}\n");
    check(
        &[
            forgotten,
            ("need.sh", NEED),
            ("lib.sh", &lib("total")),
            ("main.sh", &main("total")),
        ],
        &[("lib.sh", &lib("sum_of")), ("main.sh", &main("sum_of"))],
        ". ./need.sh; . ./lib.sh; . ./main.sh; . ./forgotten.sh",
        &[
            "-total() {",
            "+sum_of() {",
            "-need total",
            "-total",
            "+need sum_of",
            "+sum_of",
        ],
    );
}

#[test]
fn a_deleted_definition_is_the_cause_if_the_rest_works() {
    let main = |uses: &str| format!("{uses}\n\n\n\n\n\n\necho done\n");
    check(
        &[
            ("forgotten.sh", "need total\n"),
            ("need.sh", NEED),
            ("lib.sh", "total() {\n  echo 1\n}\n"),
            ("main.sh", &main("total >/dev/null")),
        ],
        &[("lib.sh", ""), ("main.sh", &main(""))],
        ". ./need.sh; . ./lib.sh; . ./forgotten.sh; . ./main.sh",
        &["-total() {", "-  echo 1", "-}"],
    );
}

#[test]
fn a_function_goes_with_its_calls_also_if_the_message_has_its_name() {
    // The caller catches what a wrong call raises.
    let lib =
        |parameters: &str, value: &str| format!("def area({parameters}):\n    return {value}\n");
    let main = |arguments: &str| {
        format!(
            "from lib import area\n\ntry:\n    size = area({arguments})\nexcept Exception:\n    \
             size = -1\nassert size == 6, \"bad area\"\n"
        )
    };
    check(
        &[
            ("lib.py", &lib("w, h", "w * h")),
            ("main.py", &main("2, 3")),
        ],
        &[
            ("lib.py", &lib("w, h, scale", "w * h * scale")),
            ("main.py", &main("2, 3, 2")),
        ],
        "python3 -B main.py",
        &[
            "-def area(w, h):",
            "-    return w * h",
            "+def area(w, h, scale):",
            "+    return w * h * scale",
            "-    size = area(2, 3)",
            "+    size = area(2, 3, 2)",
        ],
    );
}

#[test]
fn the_use_of_a_new_name_that_the_message_has_by_chance_goes_with_its_definition() {
    let lib = "price() {\n  echo $(($1 * 2))\n}\n";
    check(
        &[
            ("lib.sh", lib),
            ("main.sh", ". ./lib.sh\nprice 2 2>/dev/null || echo 0\n"),
        ],
        &[
            (
                "lib.sh",
                &format!("{lib}\ndiscount() {{\n  echo $(($1 - 1))\n}}\n"),
            ),
            (
                "main.sh",
                ". ./lib.sh\nprice $(discount 2) 2>/dev/null || echo 0\n",
            ),
        ],
        "[ $(sh main.sh 2>/dev/null) = 4 ] || { echo \"Error: price after discount\" >&2; exit 1; }",
        &[
            "+discount() {",
            "+  echo $(($1 - 1))",
            "+}",
            "-price 2 2>/dev/null || echo 0",
            "+price $(discount 2) 2>/dev/null || echo 0",
        ],
    );
}

/// A setting, and a program that takes another value where it does not find it.
fn setting(key: &str, factor: &str) -> [(&'static str, String); 2] {
    let read = format!("value=$(sed -n 's/^{key}=//p' app.conf)");
    let program = format!("{read}\n\n\n\n\n\n\necho $((${{value:-60}} * {factor}))\n");
    [("app.conf", format!("{key}=5\n")), ("app.sh", program)]
}

#[test]
fn half_of_a_renamed_setting_is_no_cause_if_a_state_with_the_new_name_works() {
    let [before, after] = [setting("wait", "2"), setting("limit", "3")];
    let [before, after] =
        [&before, &after].map(|files| [0, 1].map(|it| (files[it].0, &*files[it].1)));
    let said = check(
        &before,
        &after,
        "[ $(sh app.sh) = 10 ] || { echo 'Error: bad time' >&2; exit 1; }",
        &["-echo $((${value:-60} * 2))", "+echo $((${value:-60} * 3))"],
    );
    assert!(said.contains("HEAD works without it"), "{said}");
    assert!(!said.contains("another cause breaks"), "{said}");
}

#[test]
fn parts_that_fail_alone_and_together_are_named_together() {
    // What is on the list and has no file is passed over.
    let main = "value=10\nfor name in $(cat list); do
  [ -f $name.sh ] && value=$(sh $name.sh $value)\ndone\n[ $value = 12 ]\n";
    let said = check(
        &[
            ("main.sh", main),
            ("list", "tax\n"),
            ("tax.sh", "expr $1 + 2\n"),
        ],
        &[("list", "levy\n"), ("levy.sh", "expr $1 + 3\n")],
        "[ -f levy.sh ] && rm -f tax.sh; sh main.sh",
        &["+expr $1 + 3", "-tax", "+levy"],
    );
    let half = "levy.sh:1 alone makes the difference too, but to undo that changes nothing";
    assert!(said.contains(half), "{said}");
    assert!(said.contains("HEAD works without it"), "{said}");
}

#[test]
fn what_good_and_bad_states_print_is_printed_by_the_cause_too() {
    let text = |first: &str, second: &str| format!("{first}\n\n\n\n\n\n\n{second}\n");
    check(
        &[("app.sh", &text("key=a", "look=a"))],
        &[("app.sh", &text("key=b", "look=c"))],
        ". ./app.sh
         [ $key = b ] && [ $look = a ] && { echo 'Error: not found' >&2; exit 1; }
         echo started
         [ $key = $look ] || { echo 'Error: not found' >&2; exit 1; }",
        &["-look=a", "+look=c"],
    );
}

#[test]
fn hunks_of_one_statement_are_left_out_together() {
    let query = |sum: &str, most: u32| format!("SELECT {sum}\nFROM item\nWHERE price < {most};\n");
    let said = check(
        &[("query.sql", &query("sum(price)", 6))],
        &[("query.sql", &query("max(price)", 7))],
        "grep -q sum query.sql && grep -q 6 query.sql",
        &[
            "-SELECT sum(price)",
            "+SELECT max(price)",
            "-WHERE price < 6;",
            "+WHERE price < 7;",
        ],
    );
    assert!(!said.contains("it breaks it too"), "{said}");
}

#[test]
fn a_part_of_a_new_function_is_named_as_such() {
    // Half of the body returns nothing, and the whole of it a wrong price.
    let said = check(
        &[
            ("lib.py", "def price(a):\n    return a\n"),
            ("main.py", MAIN),
        ],
        &[(
            "lib.py",
            "def price(a):\n    return a\n\n\ndef discount(a):\n    part = a / 2\n    \
             most = a - 1\n    return min(part, most)\n",
        )],
        "python3 -B main.py",
        &["+def discount(a):", "+    part = a / 2"],
    );
    let whole =
        "lib.py:3 begins `def discount(a):`: with its 2 other changed lines, it breaks it too";
    assert!(said.contains(whole), "{said}");
}

/// Uses a function if there is one.
const MAIN: &str = "import lib
try:
    price = lib.discount(6) if hasattr(lib, 'discount') else lib.price(6)
except Exception:
    price = None
assert price == 6, 'bad price'
";

#[test]
fn a_row_without_the_one_that_it_refers_to_is_no_cause_if_both_work() {
    check(
        &[
            ("people.csv", "1,ada\n2,ben\n"),
            ("orders.csv", "1,1,5\n2,2,7\n"),
            ("app.conf", "most=9\n"),
        ],
        &[
            ("people.csv", "1,ada\n2,ben\n30,cleo\n"),
            ("orders.csv", "1,1,5\n2,2,7\n3,30,8\n"),
            ("app.conf", "most=7\n"),
        ],
        ". ./app.conf
         for person in $(cut -d, -f2 orders.csv); do grep -q \"^$person,\" people.csv || exit 1; done
         [ $(cut -d, -f3 orders.csv | sort -n | tail -n 1) -le $most ]",
        &["-most=9", "+most=7", "+3,30,8", "+30,cleo"],
    );
}

#[test]
fn a_part_of_a_function_that_works_as_a_whole_is_no_cause() {
    check(
        &[("shop.py", "start()\n"), ("app.conf", "scale=1\n")],
        &[
            (
                "shop.py",
                "start()\n\n\ndef area(w, h):\n    log(w)\n    return w * h\n",
            ),
            ("app.conf", "scale=2\n"),
        ],
        "grep -q 'def area' shop.py || exit 0
         grep -q 'return w' shop.py || exit 1
         ! grep -q scale=2 app.conf",
        &[
            "-scale=1",
            "+scale=2",
            "+def area(w, h):",
            "+    log(w)",
            "+    return w * h",
        ],
    );
}

#[test]
fn a_program_that_is_not_executable_in_a_commit_is_run_by_its_interpreter() {
    let repo = Repo::new();
    repo.script("run.sh", "exit 0");
    repo.commit("one");
    repo.git(["update-index", "--chmod=-x", "run.sh"]);
    repo.git(["commit", "-q", "-m", "two"]);
    let run = repo.changes(["HEAD~1..HEAD", "--", "./run.sh"]);
    run.assert_code(3)
        .assert_says("to find what makes HEAD unable to run it: --exit 126")
        .assert_says("name its interpreter");
}
