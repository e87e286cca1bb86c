"""What a search reports."""

from typing import Literal, Optional, TypedDict

# A key that is a word of Python.
_EventOfPass = TypedDict("_EventOfPass", {"pass": Optional[str]}, total=False)


class Event(_EventOfPass, total=False):
    """A dictionary about a test, or about the end of a search."""

    event: Literal["test", "end"]
    test: int
    verdict: Literal["interesting", "uninteresting", "unresolved"]
    size: int
    best: int
    elapsed: float
    stopped: Optional[Literal["tests", "time", "stop"]]
    tests: int
    runs: int
