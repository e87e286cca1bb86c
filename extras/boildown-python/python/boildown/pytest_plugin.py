"""Plugin of pytest.

`--boildown-order` says which earlier tests make a test fail. `--boildown-example FILE` gives a file
to the tests that use the fixture `boildown_example`, and reduces it when one of them fails;
`--boildown-write-test FILE` makes a test of the result.
"""

import argparse
import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import pytest
from _pytest.runner import runtestprotocol

# The test runs under its name, with another file.
REDUCED_TEST = """\
\"\"\"An example on which `{test}` failed, reduced by boildown.\"\"\"

import pytest

from {module} import {test}  # noqa: F401


@pytest.fixture
def boildown_example(tmp_path):
    path = tmp_path / {name!r}
    path.write_bytes({content!r})
    return path
"""

# Options of the run itself, with the number of values that follow them.
OWN_OPTIONS = {"--boildown-order": 0, "--boildown-jobs": 1}

# A run may take this many times as long as the first one, and never less than this, in seconds.
TIMES_FIRST_RUN = 10
SHORTEST_LIMIT = 10


def pytest_addoption(parser):
    group = parser.getgroup("boildown")
    group.addoption(
        "--boildown-order",
        action="store_true",
        help="for each test that fails, find the earlier tests without which it passes",
    )
    group.addoption(
        "--boildown-jobs",
        type=int,
        default=1,
        metavar="N",
        help="with --boildown-order, runs of pytest at the same time",
    )
    group.addoption(
        "--boildown-example",
        metavar="FILE",
        help="the file for the fixture boildown_example; a failing one is reduced",
    )
    group.addoption(
        "--boildown-write-test",
        metavar="FILE",
        help="with --boildown-example, write a file with a test of the reduced example",
    )
    # Runs only the tests that the file names, in its order, and says how the last one ended.
    group.addoption("--boildown-select", metavar="FILE", help=argparse.SUPPRESS)


def pytest_configure(config):
    if config.getoption("boildown_select"):
        config.pluginmanager.register(SelectedTests(config), "boildown-selected")
    elif config.getoption("boildown_order"):
        config.pluginmanager.register(Order(config), "boildown-order-search")
    if config.getoption("boildown_example"):
        config.pluginmanager.register(Example(config), "boildown-example")
    elif config.getoption("boildown_write_test"):
        raise pytest.UsageError("--boildown-write-test needs --boildown-example FILE")


@pytest.fixture
def boildown_example(request):
    """The path of the file given by --boildown-example. Without the option, the test is skipped."""
    example = request.config.pluginmanager.get_plugin("boildown-example")
    if example is None:
        pytest.skip("no file is given by --boildown-example")
    return example.path


def _failure(report):
    """Returns what tells one failure of a test from another: its phase, place and first line."""
    crash = getattr(report.longrepr, "reprcrash", None)
    if crash is None:
        return [report.when, None, None, None]
    kind = crash.message.partition("\n")[0].partition(":")[0]
    return [report.when, str(crash.path), crash.lineno, kind]


class SelectedTests:
    """Runs some tests in a given order, for a search in another process."""

    def __init__(self, config):
        self._path = Path(config.getoption("boildown_select"))
        self._names = json.loads(self._path.read_text())
        self._failure = None
        self._has_ended = False

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items):
        by_name = {item.nodeid: item for item in items}
        items[:] = [by_name[name] for name in self._names if name in by_name]

    def pytest_runtest_logreport(self, report):
        if report.nodeid != self._names[-1]:
            return
        self._has_ended |= report.when == "teardown"
        if report.failed and report.when != "teardown":
            self._failure = self._failure or _failure(report)

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, exitstatus):
        if exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED) and self._has_ended:
            result = self._path.with_suffix(".result")
            result.write_text(json.dumps({"failure": self._failure}))


class Order:
    """Finds the earlier tests that make a test fail."""

    def __init__(self, config):
        self._config = config
        # Tests may change the environment of this process.
        self._environment = dict(os.environ)
        self._began = time.monotonic()
        self._ran = []
        self._failures = {}
        self._lines = []

    def pytest_runtest_logreport(self, report):
        if report.when == "setup":
            self._ran.append(report.nodeid)
        if report.failed and report.when != "teardown":
            self._failures.setdefault(report.nodeid, _failure(report))

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self):
        if hasattr(self._config, "workerinput"):
            return  # A worker of pytest-xdist.
        first_run = time.monotonic() - self._began
        limit = max(TIMES_FIRST_RUN * first_run, SHORTEST_LIMIT)
        for victim, failure in self._failures.items():
            earlier = self._ran[: self._ran.index(victim)]
            self._lines += self._explain(victim, failure, earlier, limit)

    def pytest_terminal_summary(self, terminalreporter):
        if self._lines:
            terminalreporter.section("boildown: order of tests")
            for line in self._lines:
                terminalreporter.write_line(line)

    def _explain(self, victim, failure, earlier, limit):
        import boildown

        with (
            tempfile.TemporaryDirectory(prefix="boildown-order-") as folder,
            Runs(self._config, self._environment, folder, victim, failure, limit) as runs,
        ):
            if runs(()) is boildown.Verdict.INTERESTING:
                return [f"{victim} fails alone too"]
            try:
                needed = boildown.minimize(
                    earlier, runs, jobs=self._config.getoption("boildown_jobs")
                )
            except boildown.NotInteresting:
                return [f"{victim} did not fail again after the {len(earlier)} tests before it"]
        names = " ".join(_quoted(name) for name in [*needed, victim])
        return [
            f"{victim} fails after {len(needed)} of the {len(earlier)} tests before it"
            f" ({runs.count} runs):",
            *(f"    {name}" for name in needed),
            f"to repeat: pytest {names}",
        ]


class Runs:
    """A test of a list of earlier tests: whether the victim fails after them as it did.

    A run that takes longer than the limit, in seconds, is stopped and proves nothing. Each run is a
    session of its own, so that what it has started ends with it; Ctrl-C stops those that run.
    """

    def __init__(self, config, environment, folder, victim, failure, limit):
        self._limit = limit
        self._terminal = config.pluginmanager.get_plugin("terminalreporter")
        self._is_quiet = config.get_verbosity() < 0
        self._lock = threading.Lock()
        self._running = set()
        self._is_closed = False
        self._handler = None
        self._environment = environment
        self._folder = Path(folder)
        self._victim = victim
        self._failure = failure
        self._directory = config.invocation_params.dir
        self.count = 0
        self._arguments = [*_without_own_options(config.invocation_params.args), "--maxfail=0"]
        self._arguments.append(f"--rootdir={config.rootpath}")
        # Nothing of the user's is written: no cache, no report.
        self._arguments += ["-o", f"cache_dir={folder}/cache", f"--junit-xml={folder}/report"]
        if config.pluginmanager.hasplugin("xdist"):
            self._arguments.append("-n0")
        if config.pluginmanager.hasplugin("_cov"):
            self._arguments.append("--no-cov")

    def __enter__(self):
        if threading.current_thread() is threading.main_thread():
            self._handler = signal.signal(signal.SIGINT, self._interrupted)
        return self

    def __exit__(self, *exception):
        if self._handler is not None:
            signal.signal(signal.SIGINT, self._handler)
        self._close()

    def _interrupted(self, number, frame):
        self._close()
        raise KeyboardInterrupt

    def _close(self):
        """Ends the runs, and those that would begin."""
        # Without the lock: a signal may come while this thread holds it.
        self._is_closed = True
        for process in list(self._running):
            _kill(process)

    def __call__(self, earlier):
        began = time.monotonic()
        verdict, ending = self._run(earlier)
        with self._lock:
            self.count += 1
            if self._terminal is not None and not self._is_quiet:
                self._terminal.ensure_newline()
                self._terminal.write_line(
                    f"boildown: run {self.count}: {self._victim} {ending} after {len(earlier)}"
                    f" other tests ({time.monotonic() - began:.1f} s)"
                )
        return verdict

    def _run(self, earlier):
        """Returns the verdict on a list of earlier tests, and how the test ended after them."""
        from boildown import Verdict

        folder = Path(tempfile.mkdtemp(dir=self._folder))
        selected = folder / "selected.json"
        selected.write_text(json.dumps([*earlier, self._victim]))
        own = [f"--basetemp={folder}/temp", f"--boildown-select={selected}"]
        if not self._ends([sys.executable, "-m", "pytest", *self._arguments, *own]):
            return Verdict.UNRESOLVED, f"was stopped at the limit of {self._limit:.0f} s"
        try:
            failure = json.loads(selected.with_suffix(".result").read_text())["failure"]
        except FileNotFoundError:
            return Verdict.UNRESOLVED, "was not run to its end"
        if failure is None:
            return Verdict.UNINTERESTING, "passes"
        if failure == self._failure:
            return Verdict.INTERESTING, "fails as before"
        return Verdict.UNRESOLVED, "fails otherwise"

    def _ends(self, command):
        """Runs a command. Returns whether it has ended within the limit."""
        process = subprocess.Popen(
            command,
            cwd=self._directory,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        self._running.add(process)
        try:
            if self._is_closed:
                return False
            process.wait(self._limit)
        except subprocess.TimeoutExpired:
            return False
        finally:
            _kill(process)
            process.wait()
            self._running.discard(process)
        return True


def _kill(process):
    """Ends a process and its group, unless it has ended: then its number may be another's."""
    if process.returncode is not None:
        return
    with contextlib.suppress(OSError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()


def _without_own_options(arguments):
    kept = []
    skipped = 0
    for argument in map(os.fspath, arguments):
        if skipped:
            skipped -= 1
            continue
        name, equals, _ = argument.partition("=")
        if name in OWN_OPTIONS:
            skipped = 0 if equals else OWN_OPTIONS[name]
        else:
            kept.append(argument)
    return kept


def _quoted(name):
    import shlex

    return shlex.quote(name)


class Example:
    """Runs tests on a file, and reduces it when one of them fails."""

    def __init__(self, config):
        self.path = Path(config.getoption("boildown_example")).resolve()
        if not self.path.is_file():
            raise pytest.UsageError(f"--boildown-example: there is no file {self.path}")
        self._original = self.path
        self._lines = []
        test = config.getoption("boildown_write_test")
        self._test = None if test is None else Path(test).absolute()
        if self._test is not None and self._test.exists():
            raise pytest.UsageError(f"--boildown-write-test: {self._test} exists")

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item, nextitem):
        if "boildown_example" not in getattr(item, "fixturenames", ()):
            return None
        item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
        reports = runtestprotocol(item, log=False, nextitem=nextitem)
        failure = _first_failure(reports)
        if failure is not None:
            self._reduce(item, nextitem, failure)
        for report in reports:
            item.ihook.pytest_runtest_logreport(report=report)
        item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
        return True

    def _reduce(self, item, nextitem, failure):
        import boildown

        original = self._original
        tests = 0

        def fails_alike(content):
            nonlocal tests
            tests += 1
            self.path.write_bytes(content)
            item._initrequest()
            reports = runtestprotocol(item, log=False, nextitem=nextitem)
            found = _first_failure(reports)
            if found is None:
                return boildown.Verdict.UNINTERESTING
            alike = found == failure
            return boildown.Verdict.INTERESTING if alike else boildown.Verdict.UNRESOLVED

        content = original.read_bytes()
        with tempfile.TemporaryDirectory(prefix="boildown-example-") as folder:
            self.path = Path(folder) / original.name
            try:
                reduced = boildown.reduce(content, fails_alike, file_name=original.name)
            except boildown.NotInteresting:
                self._lines.append(f"{item.nodeid} did not fail again on {original.name}")
                return
            finally:
                self.path = original
        result = original.with_name(f"{original.stem}.min{original.suffix}")
        result.write_bytes(reduced)
        self._lines.append(
            f"{item.nodeid}: {len(content)} bytes -> {len(reduced)} bytes, {tests} tests: {result}"
        )
        if self._test is not None:
            self._lines.append(self._write_test(item, reduced))

    def _write_test(self, item, reduced):
        """Writes the test of the reduced example. Returns what to say about it."""
        if item.cls is not None:
            return f"{item.nodeid} is a method: no test of the reduced example is written"
        path, self._test = self._test, None  # One test only, of the first failure.
        path.write_text(
            REDUCED_TEST.format(
                module=item.module.__name__,
                test=item.originalname,
                name=self._original.name,
                content=bytes(reduced),
            )
        )
        return f"a test of the reduced example: pytest {_quoted(os.path.relpath(path))}"

    def pytest_terminal_summary(self, terminalreporter):
        if self._lines:
            terminalreporter.section("boildown: reduced example")
            for line in self._lines:
                terminalreporter.write_line(line)


def _first_failure(reports):
    failed = [report for report in reports if report.failed and report.when != "teardown"]
    return _failure(failed[0]) if failed else None
