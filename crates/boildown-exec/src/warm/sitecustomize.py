"""Forks a process for each candidate, before the script of a Python command begins.

Python imports this module while it starts, because its directory is in PYTHONPATH. The process
that boildown started stays in `_serve` for ever: it reads a request, forks, and reports how the
child ended. In the child `_serve` returns, so Python goes on to run the script of the command as
if it had just been started. The protocol is described in docs/reference/harness.md.

The first request is the input. Its child reports at its end which modules it has imported, and
the process imports them too, so that later children have them from the start.
"""

import sys


def _begin():
    import os

    folder = os.path.dirname(os.path.abspath(__file__))
    parent = os.environ.pop("BOILDOWN_WARM", "")
    paths = os.environ.pop("BOILDOWN_WARM_PYTHONPATH", None)
    if paths is None:
        os.environ.pop("PYTHONPATH", None)
    else:
        os.environ["PYTHONPATH"] = paths
    sys.path[:] = [path for path in sys.path if os.path.abspath(path) != folder]
    sys.path_importer_cache.pop(folder, None)
    # A Python that the command itself starts is not the one that is to fork.
    if parent == str(os.getppid()):
        known = set(sys.modules)
        serve = _server()
        for name in set(sys.modules) - known:
            del sys.modules[name]
        serve()


def _server():
    import base64
    import gc
    import io
    import json
    import os
    import select

    version = 1
    # The modules that were imported before the first fork but one.
    kept = {}
    chunk = 1 << 16

    class Clipped:
        """The beginning and the end of a stream, as boildown keeps them."""

        def __init__(self, limit):
            self.half = limit // 2
            self.head = bytearray()
            self.tail = bytearray()
            self.dropped = 0
            self.is_open = True

        def add(self, data):
            room = self.half - len(self.head)
            self.head += data[:room]
            self.tail += data[room:]
            if len(self.tail) > 2 * self.half:
                self.trim()

        def trim(self):
            excess = len(self.tail) - self.half
            if excess > 0:
                del self.tail[:excess]
                self.dropped += excess

        def text(self):
            self.trim()
            gap = b"\n[%d bytes left out]\n" % self.dropped if self.dropped else b""
            return bytes(self.head) + gap + bytes(self.tail)

    def stream(answer, name, data):
        try:
            answer[name] = data.decode("utf-8")
        except UnicodeDecodeError:
            answer[name + "_base64"] = base64.b64encode(data).decode("ascii")

    def end_with(child):
        """The connection has ended: so does the child, with its group, and so do we."""
        for kill in (os.killpg, os.kill):
            try:
                kill(child, 9)
            except OSError:
                pass
        os._exit(0)

    def watch(child, pipes, requests):
        """Collects what the child writes until it has ended. Returns how it ended."""
        poll = select.poll()
        poll.register(requests, 0)
        for pipe in pipes:
            poll.register(pipe, select.POLLIN)
        try:
            ended = os.pidfd_open(child)
            poll.register(ended, select.POLLIN)
        except (AttributeError, OSError):
            ended = None
        status = None
        while status is None:
            # Without a descriptor of the process, we look now and then.
            for fd, _ in poll.poll(None if ended is not None else 5):
                if fd == requests:
                    end_with(child)
                elif fd != ended:
                    data = os.read(fd, chunk)
                    if data:
                        pipes[fd].add(data)
                    else:
                        poll.unregister(fd)
                        pipes[fd].is_open = False
            found, code = os.waitpid(child, os.WNOHANG)
            status = code if found else None
        if ended is not None:
            os.close(ended)
        # What was written before the end. A process that holds a pipe open cannot delay us.
        for fd, kept in pipes.items():
            os.set_blocking(fd, False)
            left = 1 << 20
            while left > 0 and kept.is_open:
                try:
                    data = os.read(fd, chunk)
                except BlockingIOError:
                    break
                if not data:
                    break
                left -= len(data)
                kept.add(data)
            os.close(fd)
        return status

    def standard_input():
        """Returns what Python makes of file 0 when it starts."""
        old = sys.stdin
        if old is None:
            return None
        raw = io.open(0, "rb", -1, None, None, None, False)
        getattr(raw, "raw", raw).name = "<stdin>"
        new = io.TextIOWrapper(
            raw, old.encoding, old.errors, "\n", raw.isatty() or old.write_through
        )
        new.mode = "r"
        return new

    def become(request, writers, fds, learned):
        """Makes the forked process one that was just started."""
        os.setsid()
        stdin = os.open(request.get("stdin") or "/dev/null", os.O_RDONLY)
        if request["output"]:
            stdout, stderr = writers
        else:
            stdout = stderr = os.open("/dev/null", os.O_WRONLY)
        for fd, number in ((stdin, 0), (stdout, 1), (stderr, 2)):
            os.dup2(fd, number, True)
        for fd in {stdin, stdout, stderr, *fds} - {0, 1, 2, learned}:
            os.close(fd)
        for name, value in request["environment"].items():
            os.environ[name] = value
        os.chdir(request["directory"])
        for path in list(sys.path_importer_cache):
            if path.startswith(request["directory"]):
                del sys.path_importer_cache[path]
        sys.stdin = sys.__stdin__ = standard_input()
        # What was there before the freeze is not destroyed with the cycles that it is part of.
        main = sys.modules["__main__"]
        fresh = sys.modules["__main__"] = type(sys)("__main__")
        fresh.__dict__.clear()
        fresh.__dict__.update(main.__dict__)
        if "__annotations__" in fresh.__dict__:
            fresh.__annotations__ = {}
        if learned is not None:
            report_modules(learned, request["directory"])
        elif kept:
            at_exit(keep_modules)

    def at_exit(call):
        """Calls a function at the end of this process, after all that the command registers."""
        atexit = sys.modules.get("atexit")
        if atexit is None:
            import atexit

            del sys.modules["atexit"]
        pid = os.getpid()
        atexit.register(lambda: call() if os.getpid() == pid else None)

    def report_modules(learned, directory):
        def report():
            names = []
            for name, module in list(sys.modules.items()):
                if name in ("__main__", "__mp_main__", "sitecustomize") or module is None:
                    continue
                file = getattr(module, "__file__", None) or ""
                if not os.path.abspath(file).startswith(directory + os.sep) or not file:
                    names.append(name)
            with io.open(learned, "w") as pipe:
                json.dump({"path": sys.path, "modules": names}, pipe)

        def leave(status):
            if os.getpid() == pid:
                report()
            end(status)

        pid, end = os.getpid(), os._exit
        os._exit = leave
        at_exit(report)

    def preload(learned):
        try:
            learned = json.loads(learned)
        except ValueError:
            # The child has ended before it could report.
            return
        own = sys.path[:]
        sys.path[:] = learned["path"]
        for name in learned["modules"]:
            if name not in sys.modules:
                try:
                    __import__(name)
                except BaseException:
                    pass
        sys.path[:] = own
        sys.path_importer_cache.clear()
        if sys.version_info < (3, 11):
            # These crash at the end when modules are left alone.
            return
        kept.update(sys.modules)
        for name in ("sys", "builtins", "__main__", "sitecustomize"):
            kept.pop(name, None)
        # A cycle that is frozen is never destroyed.
        cycle = [dict(kept)]
        cycle.append(cycle)
        gc.collect()
        gc.freeze()

    def keep_modules():
        """Leaves alone at the end what was imported before the fork.

        To destroy the modules, Python would write to most of the memory that the processes share.
        What a module holds that was made since the fork is destroyed as usual, but for files that
        are flushed here.
        """
        for name, module in kept.items():
            if sys.modules.get(name) is module:
                del sys.modules[name]
        for thing in gc.get_objects():
            if isinstance(thing, io.IOBase) and not isinstance(thing, io.RawIOBase):
                try:
                    if not thing.closed and thing.writable():
                        thing.flush()
                except BaseException:
                    pass


    def threads():
        try:
            return len(os.listdir("/proc/self/task"))
        except OSError:
            return 1

    def serve():
        requests, answers = os.dup(0), os.dup(1)
        null = os.open("/dev/null", os.O_RDWR)
        os.dup2(null, 0)
        os.dup2(2, 1)
        os.close(null)
        is_first = True

        def say(answer):
            data = json.dumps(answer).encode("ascii") + b"\n"
            while data:
                data = data[os.write(answers, data):]

        say({"boildown": version, "name": "python"})
        buffered = b""
        while True:
            while b"\n" not in buffered:
                more = os.read(requests, chunk)
                if not more:
                    os._exit(0)
                buffered += more
            line, _, buffered = buffered.partition(b"\n")
            request = json.loads(line)
            answer = {"id": request["id"]}
            if threads() > 1:
                answer["error"] = "a module that it imports starts threads, which a fork loses"
                say(answer)
                continue
            out, err = os.pipe(), os.pipe()
            learning = os.pipe() if is_first else ()
            fds = [requests, answers, *out, *err, *learning]
            child = os.fork()
            if child == 0:
                become(request, (out[1], err[1]), fds, learning[1] if learning else None)
                return
            os.close(out[1])
            os.close(err[1])
            pipes = {fd: Clipped(request["output_limit"]) for fd in (out[0], err[0])}
            if learning:
                os.close(learning[1])
                learned = pipes[learning[0]] = Clipped(1 << 24)
            status = watch(child, pipes, requests)
            if os.WIFSIGNALED(status):
                answer["signal"] = os.WTERMSIG(status)
            else:
                answer["exit"] = os.WEXITSTATUS(status)
            if request["output"]:
                stream(answer, "stdout", pipes[out[0]].text())
                stream(answer, "stderr", pipes[err[0]].text())
            if learning:
                preload(learned.text())
                is_first = False
            say(answer)

    return serve


_begin()

# What Python would have imported under this name.
del sys.modules["sitecustomize"]
import sitecustomize
