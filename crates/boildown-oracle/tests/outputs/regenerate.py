#!/usr/bin/env python3
"""Runs the tools of the corpus again and stores what they print.

Usage: regenerate.py NAME...

Each entry is a file NAME.txt with sections that begin with `#### `: `run` (a script for bash that
writes the inputs and runs the tool), `exit`, `stdout`, `stderr` and `expected`. Only `run` and
`expected` are written by hand. `expected` has a line for each text that the deduced property has to
name: the stream, a colon, and a line of that stream or a part of it.

Tools of npm and pip are found in the directory $TOOLS (node_modules and py). Directories of the
machine are replaced by neutral ones.

Entries whose `run` begins with `# Written by hand` are in the format of a tool that was not at hand,
and are not run. The folder `held-out` has outputs that only measure: none of them was looked at when
the rules were written. One that is looked at moves here.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
TOOLS = os.environ.get("TOOLS", "/opt/tools")


def sections(text):
    parts = re.split(r"^#### (\w+)(?: (.*))?\n", text, flags=re.MULTILINE)
    return {name: (argument, body) for name, argument, body in zip(*[iter(parts[1:])] * 3)}


def neutral(output, directory):
    text = output.decode("utf-8", "replace")
    for path, name in [
        (directory, "/home/me/work"),
        (TOOLS, "/opt/tools"),
        (str(pathlib.Path.home()), "/home/me"),
    ]:
        text = text.replace(path, name)
    # A section ends with a newline; an output that has none gets one.
    return text if text.endswith("\n") or not text else text + "\n"


def run(script):
    environment = {
        "PATH": f"{TOOLS}/py/bin:{TOOLS}/node_modules/.bin:{os.environ['PATH']}",
        "HOME": str(pathlib.Path.home()),
        "LANG": "C.UTF-8",
        "TOOLS": TOOLS,
    }
    with tempfile.TemporaryDirectory(prefix="outputs-") as directory:
        done = subprocess.run(
            ["bash", "-c", script],
            cwd=directory,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )
        code = done.returncode
        return code, neutral(done.stdout, directory), neutral(done.stderr, directory)


for name in sys.argv[1:]:
    path = HERE / f"{name}.txt"
    entry = sections(path.read_text())
    script = entry["run"][1]
    if script.startswith("# Written by hand"):
        continue
    code, stdout, stderr = run(script)
    expected = entry.get("expected", (None, ""))[1]
    ended = code if code >= 0 else 128 - code
    path.write_text(
        f"#### run\n{script}#### exit {ended}\n#### stdout\n{stdout}#### stderr\n{stderr}"
        f"#### expected\n{expected}"
    )
    print(name, ended)
