"""A harness for tests: looks for a word in the candidate, in a forked process.

Usage: harness.py FAULT NUMBER. From the request of this number on, every third one shows the fault.
"""

import json
import os
import sys
import time

fault, number = sys.argv[1], int(sys.argv[2])
count = 0


def run(request):
    child = os.fork()
    if child == 0:
        os.setsid()
        if fault == "leave":
            # A process that has left the group and has no environment.
            if os.fork() == 0:
                os.setsid()
                os.execve("/bin/sleep", ["sleep", "1000"], {})
        with open(request["candidate"]) as file:
            os._exit(0 if "needle" in file.read() else 1)
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status)


def answer(**fields):
    print(json.dumps(fields), flush=True)


answer(boildown=1, name="test")
for line in sys.stdin:
    request = json.loads(line)
    count += 1
    is_bad = count >= number and (count - number) % 3 == 0
    code = run(request)
    if is_bad and fault == "end":
        sys.exit("no more")
    if is_bad and fault == "kill":
        os.kill(os.getpid(), 9)
    if is_bad and fault == "rubbish":
        print("what?", flush=True)
        continue
    if is_bad and fault == "flood":
        while True:
            sys.stdout.write("x" * 65536)
    if is_bad and fault == "twice":
        answer(id=request["id"], exit=code, stdout="", stderr="")
    if is_bad and fault == "lie":
        code = 1 - code
    answer(id=request["id"], exit=code, stdout="", stderr="")
