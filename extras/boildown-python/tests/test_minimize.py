"""Lists: types, algorithms, verdicts, exceptions, limits, events."""

import contextlib
import enum
import signal
import sys
import threading

import pytest

import boildown
from boildown import Verdict

LIST_ALGORITHMS = [row["name"] for row in boildown.algorithms("list")]


def has_ab(items):
    return "a" in items and "b" in items


@pytest.mark.parametrize(
    ("items", "expected"),
    [
        (list("xaxbx"), ["a", "b"]),
        (tuple("xaxbx"), ("a", "b")),
        ("xaxbx", "ab"),
        (iter("xaxbx"), ["a", "b"]),
        ("äaüb🙂", "ab"),
    ],
)
def test_a_candidate_and_the_result_have_the_type_of_the_items(items, expected):
    kinds = set()

    def test(candidate):
        kinds.add(type(candidate))
        return has_ab(candidate)

    assert boildown.minimize(items, test) == expected
    assert kinds == {type(expected)}


def test_bytes_are_minimized_as_bytes():
    assert boildown.minimize(b"x\x00ax", lambda data: b"\x00" in data) == b"\x00"
    assert boildown.minimize(bytearray(b"xay"), lambda data: b"a" in data) == b"a"


def test_a_list_whose_test_needs_nothing_becomes_empty():
    assert boildown.minimize([1, 2, 3], lambda candidate: True) == []
    assert boildown.minimize([], lambda candidate: True) == []


@pytest.mark.parametrize("algorithm", LIST_ALGORITHMS)
def test_every_list_algorithm_finds_what_is_needed(algorithm):
    result = boildown.minimize(
        range(64), lambda kept: {5, 40, 41} <= set(kept), algorithm=algorithm
    )
    assert result == [5, 40, 41]


MINE = '''
import json, sys
for line in sys.stdin:
    kept = list(range(json.loads(line)["size"]))
    for element in list(kept):
        without = [other for other in kept if other != element]
        print(json.dumps({"ask": without}), flush=True)
        if json.loads(sys.stdin.readline())["verdict"] == "interesting":
            kept = without
    print(json.dumps({"result": kept}), flush=True)
'''


@pytest.mark.parametrize("jobs", [1, 3])
def test_an_algorithm_may_be_in_a_program_of_its_own(tmp_path, jobs):
    program = tmp_path / "mine.py"
    program.write_text(MINE)
    mine = f"exec:{sys.executable} {program}"
    minimized = boildown.minimize(
        range(20), lambda kept: {3, 7} <= set(kept), algorithm=mine, sweep=False, jobs=jobs
    )
    assert minimized == [3, 7]
    reduced = boildown.reduce(
        "int a; int b; int c;", lambda text: "int b" in text, language="C", algorithm=mine, jobs=jobs
    )
    assert reduced.strip() == "int b"
    search = boildown.Search("xaxbx", algorithm=mine, sweep=False)
    while (candidate := search.ask()) is not None:
        search.tell(has_ab(candidate))
    assert search.best == ["a", "b"]


def test_a_mistake_of_such_a_program_is_an_error():
    def test(kept):
        return 3 in kept

    with pytest.raises(boildown.Error, match="it ended before it had a result") as caught:
        boildown.minimize(range(20), test, algorithm="exec:true")
    assert 3 in caught.value.boildown_best
    with pytest.raises(boildown.Error, match="it ended before"):
        boildown.Search(range(20), algorithm="exec:true").ask()
    with pytest.raises(boildown.UnknownName, match="a command has to follow"):
        boildown.minimize(range(20), test, algorithm="exec:")


@pytest.mark.parametrize("jobs", [1, 2, 7])
def test_jobs_change_neither_the_result_nor_the_trace(jobs):
    def trace(jobs):
        events = []
        result = boildown.minimize(
            range(60), lambda kept: sum(kept) >= 900, algorithm="probdd", jobs=jobs, trace=events
        )
        return result, [(event["verdict"], event["size"], event["best"]) for event in events[:-1]]

    assert trace(jobs) == trace(1)


def test_lists_are_split_where_the_weight_halves():
    def second_candidate(weights):
        asked = []
        boildown.minimize(
            ["b" * 1000 if index == 9 else "a" for index in range(32)],
            lambda kept: asked.append(kept) or len(kept) == 32,
            algorithm="halving",
            weights=weights,
            max_tests=2,
        )
        return asked[2]

    assert len(second_candidate(None)) == 16
    assert len(second_candidate(len)) == 10
    assert len(second_candidate([1] * 32)) == 16
    with pytest.raises(ValueError, match="2 weights for 3 elements"):
        boildown.minimize("abc", has_ab, weights=[1, 2])


@pytest.mark.parametrize(
    ("holds", "fails"),
    [
        (True, False),
        (Verdict.INTERESTING, Verdict.UNINTERESTING),
        (Verdict.INTERESTING, Verdict.UNRESOLVED),
        ("FAIL", "PASS"),
        ("interesting", "UNRESOLVED"),
    ],
)
def test_verdicts_are_bools_members_and_words(holds, fails):
    result = boildown.minimize("xaxb", lambda kept: holds if has_ab(kept) else fails)
    assert result == "ab"


def test_members_of_other_enumerations_are_known_by_their_names():
    outcome = enum.Enum("outcome", ["PASS", "FAIL", "UNRESOLVED"])
    result = boildown.minimize(
        [f"line {number}" for number in range(10)],
        lambda kept: outcome.FAIL if "line 7" in kept else outcome.PASS,
    )
    assert result == ["line 7"]


@pytest.mark.parametrize("returned", [None, 1, "yes", [], object()])
def test_another_returned_value_is_a_type_error(returned):
    with pytest.raises(TypeError, match="it has to return True"):
        boildown.minimize("ab", lambda kept: returned)


def test_an_exception_of_the_test_ends_the_search_and_carries_the_best_result():
    def test(kept):
        if 7 not in kept:
            return False
        if len(kept) <= 5:
            raise LookupError("too short")
        return True

    for jobs in [1, 3]:
        with pytest.raises(LookupError, match="too short") as raised:
            boildown.minimize(range(40), test, jobs=jobs)
        assert 5 < len(raised.value.boildown_best) <= 20


def test_an_exception_of_the_test_may_be_unresolved():
    def test(kept):
        if "a" not in kept:
            raise LookupError("no a")
        return "b" in kept

    trace = []
    assert boildown.minimize("xaxb", test, on_error="unresolved", trace=trace) == "ab"
    assert "unresolved" in {event.get("verdict") for event in trace}


def test_exceptions_that_end_programs_are_no_verdicts():
    def test(kept):
        if len(kept) < 4:
            sys.exit(3)
        return True

    with pytest.raises(SystemExit):
        boildown.minimize("abcdefgh", test, on_error="unresolved")


def test_the_test_has_to_be_interesting_on_the_items():
    with pytest.raises(boildown.NotInteresting, match="the input is uninteresting"):
        boildown.minimize("abc", lambda kept: False)
    assert issubclass(boildown.NotInteresting, boildown.Error)


def test_unknown_names_are_answered_with_those_that_exist():
    with pytest.raises(boildown.UnknownName, match="there is no `dmin` among halving"):
        boildown.minimize("abc", has_ab, algorithm="dmin")
    with pytest.raises(boildown.UnknownName, match="raise, unresolved"):
        boildown.minimize("abc", has_ab, on_error="ignore")
    with pytest.raises(TypeError, match="has to be callable"):
        boildown.minimize("abc", "test.sh")
    with pytest.raises(ValueError, match="at least 1"):
        boildown.minimize("abc", has_ab, jobs=0)
    with pytest.raises(TypeError, match="wrokers"):
        boildown.minimize("abc", has_ab, wrokers=2)


@pytest.mark.parametrize("jobs", [1, 4])
def test_a_limit_on_tests_leaves_the_best_result_so_far(jobs):
    trace = []
    result = boildown.minimize(
        range(100), lambda kept: 50 in kept, jobs=jobs, max_tests=3, trace=trace
    )
    assert 50 in result
    assert len(trace) == 4
    assert trace[-1]["stopped"] == "tests"
    assert trace[-1]["best"] == len(result)


@pytest.mark.parametrize("jobs", [1, 4])
def test_a_stop_ends_the_search_with_its_best_result(jobs):
    stop = boildown.Stop()

    def test(kept):
        if len(kept) < 50:
            stop.set()
        return 7 in kept

    trace = []
    result = boildown.minimize(range(100), test, jobs=jobs, stop=stop, trace=trace)
    assert 7 in result
    assert trace[-1]["stopped"] == "stop"


def test_an_exception_of_a_consumer_of_events_ends_the_search():
    def on_event(event):
        raise LookupError("full")

    with pytest.raises(LookupError, match="full"):
        boildown.minimize("abc", has_ab, on_event=on_event)


@pytest.mark.parametrize("jobs", [1, 3])
def test_ctrl_c_ends_the_search(jobs):
    main = threading.get_ident()
    signals = [signal.SIGINT]

    def test(kept):
        if len(kept) < 20:
            with contextlib.suppress(IndexError):  # One thread sends it, once.
                signal.pthread_kill(main, signals.pop())
        return 7 in kept

    with pytest.raises(KeyboardInterrupt):
        boildown.minimize(range(100), test, jobs=jobs)


def test_other_threads_run_while_a_search_waits_for_its_test():
    # Each job waits until as many tests as jobs run at the same time.
    barrier = threading.Barrier(3)
    met = []

    def test(kept):
        if not met and len(kept) < 30:
            barrier.wait(60)
            met.append(True)
        return 7 in kept

    assert boildown.minimize(range(30), test, jobs=3) == [7]
    assert met


def test_events_can_be_iterated_over():
    with boildown.iter_minimize("xxaxxbxx", has_ab, algorithm="ddmin") as events:
        rows = list(events)
    assert rows[-1]["event"] == "end"
    assert [row["test"] for row in rows[:-1]] == list(range(1, len(rows)))
    assert events.result == "ab"
    assert list(events) == []


def test_closing_the_events_stops_the_search():
    events = boildown.iter_minimize(range(100000), lambda kept: 7 in kept)
    next(events)
    events.close()
    assert 7 in events.result


def test_errors_are_raised_where_the_events_are_read():
    events = boildown.iter_minimize("abc", lambda kept: False)
    with pytest.raises(boildown.NotInteresting):
        next(events)
    with pytest.raises(boildown.NotInteresting):
        events.result  # noqa: B018


def test_a_search_can_be_driven_step_by_step():
    asked = []
    search = boildown.Search("xaxbx", algorithm="ddmin")
    while (candidate := search.ask()) is not None:
        assert search.ask() == candidate
        asked.append("".join(candidate))
        search.tell(has_ab(candidate))
    assert search.best == ["a", "b"]
    assert search.best_indices == [1, 3]
    assert search.ask_indices() is None
    with pytest.raises(ValueError, match="call `ask`"):
        search.tell(True)

    called = []

    def test(kept):
        called.append("".join(kept))
        return has_ab(kept)

    boildown.minimize("xaxbx", test, algorithm="ddmin")
    assert called[1:] == asked


def test_raises_tells_exceptions_apart():
    test = boildown.raises(int, ValueError, match="invalid literal")
    assert test("x")
    assert not test("1")
    assert not boildown.raises(int, TypeError)("x")


def test_every_algorithm_of_the_command_is_listed():
    rows = boildown.algorithms()
    assert {"halving", "ddmin", "probdd", "perses", "dd+"} <= {row["name"] for row in rows}
    assert all(row["guarantee"] and row["cost"] and row["source"] for row in rows)
