//! Archives, read by Python's `zipfile`.

use std::process::Command;

use crate::env::TestEnv;

/// Writes an archive with text, JSON, binary and nested members, half of them deflated.
const WRITE: &str = r#"
import io, json, sys, zipfile
def archive(to, members):
    with zipfile.ZipFile(to, "w") as out:
        for number, (name, data) in enumerate(members):
            packed = zipfile.ZIP_DEFLATED if number % 2 else zipfile.ZIP_STORED
            out.writestr(zipfile.ZipInfo(name), data, packed)
inner = io.BytesIO()
archive(inner, [("a.txt", "one\n" * 40), ("b.txt", "two\n" * 40 + "inside\n")])
orders = [{"id": n, "items": [n, n + 1], "note": "x" * n} for n in range(30)]
orders[17]["total"] = None
archive(sys.argv[1], [
    ("README.txt", "words " * 100),
    ("data/orders.json", json.dumps(orders, indent=1)),
    ("bytes.bin", bytes(range(256)) * 4),
    ("inner.zip", inner.getvalue()),
])
"#;

/// Prints the members, and fails as the argument says.
const READ: &str = r#"
import io, json, sys, zipfile
archive = zipfile.ZipFile(sys.argv[2])
assert archive.testzip() is None
if sys.argv[1] == "list":
    for name in archive.namelist():
        print(name, archive.read(name))
elif sys.argv[1] == "orders":
    orders = json.loads(archive.read("data/orders.json"))
    sys.exit(3 if any(order["total"] is None for order in orders if "total" in order) else 0)
else:
    inner = zipfile.ZipFile(io.BytesIO(archive.read("inner.zip")))
    sys.exit(3 if b"inside" in inner.read("b.txt") else 0)
"#;

/// Reduces the archive for a failure of the reader, and returns what is left of it.
fn reduced(failure: &str) -> String {
    let env = TestEnv::new().file("write.py", WRITE).file("read.py", READ);
    let python = |script: &str, args: &[&str]| {
        let mut command = Command::new("python3");
        let command = command.current_dir(env.path("")).arg(script).args(args);
        let output = command.output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    python("write.py", &["in.zip"]);
    let read = env.path("read.py").display().to_string();
    let command = ["--exit", "3", "--", "python3", &read, failure, "in.zip"];
    env.run([&["reduce", "in.zip"][..], &command].concat())
        .assert_code(0);
    python("read.py", &["list", "in.min.zip"])
}

#[test]
fn members_that_are_not_needed_go_and_the_others_are_reduced_by_their_language() {
    let left = reduced("orders");
    let content: String = left.replace("\\n", "").split(' ').collect();
    assert_eq!(content, "data/orders.jsonb'[{\"total\":null}]'\n");
}

#[test]
fn an_archive_in_an_archive_is_reduced_too() {
    let left = reduced("inner");
    assert!(left.starts_with("inner.zip b'PK"), "{left}");
    assert!(
        left.contains("b.txtinside") && !left.contains("a.txt"),
        "{left}"
    );
}

/// Writes a packed tar archive with text, JSON, a link and a folder.
const WRITE_TAR: &str = r#"
import io, json, sys, tarfile
orders = [{"id": n, "items": [n, n + 1], "note": "x" * n} for n in range(30)]
orders[17]["total"] = None
with tarfile.open(sys.argv[1], "w:gz") as out:
    def add(name, kind, data=b"", link=""):
        info = tarfile.TarInfo(name)
        info.type, info.size, info.linkname = kind, len(data), link
        out.addfile(info, io.BytesIO(data))
    add("project", tarfile.DIRTYPE)
    add("project/README.txt", tarfile.REGTYPE, b"words " * 400)
    add("project/latest", tarfile.SYMTYPE, link="orders.json")
    add("project/" + "d" * 120 + "/orders.json", tarfile.REGTYPE, json.dumps(orders).encode())
"#;

/// Fails on orders without a total.
const READ_TAR: &str = r#"
import json, sys, tarfile
for member in tarfile.open(sys.argv[1]):
    if member.name.endswith("orders.json") and member.isfile():
        orders = json.load(tarfile.open(sys.argv[1]).extractfile(member))
        sys.exit(3 if any(order["total"] is None for order in orders if "total" in order) else 0)
"#;

/// Prints the members.
const LIST_TAR: &str = r#"
import sys, tarfile
archive = tarfile.open(sys.argv[1], "r:gz")
for member in archive:
    print(member.name.rsplit("/")[-1], archive.extractfile(member).read().decode())
"#;

#[test]
fn a_packed_tar_archive_is_reduced_in_place_of_its_members() {
    let env = TestEnv::new()
        .file("write.py", WRITE_TAR)
        .file("read.py", READ_TAR)
        .file("list.py", LIST_TAR);
    let python = |args: [&str; 2]| {
        let mut command = Command::new("python3");
        let output = command.current_dir(env.path("")).args(args).output();
        let output = output.unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    python(["write.py", "in.tar.gz"]);
    let read = env.path("read.py").display().to_string();
    let run = env.reduce([
        "in.tar.gz",
        "-o",
        "out.tar.gz",
        "--exit",
        "3",
        "--",
        "python3",
        &read,
        "in.tar.gz",
    ]);
    run.assert_code(0);
    let listed = python(["list.py", "out.tar.gz"]);
    let listed: String = listed.split_whitespace().collect();
    assert_eq!(listed, "orders.json[{\"total\":null}]");
    let packed = env.path("out.tar.gz").metadata().unwrap().len();
    assert!(packed < 400, "{packed}");
}

#[test]
fn packed_files_are_isolated_as_bytes_with_a_note() {
    let env = TestEnv::new().file("good", "a\n").file("bad.tar", "b\n");
    for file in ["good", "bad.tar"] {
        let mut gzip = Command::new("gzip");
        let status = gzip.current_dir(env.path("")).arg(file).status();
        assert!(status.unwrap().success());
    }
    let fails = "if gzip -dc {} | grep -q b; then echo 'tool: bad b' >&2; exit 3; fi";
    env.run(["isolate", "good.gz", "bad.tar.gz", "--", "sh", "-c", fails])
        .assert_says("unpack both into folders");
    assert!(env.path("bad.pass.tar.gz").exists());
}

#[test]
fn a_packed_file_is_reduced_by_the_language_of_its_content() {
    let env = TestEnv::new().file(
        "orders.json",
        r#"[{"a": [1, 2]}, {"b": {"c": null, "d": 4}}]"#,
    );
    let mut gzip = Command::new("gzip");
    let status = gzip.current_dir(env.path("")).arg("orders.json").status();
    assert!(status.unwrap().success());
    let env = env.script("test.sh", "gzip -dc orders.json.gz | grep -q '\"c\": null'");
    let run = env.reduce(["orders.json.gz", "-o", "out.gz", "--test", "./test.sh"]);
    run.assert_code(0);
    let mut gzip = Command::new("gzip");
    let output = gzip
        .current_dir(env.path(""))
        .args(["-dc", "out.gz"])
        .output();
    assert_eq!(output.unwrap().stdout, b"\"c\": null");
}

#[test]
fn packed_files_in_a_row_become_one() {
    let env = TestEnv::new()
        .file("a", "[{\"a\": [1, 2]}, {\"b\": ")
        .file("b", "{\"c\": null, \"d\": 4}}]");
    for name in ["a", "b"] {
        let mut gzip = Command::new("gzip");
        let status = gzip.current_dir(env.path("")).arg(name).status();
        assert!(status.unwrap().success());
    }
    let both = [env.bytes("a.gz"), env.bytes("b.gz")].concat();
    let env = env.file("in.json.gz", both).script(
        "test.sh",
        "gzip -dc in.json.gz | python3 -c 'import json, sys; sys.exit(\"null\" not in json.dumps(json.load(sys.stdin)))'",
    );
    let run = env.reduce(["in.json.gz", "-o", "out.gz", "--test", "./test.sh"]);
    run.assert_code(0);
    let mut gzip = Command::new("gzip");
    let output = gzip.current_dir(env.path("")).args(["-dc", "out.gz"]);
    assert_eq!(output.output().unwrap().stdout, b"null");
}
