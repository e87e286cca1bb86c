"""Results that say how their search ended."""


class _Ended:
    """How the search of a result ended, and what it took."""

    #: Whether the search came to its end, so that its claim holds.
    finished = True
    #: What ended it early: `"tests"`, `"time"` or `"stop"`; else `None`.
    reason = None
    #: Verdicts that the search received.
    tests = 0
    #: Calls of the test, with those on the inputs.
    runs = 0


class ListResult(_Ended, list):
    """A list with `finished`, `reason`, `tests` and `runs` of its search."""


class TupleResult(_Ended, tuple):
    """A tuple with `finished`, `reason`, `tests` and `runs` of its search."""


class TextResult(_Ended, str):
    """A `str` with `finished`, `reason`, `tests` and `runs` of its search."""


class BytesResult(_Ended, bytes):
    """Bytes with `finished`, `reason`, `tests` and `runs` of its search."""


_TYPES = {list: ListResult, tuple: TupleResult, str: TextResult, bytes: BytesResult}


def with_end(value, reason, tests, runs, make=None):
    """Returns a result with the end of its search."""
    result = (make or _TYPES[type(value)])(value)
    result.finished = reason is None
    result.reason = reason
    result.tests = tests
    result.runs = runs
    return result
