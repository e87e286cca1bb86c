"""Points that are enabled one by one, in the protocol of Go's bisect tool.

A program asks `Points.enabled(name)` before it does something in a new way. The pattern in an
environment variable decides by the hash of the name:

    n           no point
    y           all points
    +ENDING...  points whose hash ends with one of these binary digits (x: hexadecimal ones)
    -ENDING     not those, after the others

A `v` before it reports all points, a `q` none, a `!` negates it. Without the variable, all points
are enabled and none is reported.
"""

import os
import sys


def hash_of(name):
    """The 64 bits of FNV-1a."""
    value = 0xCBF29CE484222325
    for byte in name.encode():
        value = (value ^ byte) * 0x100000001B3 % 2**64
    return value


def parse(text):
    """Returns what to report, whether to negate, and the terms (enable, ending, bits)."""
    report, negated = "enabled", False
    while text[:1] in ("v", "q", "!"):
        if text[0] == "!":
            negated = not negated
        else:
            report = {"v": "all", "q": "none"}[text[0]]
        text = text[1:]
    if text == "n":
        return report, not negated, [(True, 0, 0)]
    if not text.startswith(("+", "-")):
        text = "+" + text
    elif text.startswith("-"):
        text = "+y" + text
    terms = []
    for term in text.replace("-", "+-").split("+")[1:]:
        enable, ending = not term.startswith("-"), term.lstrip("-")
        if ending == "y":
            terms.append((enable, 0, 0))
        elif ending.startswith("x"):
            terms.append((enable, int(ending[1:], 16), 4 * len(ending[1:])))
        else:
            terms.append((enable, int(ending, 2), len(ending)))
    return report, negated, terms


class Points:
    def __init__(self, variable):
        text = os.environ.get(variable)
        self.report, self.negated, self.terms = parse(text) if text else ("none", False, [(True, 0, 0)])
        self.reported = set()

    def enabled(self, name):
        value = hash_of(name)
        # The last term that fits decides.
        fits = [enable for enable, ending, bits in self.terms if value % 2**bits == ending]
        enabled = (fits[-1] if fits else False) != self.negated
        if (self.report == "all" or self.report == "enabled" and enabled) and name not in self.reported:
            self.reported.add(name)
            print(f"{name} [bisect-match {value:#018x}]", file=sys.stderr)
        return enabled
