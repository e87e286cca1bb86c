//! Tests on a remote execution service: the same result as here.

use crate::env::{FINDS_NEEDLE, TestEnv};

#[cfg(not(feature = "remote"))]
#[test]
fn a_program_without_remote_execution_says_so() {
    let env = TestEnv::with_test(FINDS_NEEDLE);
    let args = [
        "in.txt",
        "--test",
        "test.sh",
        "--remote",
        "grpc://localhost:1",
    ];
    let finished = env.reduce(args);
    (finished.assert_code(1)).assert_says("this program was built without remote execution");
}

#[cfg(feature = "remote")]
#[path = "../../../../extras/boildown-remote/tests/it/casd.rs"]
#[expect(dead_code, reason = "other tests use the rest")]
mod casd;

#[cfg(feature = "remote")]
#[path = "../../../../extras/boildown-remote/tests/it/proxy.rs"]
#[expect(dead_code, reason = "other tests use the rest")]
mod proxy;

#[cfg(feature = "remote")]
mod with_service {
    use std::time::Duration;

    use serde_json::Value;

    use super::casd::{Casd, free_port};
    use super::proxy::Proxy;
    use super::*;
    use crate::env::HAYSTACK;

    /// Reduces an input. Returns the result, the counts of the last event, and the property.
    #[track_caller]
    fn reduce(env: &TestEnv, args: &[&str]) -> (Vec<u8>, [Value; 3]) {
        let mut all = vec!["--output", "result", "--json", "--fresh", "--force"];
        let (before, command) = match args.iter().position(|arg| *arg == "--") {
            Some(index) => args.split_at(index),
            None => (args, &[][..]),
        };
        all.extend(before.iter().chain(command));
        let events = env.reduce(all).assert_code(0).events();
        let last = events.last().unwrap();
        let told = ["tests", "unresolved", "tokens_after"].map(|name| last[name].clone());
        (env.bytes("result"), told)
    }

    /// Reduces with one job here, and with some on a service; `more` are options, and a command.
    #[track_caller]
    fn check(casd: &Casd, env: &TestEnv, input: &str, more: &[&str]) {
        let expected = reduce(env, &[&[input, "--jobs", "1"], more].concat());
        for (jobs, group) in [("1", "1"), ("4", "1"), ("8", "4")] {
            let address = format!("grpc://127.0.0.1:{}", casd.port());
            let there = [
                input,
                "--jobs",
                jobs,
                "--remote",
                &address,
                "--remote",
                &format!("group={group}"),
            ];
            let reduced = reduce(env, &[&there, more].concat());
            assert_eq!(reduced, expected, "{jobs} jobs, {group} together");
        }
    }

    const CALLS: &str = "int used(int a) { return a + 1; }\nint unused;\n\
                         int main(void) { int b = 2; missing(used(b)); return 0; }\n";

    #[test]
    fn results_are_the_same_here_and_on_a_service() {
        let Some(casd) = Casd::start() else { return };
        let env = TestEnv::with_test(FINDS_NEEDLE).file("calls.c", CALLS);
        // A script that reads its argument, a line for the shell, standard input.
        check(&casd, &env, "in.txt", &["--test", "test.sh"]);
        let line = "test $(grep -c e in.txt) -ge 2 && ! grep -q q in.txt";
        check(&casd, &env, "in.txt", &["--test", line]);
        let stdin = ["--stdin", "--exit", "0", "--", "grep", "-q", "y n"];
        check(&casd, &env, "in.txt", &stdin);
        // A failure that is read off the first run; one that is a signal.
        let compile = [
            "--stderr",
            "missing",
            "--",
            "gcc",
            "-Werror",
            "-c",
            "-o",
            "/dev/null",
            "calls.c",
        ];
        check(&casd, &env, "calls.c", &compile);
        let crash = "if grep -q needle \"$1\"; then kill -SEGV $$; fi";
        check(
            &casd,
            &env,
            "in.txt",
            &["--", "sh", "-c", crash, "sh", "in.txt"],
        );
    }

    #[test]
    fn files_that_the_command_names_and_those_of_the_project_are_there() {
        let Some(casd) = Casd::start() else { return };
        let env = TestEnv::with_test(". ./lib.sh; has needle in.txt")
            .file("lib.sh", "has() { grep -q \"$1\" \"$2\"; }\n")
            .file("words/one", "needle\n");
        check(
            &casd,
            &env,
            "in.txt",
            &["--within", ".", "--test", "test.sh"],
        );
        let command = ["--exit", "0", "--", "grep", "-qf", "words/one", "in.txt"];
        check(&casd, &env, "in.txt", &command);
    }

    #[test]
    fn a_link_that_breaks_again_and_again_changes_no_result() {
        let Some(casd) = Casd::start() else { return };
        let env = TestEnv::with_test(FINDS_NEEDLE);
        let expected = reduce(&env, &["in.txt", "--jobs", "1", "--test", "test.sh"]);
        let proxy = Proxy::to(casd.port());
        let address = format!("grpc://127.0.0.1:{}", proxy.port());
        std::thread::scope(|scope| {
            let reduced = scope.spawn(|| {
                let there = ["in.txt", "--jobs", "4", "--remote", &address];
                reduce(&env, &[&there[..], &["--test", "test.sh"]].concat())
            });
            while !reduced.is_finished() {
                proxy.cut();
                proxy.mend();
                std::thread::sleep(Duration::from_millis(150));
            }
            assert_eq!(reduced.join().unwrap(), expected);
        });
    }

    #[test]
    fn a_session_whose_service_is_gone_is_resumed_without_asking_again() {
        let Some(mut casd) = Casd::start() else {
            return;
        };
        let env = TestEnv::with_test(FINDS_NEEDLE);
        let address = format!("grpc://127.0.0.1:{}", casd.port());
        let args = ["in.txt", "--remote", &address, "--test", "test.sh"];
        let limited = [&args[..], &["--max-tests", "5"]].concat();
        env.reduce(limited).assert_code(6);
        casd.kill();
        let gone = env.reduce(args);
        gone.assert_code(5).assert_says("the same command resumes");
        casd.restart();
        env.reduce(args).assert_code(0).assert_says("resumed: ");
        assert_eq!(env.read("in.min.txt").trim(), "needle");
    }

    #[test]
    fn what_cannot_be_used_is_an_error_before_the_first_run() {
        let Some(casd) = Casd::start() else { return };
        let env = TestEnv::with_test(FINDS_NEEDLE);
        let address = &*format!("grpc://127.0.0.1:{}", casd.port());
        let nowhere = &*format!("grpc://127.0.0.1:{}", free_port());
        for (options, code, says) in [
            (&["--remote", "localhost"][..], 1, "write grpc://host:port"),
            (&["--remote", nowhere], 5, "Connection refused"),
            (
                &["--remote", address, "--remote", "instance=x"],
                5,
                "check instance=",
            ),
            (
                &["--remote", address, "--remote", "file=none"],
                5,
                "none cannot be read",
            ),
            (
                &["--remote", address, "--remote", "token-file=none"],
                1,
                "none cannot be read",
            ),
            (
                &["--remote", address, "--writable", "/tmp"],
                1,
                "cannot be used with",
            ),
        ] {
            let args = [&["in.txt", "--test", "test.sh"], options].concat();
            env.reduce(args).assert_code(code).assert_says(says);
            assert!(!env.exists("in.min.txt"), "{options:?}");
        }
        assert_eq!(env.read("in.txt"), HAYSTACK);
    }
}
