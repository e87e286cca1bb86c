"""Evaluates a table of sums with an optimiser that has a defect.

Each line of the table is `EXPRESSION = VALUE`. The optimiser rewrites parts of expressions; each
place at which it rewrites one is a point. Division rounds down, so `a / b * b` is not `a`.
"""

import re
import sys

from points import Points

RULES = [
    ("shift", r"\b(\w+) \* 2\b", r"(\1 << 1)"),
    ("add", r"\b(\w+) \+ 0\b", r"\1"),
    ("cancel", r"\b(\w+) / (\w+) \* \2\b", r"\1"),
    ("one", r"\b(\w+) \* 1\b", r"\1"),
]


def optimised(expression, place, points):
    for rule, pattern, replacement in RULES:
        if re.search(pattern, expression) and points.enabled(f"{place}: {rule}"):
            expression = re.sub(pattern, replacement, expression)
    return expression


def main(table):
    points = Points("OPTIMISE")
    wrong = []
    with open(table) as lines:
        for number, line in enumerate(lines, 1):
            expression, value = line.split(" = ")
            expression = optimised(expression, f"{table}:{number}", points)
            found = eval(expression.replace("/", "//"))
            if found != int(value):
                wrong.append(f"WrongValue: {line.strip()} became {found}")
    sys.exit("\n".join(wrong) or 0)


main(sys.argv[1])
