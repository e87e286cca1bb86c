"""A connection to a worker that has a fault: faulty_link.py FAULT NUMBER COMMAND...

Starts the worker, and forwards frames between it and standard input and output. From the result of
this number on, the fault occurs; the others are forwarded as they are.
"""

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time

FAULT, NUMBER, COMMAND = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
PAUSE = float(os.environ.get("PAUSE", 7))  # How long a link is cut, or a worker stopped.
RANDOM = ["duplicate", "stall", "kill", "garbage", "truncate"]

worker = subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
is_open = threading.Event()
is_open.set()
writing = threading.Lock()
late = random.Random(NUMBER)


def forward_input():
    while data := os.read(0, 1 << 16):
        is_open.wait()
        if FAULT == "slow":
            time.sleep(0.01 + len(data) / 1e6)
        try:
            worker.stdin.write(data)
            worker.stdin.flush()
        except OSError:
            break
    try:
        worker.stdin.close()
    except OSError:
        pass


def write(data):
    is_open.wait()
    try:
        with writing:
            while data:
                data = data[os.write(1, data) :]
    except OSError:
        worker.kill()
        os._exit(0)


def message_of(frame):
    """Returns the message of a frame, and the content that belongs to it."""
    end = 8 + int.from_bytes(frame[4:8], "little")
    return json.loads(frame[8:end]), frame[end:]


def frame_of(message, content):
    message = json.dumps(message).encode()
    length = lambda size: size.to_bytes(4, "little")
    return length(4 + len(message) + len(content)) + length(len(message)) + message + content


def inject(fault, frame, results):
    """Forwards a result with a fault. Returns whether the connection continues."""
    is_first = results == NUMBER
    if fault == "duplicate":
        message, content = message_of(frame)
        message["Ended"][0] = 1 << 40
        write(frame + frame_of(message, content) + frame)
    elif fault == "late":
        # Others overtake it.
        threading.Timer(late.random(), write, [frame]).start()
    elif fault == "stall":
        time.sleep(0.3)
        write(frame)
    elif fault == "slow":
        time.sleep(0.01)
        write(frame)
    elif fault == "cut" and is_first:
        is_open.clear()
        time.sleep(PAUSE)
        is_open.set()
        write(frame)
    elif fault == "stop" and is_first:
        worker.send_signal(signal.SIGSTOP)
        write(frame)
        threading.Timer(PAUSE, worker.send_signal, [signal.SIGCONT]).start()
    elif fault == "kill":
        worker.kill()
        return False
    elif fault == "garbage":
        write(bytes([5, 0, 0, 0]) + b"\xffoops")
    elif fault == "oversize":
        write(b"\xff\xff\xff\xff")
    elif fault == "truncate":
        write(frame[: len(frame) // 2])
        worker.kill()
        return False
    else:
        write(frame)
    return True


def forward_output():
    greeting = worker.stdout.readline()
    if FAULT == "version":
        words = greeting.split(b" ")
        greeting = b" ".join(words[:2] + [b"99.1.2"] + words[3:])
    if FAULT == "banner":
        greeting = b"Welcome to this machine!\nLast login: today " + greeting
    write(greeting)
    chance = random.Random(NUMBER + os.getpid())
    results = 0
    while len(prefix := worker.stdout.read(4)) == 4:
        frame = prefix + worker.stdout.read(int.from_bytes(prefix, "little"))
        if "Ended" not in message_of(frame)[0]:
            write(frame)
            continue
        results += 1
        fault = FAULT if results >= NUMBER else ""
        if FAULT == "random":
            is_faulty = results > 3 and chance.random() < 0.1
            fault = chance.choice(RANDOM) if is_faulty else ""
        if not inject(fault, frame, results):
            break


threading.Thread(target=forward_input, daemon=True).start()
forward_output()
os.close(1)
worker.wait()
os._exit(0)
