"""The plugin of pytest."""

import pytest

POLLUTED = {
    "test_a": """
        import os
        def test_sets_one(): os.environ["SHARED"] = "1"
        def test_between(): pass
    """,
    "test_b": """
        import os
        import pytest
        import shared
        @pytest.mark.parametrize("name", ["x y"])
        def test_sets_two(name): shared.values.append(2)
        def test_fails_after_both(): assert not ("SHARED" in os.environ and shared.values)
        def test_fails_alone(): assert False
    """,
    "shared": "values = []",
}


@pytest.fixture
def run(pytester):
    return pytester.runpytest_subprocess


def test_the_tests_that_a_failure_needs_are_found_and_can_be_run_again(pytester, run):
    pytester.makepyfile(**POLLUTED)
    result = run("--boildown-order", "--boildown-jobs", "1", "--junit-xml=report.xml")
    result.stdout.fnmatch_lines(
        [
            "test_b.py::test_fails_after_both fails after 2 of the 3 tests before it (* runs):",
            "    test_a.py::test_sets_one",
            "    test_b.py::test_sets_two[[]x y[]]",
            "to repeat: pytest test_a.py::test_sets_one 'test_b.py::test_sets_two[[]x y[]]'"
            " test_b.py::test_fails_after_both",
            "test_b.py::test_fails_alone fails alone too",
        ]
    )
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert 'tests="5"' in (pytester.path / "report.xml").read_text()
    again = run(
        "test_a.py::test_sets_one",
        "test_b.py::test_sets_two[x y]",
        "test_b.py::test_fails_after_both",
    )
    again.assert_outcomes(passed=2, failed=1)


def test_a_run_without_failures_says_nothing(pytester, run):
    pytester.makepyfile("def test_passes(): pass")
    result = run("--boildown-order")
    result.stdout.no_fnmatch_line("*boildown: order*")
    assert result.ret == pytest.ExitCode.OK


def test_another_failure_of_the_same_test_does_not_count(pytester, run):
    pytester.makepyfile(
        """
        values = set()
        def test_one(): values.add(1)
        def test_two(): values.add(2)
        def test_victim():
            assert values != {2}, "another failure"
            assert values != {1, 2}, "the failure"
        """
    )
    result = run("--boildown-order")
    result.stdout.fnmatch_lines(
        ["*::test_victim fails after 2 of the 2 tests before it*", "*::test_one", "*::test_two"]
    )


def test_a_run_that_hangs_is_stopped_and_each_run_has_a_line(pytester, run):
    pytester.makepyfile(
        boildown_limits="""
            from boildown import pytest_plugin
            pytest_plugin.SHORTEST_LIMIT = 10
            pytest_plugin.TIMES_FIRST_RUN = 0
        """,
        test_it="""
            import subprocess
            values = set()
            def test_one(): values.add(1)
            def test_two(): values.add(2)
            def test_victim():
                if values == {1}:
                    subprocess.run(["sleep", "1000"])
                assert values != {1, 2}
        """,
    )
    result = run("-p", "boildown_limits", "--boildown-order")
    result.stdout.fnmatch_lines(
        [
            "boildown: run 1: test_it.py::test_victim passes after 0 other tests (*)",
            "boildown: run *: *::test_victim was stopped at the limit of 10 s after 1 other tests (*)",
            "*::test_victim fails after 2 of the 2 tests before it*",
        ]
    )


def test_an_example_that_fails_is_reduced(pytester, run):
    pytester.makepyfile(
        """
        import json
        def average(numbers): return sum(numbers) / len(numbers)
        def test_average(boildown_example):
            average(json.loads(boildown_example.read_text())["numbers"])
        """
    )
    example = pytester.path / "crash.json"
    example.write_text('{"name": "a", "numbers": [], "rest": [1, 2, {"b": null}]}')
    result = run("--boildown-example=crash.json")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*::test_average: 57 bytes -> 15 bytes, * tests: */crash.min.json"])
    assert (pytester.path / "crash.min.json").read_text() == '{"numbers": ""}'
    assert example.read_text().startswith('{"name"')


def test_an_example_that_passes_stays_as_it_is(pytester, run):
    pytester.makepyfile("def test_it(boildown_example): assert boildown_example.name == 'a.txt'")
    (pytester.path / "a.txt").write_text("x")
    run("--boildown-example=a.txt").assert_outcomes(passed=1)
    run().assert_outcomes(skipped=1)
    assert not (pytester.path / "a.min.txt").exists()
    missing = run("--boildown-example=none.txt")
    missing.stderr.fnmatch_lines(["*there is no file*none.txt*"])


def test_a_test_of_the_reduced_example_is_written_and_fails_alike(pytester, run):
    pytester.makepyfile(
        """
        def test_it(boildown_example): assert b"x" not in boildown_example.read_bytes()
        """
    )
    (pytester.path / "a.txt").write_text("some x here")
    found = run("--boildown-example=a.txt", "--boildown-write-test=test_found.py")
    found.stdout.fnmatch_lines(["a test of the reduced example: pytest test_found.py"])
    assert "b'x'" in (pytester.path / "test_found.py").read_text()
    alone = run("test_found.py")
    alone.assert_outcomes(failed=1)
    alone.stdout.fnmatch_lines(["*assert b'x' not in b'x'*"])
    again = run("--boildown-example=a.txt", "--boildown-write-test=test_found.py")
    again.stderr.fnmatch_lines(["*test_found.py exists"])
