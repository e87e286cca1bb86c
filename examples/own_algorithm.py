"""A list algorithm for `--algorithm 'exec:python3 own_algorithm.py'`.

Deletes runs of elements from the back, first half of the list, then a quarter, and so on.
"""

import json
import sys


def holds(kept):
    print(json.dumps({"ask": kept}), flush=True)
    return json.loads(sys.stdin.readline())["verdict"] == "interesting"


def minimize(kept):
    length = len(kept) // 2
    while length > 0:
        end = len(kept)
        while end > 0:
            start = max(end - length, 0)
            shorter = kept[:start] + kept[end:]
            if holds(shorter):
                kept = shorter
            end = start
        length //= 2
    return kept


while line := sys.stdin.readline():
    size = json.loads(line)["size"]
    print(json.dumps({"result": minimize(list(range(size)))}), flush=True)
