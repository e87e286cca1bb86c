"""Answers a comment such as `/reduce gcc -O2 -c crash.c` on an issue with a smaller test case.

Reads the event of a comment as GitHub and Forgejo describe it, from the file that is its argument. The
first code block of the issue is the input, under the name that the command gives it. Prints the answer
in Markdown; nothing when the comment asks for nothing.

The command runs with the rights of this script: only members of the project are served.
"""

import json
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

MEMBERS = {"OWNER", "MEMBER", "COLLABORATOR"}
LIMITS = ["--max-time=20m", "--ok-if-minimal", "--quiet"]


def request(event):
    """Returns the words of the command and the input, or a sentence that says what is missing."""
    first = event["comment"]["body"].strip().splitlines()[0]
    try:
        words = shlex.split(first.removeprefix("/reduce"))
    except ValueError as error:
        return f"The command cannot be read: {error}."
    # A browser sends CRLF.
    body = (event["issue"]["body"] or "").replace("\r\n", "\n")
    block = re.search(r"^```[^\n]*\n(.*?)^```", body, re.DOTALL | re.MULTILINE)
    if not words:
        return "Which command fails? Write `/reduce COMMAND`."
    if not block:
        return "The description of the issue has no code block, which would be the input."
    return words, block[1]


def answer(words, text):
    """Returns the report of a reduction, or the error of boildown."""
    names = [word for word in words[1:] if re.fullmatch(r"\w[\w-]*\.\w+", word)]
    name = names[-1] if names else "input.txt"
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, name)
        path.write_text(text)
        run = lambda *arguments: subprocess.run(
            ["boildown", *arguments], cwd=folder, capture_output=True, text=True
        )
        reduced = run("reduce", name, *LIMITS, "--", *words)
        # A limit ends with the best result, too.
        if reduced.returncode not in (0, 6):
            return f"boildown found no smaller test case:\n\n```\n{reduced.stderr.strip()}\n```"
        return run("report", name, "--format", "markdown").stdout


def main():
    event = json.loads(pathlib.Path(sys.argv[1]).read_text())
    asks = event["comment"]["body"].startswith("/reduce")
    if not asks or event["comment"]["author_association"] not in MEMBERS:
        return
    wanted = request(event)
    print(wanted if isinstance(wanted, str) else answer(*wanted))


if __name__ == "__main__":
    main()
