"""Progress of a search: a picture in a notebook, a line on a terminal."""

import sys
import time

WIDTH, HEIGHT = 480, 120
#: The most updates in a second.
RATE = 5


class Progress:
    """Shows the size of the best result while a search runs; for the option `on_event`.

    In a notebook it is a curve that grows, and stays at the end; on a terminal it is a line.
    Elsewhere nothing is shown.

    >>> from boildown import Progress, minimize
    >>> progress = Progress()
    >>> minimize("abcd", lambda text: "c" in text, on_event=progress)
    'c'
    >>> progress
    <Progress: 1 left of 4 after 4 tests>
    """

    def __init__(self):
        self.first = None
        self.best = None
        self.tests = 0
        self.has_ended = False
        #: The numbers of tests after which the best result was smaller, with its size.
        self.points = []
        self._shown = 0.0
        self._handle = None

    def __call__(self, event):
        is_end = event["event"] == "end"
        self.tests = event["tests"] if is_end else event["test"]
        if self.first is None:
            self.first = event.get("input", event["best"])
        if event["best"] != self.best:
            self.best = event["best"]
            self.points.append((self.tests, self.best))
        self.has_ended = is_end
        now = time.monotonic()
        if is_end or now - self._shown >= 1 / RATE:
            self._shown = now
            self._show()

    def __repr__(self):
        if self.best is None:
            return "<Progress: no test yet>"
        return f"<Progress: {self.best} left of {self.first} after {self.tests} tests>"

    def _repr_html_(self):
        """Returns the curve: tests to the right, size of the best result upwards."""
        if self.best is None:
            return repr(self).strip("<>")
        steps = []
        height = self.first
        for tests, size in [*self.points, (self.tests, self.best)]:
            x = WIDTH * tests / max(self.tests, 1)
            steps += [f"{x:.1f},{self._y(height)}", f"{x:.1f},{self._y(size)}"]
            height = size
        return (
            f'<svg viewBox="0 -2 {WIDTH} {HEIGHT + 4}" width="{WIDTH}" role="img">'
            f'<polyline fill="none" stroke="currentColor" points="0,{self._y(self.first)} '
            f'{" ".join(steps)}"/></svg>'
            f"<div>{self.best} left of {self.first}, {self.tests} tests</div>"
        )

    def _y(self, size):
        return f"{HEIGHT * (1 - size / max(self.first, 1)):.1f}"

    def _show(self):
        shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
        if shell is not None and hasattr(shell, "kernel"):
            from IPython.display import display

            if self._handle is None:
                self._handle = display(self, display_id=True)
            else:
                self._handle.update(self)
        elif sys.stderr.isatty():
            end = "\n" if self.has_ended else ""
            sys.stderr.write(f"\r\x1b[K{repr(self).strip('<>')}{end}")
            sys.stderr.flush()
