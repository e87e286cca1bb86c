"""Verdicts of tests."""

import enum


class Verdict(enum.Enum):
    """What a test may return instead of a `bool`.

    `UNRESOLVED` means that the test can't tell: the candidate is invalid, or it fails in another
    way. Searches for a small input treat it as `UNINTERESTING`; `isolate` does not.
    """

    INTERESTING = "interesting"
    UNINTERESTING = "uninteresting"
    UNRESOLVED = "unresolved"
