"""The searches, with the conversions that Python does as well as Rust."""

import contextlib
import difflib
import queue
import re
import threading
from typing import NamedTuple

from boildown import _boildown
from boildown._boildown import UnknownName
from boildown._processes import ProcessTest
from boildown._results import _Ended, with_end

ON_ERROR = ("raise", "unresolved")
EXECUTORS = ("threads", "processes")


class _Pair(NamedTuple):
    passing: object
    failing: object


class Difference(_Ended, _Pair):
    """Two inputs that differ little: the test finds only the second one interesting.

    It has `finished`, `reason`, `tests` and `runs` of its search.
    """


def minimize(items, test, *, algorithm=None, weights=None, sweep=True, **options):
    """Returns the elements that `test` needs.

    Nothing of the result can be removed: without any single one of its elements, the test was not
    interesting. The result has the attributes `finished`, `reason` (what ended the search early),
    `tests` and `runs`.

    Args:
        items: a list, a tuple, a `str`, `bytes`, or any iterable. The test gets candidates of the
            same type, and the result has it too; of another iterable, it is a list.
        test: gets a candidate, returns whether it is interesting: a `bool` or a `Verdict`. It must
            be interesting on all items.
        algorithm: the name of a list algorithm, with parameters: `"ddmin"`, `"probdd:sigma=0.2"`.
            See `algorithms`. `"exec:COMMAND"` is that of a program of your own. By default `"group-testing"`, or `"halving"` with weights, and groups of
            neighbours that cannot be removed alone are tried at the end.
        weights: a positive integer for each item, or a function from an item to one. Heavy items
            are tried early.
        sweep: whether each element of the algorithm's result is tried alone at the end. Without it,
            the algorithm is bare, and its result may not be minimal.
        options: see below.

    Options of all searches:
        jobs: the number of tests that run at the same time. It changes the time, never the result.
        executor: `"threads"`, or `"processes"`: each job is a process of its own. The test has to
            be picklable then, and may crash.
        mp_context: the context of `multiprocessing` that starts the processes.
        test_timeout: seconds after which a test is unresolved, with processes only.
        on_error: what an exception of the test means: `"raise"` ends the search with it,
            `"unresolved"` is a verdict.
        max_tests: stop after this number of tests, with the best result so far.
        max_time: stop after this number of seconds.
        on_event: called with each event, a dictionary.
        trace: a list to which the events are appended.
        stop: a `Stop`, which ends the search from another thread.

    Raises:
        NotInteresting: the test is not interesting on all items.
        UnknownName: there is no such algorithm.

    >>> from boildown import minimize
    >>> minimize("a<b>c", lambda text: "<" in text and ">" in text)
    '<>'
    >>> trace = []
    >>> minimize(range(100), lambda kept: 13 in kept and 42 in kept, algorithm="ddmin", trace=trace)
    [13, 42]
    >>> trace[0]["event"], trace[0]["size"], trace[-1]["event"], trace[-1]["best"]
    ('test', 50, 'end', 2)
    """
    elements, sequence = _elements(items)
    if callable(weights):
        weights = [weights(element) for element in elements]
    with _settings(minimize, test, options) as (test, settings):
        result = _boildown.minimize(
            elements,
            test,
            sequence=sequence,
            algorithm=algorithm,
            weights=weights,
            sweep=sweep,
            settings=settings,
        )
    return with_end(*result)


def reduce(
    data,
    test,
    *,
    language=None,
    file_name=None,
    units="tokens",
    algorithm=None,
    schedule=None,
    passes=(),
    **options,
):
    """Returns the smallest content of a file that `test` is interesting on.

    Args:
        data: `bytes` or a `str`; the test gets the same type. Candidates that are not UTF-8 are
            not shown to a test that gets a `str`.
        test: gets a candidate, returns whether it is interesting: a `bool` or a `Verdict`.
        language: the name of a language, such as `"C++"`; `"none"` for no language. If it is not
            given, `file_name` decides, then the content. See `languages`.
        file_name: the name of the file, which need not exist.
        units: the smallest parts that are removed: `"lines"`, `"tokens"` or `"bytes"`.
        algorithm: the algorithm for lists, if another one is wanted.
        schedule: the algorithm for trees, such as `"hddr"` or `"perses"`.
        passes: the names of the passes to run, or with a dash of those to skip: `["-rewriting"]`.
        options: those of `minimize`.

    Raises:
        NotInteresting: the test is not interesting on `data`.
        UnknownName: there is no such language, unit or algorithm.

    >>> from boildown import reduce
    >>> program = "int twice(int a) { return 2 * a; }\\nint main() { return twice(21); }\\n"
    >>> reduce(program, lambda text: "main()" in text, language="C")
    'main()\\n'
    """
    content, is_text = _content(data)
    with _settings(reduce, test, options) as (test, settings):
        result = _boildown.reduce(
            content,
            test,
            is_text=is_text,
            language=language,
            file_name=_name(file_name),
            units=units,
            algorithm=algorithm,
            schedule=schedule,
            passes=[passes] if isinstance(passes, str) else list(passes),
            settings=settings,
        )
    return with_end(*result)


def isolate(good, bad, test, *, language=None, file_name=None, units="characters", **options):
    """Returns the smallest difference between an input that passes and one that fails.

    Args:
        good: `bytes` or a `str` on which the test is uninteresting.
        bad: one on which it is interesting, of the same type.
        test: gets a candidate, returns whether it is interesting. If it can't tell, as with a
            mixture that is invalid, it returns `Verdict.UNRESOLVED`.
        language, file_name: as for `reduce`.
        units: the finest units of the difference: `"keys"` of a configuration file, `"lines"`,
            `"tokens"` or `"characters"`.
        options: those of `minimize`.

    Raises:
        NotInteresting: an input does not have the verdict that it should have.

    >>> from boildown import isolate
    >>> isolate("timeout = 5\\nretries = 3\\n", "timeout = 50\\nretries = 0\\n",
    ...         lambda text: "retries = 0" in text, units="lines")
    Difference(passing='timeout = 50\\nretries = 3\\n', failing='timeout = 50\\nretries = 0\\n')
    """
    (good, is_text), (bad, bad_is_text) = _content(good), _content(bad)
    if is_text != bad_is_text:
        raise TypeError("both inputs have to be bytes, or both a str")
    with _settings(isolate, test, options) as (test, settings):
        pair, *end = _boildown.isolate(
            good,
            bad,
            test,
            is_text=is_text,
            language=language,
            file_name=_name(file_name),
            units=units,
            settings=settings,
        )
    return with_end(pair, *end, make=lambda pair: Difference(*pair))


class Events:
    """The events of a search that runs while they are read, and its result at the end.

    The search runs in a thread of its own. Closing the iterator, or leaving its `with` block, stops
    the search.

    >>> from boildown import iter_minimize
    >>> events = iter_minimize("abcd", lambda text: "c" in text)
    >>> sum(event["event"] == "test" for event in events) > 0
    True
    >>> events.result
    'c'
    """

    def __init__(self, search, arguments, options):
        self._stop = options.pop("stop", None) or _boildown.Stop()
        self._events = queue.SimpleQueue()
        self._outcome = None
        self._is_read = False
        _add_consumer(options, self._events.put)
        self._thread = threading.Thread(
            target=self._run,
            args=(search, arguments, {**options, "stop": self._stop}),
            name="boildown",
            daemon=True,
        )
        self._thread.start()

    def _run(self, search, arguments, options):
        try:
            self._outcome = (search(*arguments, **options), None)
        except BaseException as error:  # It is raised where the events are read.
            self._outcome = (None, error)
        self._events.put(None)

    def __iter__(self):
        return self

    def __next__(self):
        event = None if self._is_read else self._events.get()
        if event is None:
            self._is_read = True
            self._thread.join()
            _, error = self._outcome
            if error is not None:
                raise error
            raise StopIteration
        return event

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()

    def close(self):
        """Stops the search, and returns when its running tests have ended."""
        self._stop.set()
        self._thread.join()

    @property
    def result(self):
        """The result. Waits for the end of the search, and raises what ended it."""
        self._thread.join()
        result, error = self._outcome
        if error is not None:
            raise error
        return result


def iter_minimize(items, test, **options):
    """Does the same as `minimize`, and returns an iterator of its events."""
    return Events(minimize, (items, test), options)


def iter_reduce(data, test, **options):
    """Does the same as `reduce`, and returns an iterator of its events."""
    return Events(reduce, (data, test), options)


def iter_isolate(good, bad, test, **options):
    """Does the same as `isolate`, and returns an iterator of its events."""
    return Events(isolate, (good, bad, test), options)


class Search:
    """The search of `minimize` as a state machine, for a loop of your own.

    >>> from boildown import Search
    >>> search = Search("abcdefgh", algorithm="probdd")
    >>> while (candidate := search.ask()) is not None:
    ...     search.tell("b" in candidate and "g" in candidate)
    >>> search.best
    ['b', 'g']
    """

    def __init__(self, items, algorithm=None, weights=None, sweep=True):
        self._items = list(items)
        if callable(weights):
            weights = [weights(item) for item in self._items]
        self._search = _boildown.ListSearch(len(self._items), algorithm, weights, sweep)

    def ask(self):
        """Returns the next candidate, a list; `None` when the search has finished."""
        kept = self._search.ask()
        return None if kept is None else [self._items[index] for index in kept]

    def ask_indices(self):
        """Returns the indices of the next candidate; `None` when the search has finished."""
        return self._search.ask()

    def tell(self, verdict):
        """Records the verdict on the candidate: a `bool` or a `Verdict`."""
        self._search.tell(verdict)

    @property
    def best(self):
        """The smallest candidate that was interesting."""
        return [self._items[index] for index in self._search.best]

    @property
    def best_indices(self):
        """The indices of the smallest candidate that was interesting."""
        return self._search.best


class raises:
    """A test: whether a function raises an exception.

    Candidates on which the function raises another exception are uninteresting. The function may be
    a test of Hypothesis with one argument: it gets the candidate in place of a made example.

    >>> from boildown import minimize, raises
    >>> minimize("12 + 3 / 0", raises(eval, ZeroDivisionError, match="division"))
    '3/0'
    """

    def __init__(self, function, exception=Exception, *, match=None):
        # What `@given` wraps.
        inner = getattr(getattr(function, "hypothesis", None), "inner_test", None)
        self.function = inner or function
        self.exception = exception
        self.match = match

    def __call__(self, candidate):
        try:
            self.function(candidate)
        except self.exception as error:
            return self.match is None or re.search(self.match, str(error)) is not None
        except Exception:
            return False
        return False


def algorithms(family=None):
    """Returns the algorithms, a dictionary each: name, family, parameters, guarantee, cost, source.

    Those of the family `"list"` are for `minimize`; those of `"tree"` are schedules of `reduce`.

    >>> from boildown import algorithms
    >>> [row["name"] for row in algorithms("list")][:3]
    ['halving', 'group-testing', 'adaptive']
    """
    rows = _boildown.algorithms()
    return [row for row in rows if family in (None, row["family"])]


def languages():
    """Returns the names of the languages that `reduce` knows.

    >>> from boildown import languages
    >>> "Python" in languages()
    True
    """
    return _boildown.languages()


def _elements(items):
    """Returns the elements as a list, and the name of the type that the test gets."""
    if isinstance(items, str):
        return list(items), "str"
    if isinstance(items, (bytes, bytearray)):
        return list(items), "bytes"
    return list(items), "tuple" if isinstance(items, tuple) else "list"


def _content(data):
    """Returns the content of a file as bytes, and whether it was a text."""
    if isinstance(data, str):
        return data.encode(), True
    if isinstance(data, (bytes, bytearray, memoryview)):
        return bytes(data), False
    raise TypeError(f"the input has to be bytes or a str, not {type(data).__name__}")


def _name(path):
    return None if path is None else str(path)


def _add_consumer(options, consumer):
    """Adds a consumer of events to those of the options."""
    earlier = options.get("on_event")

    def both(event):
        earlier(event)
        consumer(event)

    options["on_event"] = consumer if earlier is None else both


@contextlib.contextmanager
def _settings(search, test, options):
    """Returns the test to call, and the options of a search for the native part."""
    shared = _make_settings.__kwdefaults__
    for name in options:
        if name not in shared:
            similar = difflib.get_close_matches(name, [*shared, *search.__kwdefaults__], 1)
            meant = f"; did you mean `{similar[0]}`?" if similar else ""
            raise TypeError(f"{search.__name__}() has no option `{name}`{meant}")
    with contextlib.ExitStack() as stack:
        yield _make_settings(test, stack, **options)


def _make_settings(
    test,
    stack,
    *,
    jobs=1,
    executor="threads",
    mp_context=None,
    test_timeout=None,
    on_error="raise",
    max_tests=None,
    max_time=None,
    on_event=None,
    trace=None,
    stop=None,
):
    if not callable(test):
        raise TypeError(f"the test has to be callable, not {type(test).__name__}")
    if jobs < 1:
        raise ValueError(f"jobs has to be at least 1, not {jobs}")
    _check_choice("on_error", on_error, ON_ERROR)
    _check_choice("executor", executor, EXECUTORS)
    if executor == "threads" and (mp_context is not None or test_timeout is not None):
        raise ValueError("mp_context and test_timeout need executor='processes'")
    if trace is not None:
        consumers = {"on_event": on_event}
        _add_consumer(consumers, trace.append)
        on_event = consumers["on_event"]
    cancel = None
    if executor == "processes":
        test = stack.enter_context(ProcessTest(test, jobs, mp_context, test_timeout))
        cancel = test.close
    settings = _boildown.Settings(
        jobs,
        on_error == "unresolved",
        max_tests,
        max_time,
        on_event,
        stop,
        cancel,
    )
    return test, settings


def _check_choice(name, value, known):
    if value not in known:
        raise UnknownName(f"{name} has to be one of {', '.join(known)}, not {value!r}")
