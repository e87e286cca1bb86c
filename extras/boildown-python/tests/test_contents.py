"""Contents of files: reductions and isolations."""

import pytest

import boildown

PROGRAM = """\
#include <stdio.h>

int unused(int a) { return a + 1; }

int main(void) {
    for (int i = 0; i < 10; i++) {
        if (i % 2) {
            printf("%d\\n", crash(i, 3 * i));
        }
    }
    return 0;
}
"""


@pytest.mark.parametrize("jobs", [1, 3])
def test_a_program_is_reduced_in_its_language(jobs):
    trace = []
    reduced = boildown.reduce(
        PROGRAM, lambda text: "crash(" in text, file_name="a.c", jobs=jobs, trace=trace
    )
    assert len(reduced) <= len("crash(i);\n")
    assert "crash(" in reduced
    assert {event.get("pass") for event in trace} >= {"coarse tree", "tokens"}


def test_bytes_are_reduced_as_bytes():
    data = bytes(range(256)) * 2
    assert boildown.reduce(data, lambda kept: b"\xff\x00" in kept) == b"\xff\x00"


def test_a_test_of_a_str_is_never_shown_what_is_no_text():
    assert boildown.reduce("aaß🙂bb", lambda text: "ß🙂" in text, language="none") == "ß🙂"


def test_only_lines_are_removed_on_request():
    text = "one two\nthree four\nfive\n"
    assert boildown.reduce(text, lambda kept: "four" in kept, units="lines") == "three four\n"


def test_an_algorithm_and_a_schedule_can_be_chosen():
    for schedule in ["hddr", "perses", "hdd*"]:
        reduced = boildown.reduce(
            PROGRAM,
            lambda text: "crash(" in text,
            language="C",
            algorithm="ddmin",
            schedule=schedule,
        )
        assert "crash(" in reduced and len(reduced) < 40, schedule


def test_wrong_names_and_types_of_reductions_are_refused():
    def test(text):
        return True

    with pytest.raises(boildown.UnknownName, match="no language `Sea`"):
        boildown.reduce("a", test, language="Sea")
    with pytest.raises(boildown.UnknownName, match="no unit `words` among lines"):
        boildown.reduce("a", test, units="words")
    with pytest.raises(boildown.UnknownName, match="there is no `hdr` among"):
        boildown.reduce("a", test, schedule="hdr")
    with pytest.raises(TypeError, match="bytes or a str, not list"):
        boildown.reduce(["a"], test)
    with pytest.raises(boildown.NotInteresting):
        boildown.reduce("a", lambda text: False)


def test_a_difference_is_narrowed_from_both_sides():
    good = '{"size": 10, "mode": "fast", "level": 3}\n'
    bad = '{"size": 20, "mode": "slow", "level": 9}\n'
    difference = boildown.isolate(
        good, bad, lambda text: "slow" in text, file_name="a.json", units="keys"
    )
    assert "slow" not in difference.passing and "slow" in difference.failing
    assert difference.passing.replace("fast", "slow") == difference.failing


def test_mixtures_may_be_unresolved():
    def test(text):
        if text.count("(") != text.count(")"):
            return boildown.Verdict.UNRESOLVED
        return "(" in text

    passing, failing = boildown.isolate("a b c", "a (b) d", test)
    assert not test(passing)
    assert test(failing)


def test_both_inputs_of_an_isolation_are_checked():
    with pytest.raises(boildown.NotInteresting, match="the good input is interesting"):
        boildown.isolate("ab", "ac", lambda text: True)
    with pytest.raises(boildown.NotInteresting, match="the bad input is uninteresting"):
        boildown.isolate("ab", "ac", lambda text: False)
    with pytest.raises(TypeError, match="both"):
        boildown.isolate("ab", b"ac", lambda text: True)


def test_events_of_a_reduction_can_be_iterated_over():
    events = boildown.iter_reduce("one\ntwo\n", lambda text: "two" in text)
    sizes = [event["best"] for event in events]
    assert sizes == sorted(sizes, reverse=True)
    assert events.result.strip() == "two"
    difference = boildown.iter_isolate("a", "b", lambda text: "b" in text).result
    assert "b" in difference.failing
