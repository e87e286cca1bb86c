"""What results say, options, commands as tests, and progress."""

import os
import pickle
import sys

import pytest

import boildown


def has_6(kept):
    return 6 in kept


def test_a_result_says_how_its_search_ended():
    trace = []
    result = boildown.minimize(range(8), has_6, trace=trace)
    assert result == [6] and isinstance(result, list)
    assert (result.finished, result.reason) == (True, None)
    assert (result.tests, result.runs) == (trace[-1]["tests"], trace[-1]["runs"])
    stopped = boildown.minimize(range(64), has_6, max_tests=2)
    assert (stopped.finished, stopped.reason, stopped.tests) == (False, "tests", 2)
    assert pickle.loads(pickle.dumps(stopped)).reason == "tests"


@pytest.mark.parametrize("data", ["ab", b"ab", ("a", "b"), ["a", "b"]])
def test_a_result_has_the_type_of_the_input_and_the_test_gets_that_type(data):
    types = set()
    result = boildown.minimize(data, lambda kept: types.add(type(kept)) is None)
    assert types == {type(data)}
    assert isinstance(result, type(data)) and result == data[:0] and result.finished


def test_contents_and_differences_say_it_too():
    reduced = boildown.reduce("a = 1\nb = 2\n", lambda text: "b" in text)
    assert reduced.finished and reduced.tests > 0
    difference = boildown.isolate("ab", "cd", lambda text: "d" in text)
    assert difference.finished and difference.runs >= difference.tests + 2
    passing, failing = difference
    assert difference == (passing, failing)


def test_runs_count_every_call_of_the_test():
    calls = []

    def test(kept):
        calls.append(kept)
        return has_6(kept)

    result = boildown.minimize(range(20), test)
    assert result.runs == result.tests + 1 == len(calls)
    calls.clear()
    result = boildown.minimize(range(20), test, jobs=2)
    # A guess that is still running at the end is not counted.
    assert result.tests < result.runs <= len(calls)


def test_a_misspelled_option_is_named_with_the_one_that_was_meant():
    for options, meant in [({"job": 3}, "`job`; did you mean `jobs`?"), ({"unit": "lines"}, "`units`?")]:
        with pytest.raises(TypeError) as raised:
            boildown.reduce("a", bool, **options)
        assert str(raised.value).startswith("reduce() has no option")
        assert meant in str(raised.value)
    with pytest.raises(TypeError, match="no option `zzz`$"):
        boildown.minimize([], bool, zzz=1)


def test_a_bare_algorithm_asks_no_more_than_it_needs():
    swept = boildown.minimize(range(8), has_6, algorithm="bisection")
    bare = boildown.minimize(range(8), has_6, algorithm="bisection", sweep=False)
    assert swept == bare == [6]
    assert bare.tests < swept.tests
    search = boildown.Search(range(8), algorithm="bisection", sweep=False)
    tests = 0
    while (kept := search.ask()) is not None:
        tests += 1
        search.tell(has_6(kept))
    assert (search.best, tests) == ([6], bare.tests)


def test_passes_are_chosen_by_name():
    text = "int a;\nint b;\n"
    passes = set()

    def note(event):
        passes.add(event.get("pass"))

    boildown.reduce(text, lambda text: "b" in text, language="C", passes=["tokens"], on_event=note)
    assert passes - {None} == {"tokens"}
    with pytest.raises(boildown.UnknownName, match="no pass `none-such` among"):
        boildown.reduce(text, bool, language="C", passes=["none-such"])
    with pytest.raises(ValueError, match="both"):
        boildown.reduce(text, bool, language="C", passes=["tokens", "-rewriting"])


def test_a_command_is_a_test():
    fails = boildown.Command([sys.executable, "{}"], exit=1, stderr="Zero")
    program = "import os\nx = 1\nprint(x / 0)\n"
    assert boildown.reduce(program, fails, units="lines") in ("print(x / 0)\n", program[10:])
    assert boildown.Command(["cat"], stdin=True, stdout="b")("abc")
    assert not boildown.Command(["cat"], stdin=True, stdout="^b")("abc")
    assert boildown.Command(["grep", "-qx", "7"])([6, 7])
    assert boildown.Command(["sh", "-c", "kill -9 $$"], exit=-9)("")
    assert boildown.Command(["false"], exit="nonzero")("")
    with pytest.raises(TypeError, match="list of words"):
        boildown.Command("gcc -c")
    with pytest.raises(FileNotFoundError):
        boildown.Command(["no-such-program-here"])("")


@pytest.mark.skipif(not hasattr(os, "waitid"), reason="processes cannot be left unreaped")
def test_a_group_is_killed_while_its_number_belongs_to_it(monkeypatch):
    kill, killed = os.killpg, []

    def kill_what_is_there(group, number):
        os.kill(group, 0)
        killed.append(group)
        kill(group, number)

    monkeypatch.setattr(os, "killpg", kill_what_is_there)
    assert boildown.Command(["true"])("")
    assert len(killed) == 1


def test_a_command_that_hangs_is_unresolved_and_ends_with_what_it_started(tmp_path):
    mark = tmp_path / "mark"
    hangs = boildown.Command(["sh", "-c", f"(sleep 1; touch {mark}) & sleep 60"], timeout=0.2)
    assert hangs("") is boildown.Verdict.UNRESOLVED
    import time

    time.sleep(1.2)
    assert not mark.exists()


def test_progress_is_a_picture_of_the_run():
    progress = boildown.Progress()
    assert repr(progress) == "<Progress: no test yet>"
    boildown.minimize(range(64), has_6, on_event=progress)
    assert (progress.first, progress.best, progress.has_ended) == (64, 1, True)
    sizes = [size for _, size in progress.points]
    assert sizes == sorted(sizes, reverse=True) and sizes[-1] == 1
    assert "<polyline" in progress._repr_html_() and "1 left of 64" in progress._repr_html_()


def test_progress_is_shown_again_in_a_notebook(monkeypatch):
    shown = []

    class Handle:
        def update(self, picture):
            shown.append("update")

    class Module:
        @staticmethod
        def display(picture, display_id):
            shown.append("display")
            return Handle()

        @staticmethod
        def get_ipython():
            return type("Shell", (), {"kernel": True})()

    monkeypatch.setitem(sys.modules, "IPython", Module)
    monkeypatch.setitem(sys.modules, "IPython.display", Module)
    boildown.minimize(range(64), has_6, on_event=boildown.Progress())
    assert shown == ["display", "update"]


def test_a_test_of_hypothesis_gets_the_candidate():
    def given(function):
        def wrapper():
            raise AssertionError("makes examples")

        wrapper.hypothesis = type("Handle", (), {"inner_test": staticmethod(function)})()
        return wrapper

    @given
    def test_sizes(numbers):
        assert sum(numbers) < 10

    assert boildown.minimize([1, 9, 3], boildown.raises(test_sizes, AssertionError)) == [1, 9]
