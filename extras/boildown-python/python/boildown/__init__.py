"""Test-case reducer and delta debugger.

`minimize` finds the elements of a list that a property needs, `reduce` makes the content of a file
smaller, `isolate` narrows the difference between an input that passes and one that fails.

>>> import boildown
>>> boildown.minimize([1, 5, 2, 7, 4], lambda numbers: sum(numbers) >= 12)
[5, 7]
>>> boildown.reduce('{"a": [1, 2], "b": {"c": null}}', lambda text: '"c"' in text, units="tokens")
'"c"'

A *test* gets a candidate and returns whether it is *interesting*: whether it still has the property
that has to be preserved, such as that a program crashes on it.
"""

from boildown._api import (
    Difference,
    Events,
    Search,
    algorithms,
    isolate,
    iter_isolate,
    iter_minimize,
    iter_reduce,
    languages,
    minimize,
    raises,
    reduce,
)
from boildown._async import isolate_async, minimize_async, reduce_async
from boildown._boildown import (
    Error,
    NotInteresting,
    Stop,
    UnknownName,
    __version__,
)
from boildown._command import Command
from boildown._events import Event
from boildown._processes import WorkerDied
from boildown._progress import Progress
from boildown._results import BytesResult, ListResult, TextResult, TupleResult
from boildown._verdict import Verdict

__all__ = [
    "BytesResult",
    "Command",
    "Difference",
    "Error",
    "Event",
    "Events",
    "ListResult",
    "NotInteresting",
    "Progress",
    "Search",
    "Stop",
    "TextResult",
    "TupleResult",
    "UnknownName",
    "Verdict",
    "WorkerDied",
    "__version__",
    "algorithms",
    "isolate",
    "isolate_async",
    "iter_isolate",
    "iter_minimize",
    "iter_reduce",
    "languages",
    "minimize",
    "minimize_async",
    "raises",
    "reduce",
    "reduce_async",
]
