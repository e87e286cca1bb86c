"""A command as a test."""

import contextlib
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

from boildown._verdict import Verdict


class Command:
    """A test: whether a command behaves as described on the candidate.

    The command runs in a fresh directory that holds only the candidate, as a file. A word `{}` is
    its path; without one, the path is the last word, unless the candidate is given to the command
    on standard input. The items of a list are lines.

    Without a condition, a candidate is interesting if the command exits with 0, as a test script
    does. A run that takes longer than `timeout` is ended, and unresolved.

    Args:
        words: the command and its arguments.
        exit: an exit status, a negative number for a signal, or `"nonzero"`.
        stdout, stderr: regular expressions that the output has to contain.
        file_name: the name of the file.
        stdin: whether the candidate is given on standard input.
        timeout: seconds that a run may take.

    >>> from boildown import Command, minimize
    >>> minimize("a needle", Command(["grep", "-q", "nee"]))
    'nee'
    >>> minimize("print(1/0)", Command(["python3"], exit=1, stderr="ZeroDivisionError"))
    '1/0'
    """

    def __init__(
        self,
        words,
        *,
        exit=None,
        stdout=None,
        stderr=None,
        file_name="input",
        stdin=False,
        timeout=60,
    ):
        if isinstance(words, (str, bytes)):
            raise TypeError("the command has to be a list of words, such as ['sh', 'test.sh']")
        self.words = [os.fspath(word) for word in words]
        if Path(self.words[0]).is_file():
            self.words[0] = str(Path(self.words[0]).absolute())
        if "{}" not in self.words and not stdin:
            self.words.append("{}")
        self.exit = 0 if (exit, stdout, stderr) == (None, None, None) else exit
        self.stdout = None if stdout is None else re.compile(stdout.encode())
        self.stderr = None if stderr is None else re.compile(stderr.encode())
        self.file_name = file_name
        self.stdin = stdin
        self.timeout = timeout

    def __call__(self, candidate):
        content = _content(candidate)
        directory = tempfile.mkdtemp(prefix="boildown-")
        try:
            path = Path(directory, self.file_name)
            path.write_bytes(content)
            words = [str(path) if word == "{}" else word for word in self.words]
            status, output = self._run(words, directory, content)
        except subprocess.TimeoutExpired:
            return Verdict.UNRESOLVED
        finally:
            # A process that escaped may still write there.
            shutil.rmtree(directory, ignore_errors=True)
        return self._ends_alike(status) and all(
            pattern is None or pattern.search(text) is not None
            for pattern, text in zip((self.stdout, self.stderr), output)
        )

    def _run(self, words, directory, content):
        """Returns the exit status of a command, and what it printed."""
        with (
            tempfile.TemporaryFile() as stdin,
            tempfile.TemporaryFile() as stdout,
            tempfile.TemporaryFile() as stderr,
        ):
            if self.stdin:
                stdin.write(content)
                stdin.seek(0)
            process = subprocess.Popen(
                words,
                cwd=directory,
                stdin=stdin,
                stdout=stdout,
                stderr=stderr,
                start_new_session=True,
            )
            try:
                _wait_for_end(process, self.timeout)
            finally:
                # What the command started ends with it. Once it is reaped, its number may be that
                # of another group.
                if process.returncode is None:
                    with contextlib.suppress(OSError):
                        os.killpg(process.pid, signal.SIGKILL)
                status = process.wait()
            output = []
            for stream in (stdout, stderr):
                stream.seek(0)
                output.append(stream.read())
            return status, output

    def _ends_alike(self, status):
        if self.exit == "nonzero":
            return status != 0
        return self.exit is None or status == self.exit


def _wait_for_end(process, timeout):
    """Waits for the end of a process, which is not reaped if the system can do so."""
    if not hasattr(os, "waitid"):
        process.wait(timeout)
        return
    limit = None if timeout is None else time.monotonic() + timeout
    pause = 0.0005
    while os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is None:
        if limit is not None and time.monotonic() >= limit:
            raise subprocess.TimeoutExpired(process.args, timeout)
        time.sleep(pause)
        pause = min(2 * pause, 0.05)


def _content(candidate):
    if isinstance(candidate, str):
        return candidate.encode()
    if isinstance(candidate, bytes):
        return candidate
    return "".join(f"{item}\n" for item in candidate).encode()
