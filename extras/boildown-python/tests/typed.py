"""A program that mypy accepts with --strict, and that shows which types the module gives."""

from typing import Optional

import boildown


def is_long(text: str) -> bool:
    return len(text) > 3


def parse(data: bytes) -> dict[str, int]:
    return {"size": 1 // data.count(b"x")}


def report(event: boildown.Event) -> None:
    if event["event"] == "end":
        print(event["runs"] - event["tests"], event["stopped"])


numbers: list[int] = boildown.minimize([1, 2, 3], lambda kept: 2 in kept, weights=lambda n: n + 1)
text: str = boildown.reduce("some text", is_long, passes=["lines"], on_event=report)
data = boildown.minimize(b"some", boildown.raises(parse, ZeroDivisionError))
reason: Optional[str] = data.reason
first: bytes = data[:1]
command = boildown.Command(["python3", "{}"], exit=1, stderr="Error", timeout=5)
source = boildown.reduce("raise LookupError", command, language="Python")
passed: str = boildown.isolate("a", "long", is_long).passing
with boildown.iter_minimize((1, 2), lambda kept: True) as events:
    sizes: list[int] = [event["best"] for event in events]
pair: tuple[int, ...] = events.result
bare = boildown.Search(range(8), algorithm="bisection", sweep=False)
progress = boildown.Progress()


async def in_a_loop() -> bytes:
    async def test(candidate: bytes) -> bool:
        return b"x" in candidate

    return await boildown.reduce_async(b"axb", test, jobs=2)
