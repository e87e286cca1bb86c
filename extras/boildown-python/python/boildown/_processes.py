"""Tests in processes of their own."""

import pickle
import queue
import threading

from boildown._boildown import Error
from boildown._verdict import Verdict


class WorkerDied(Error):
    """A process that ran a test ended, for example because the test crashed."""


class ProcessTest:
    """Calls a test in one of several processes, from any thread.

    A process that died or that was too slow is replaced by a new one.
    """

    def __init__(self, test, jobs, context=None, timeout=None):
        import multiprocessing  # Slow to import.

        if context is None:
            # Forking a process that has threads may hang.
            methods = multiprocessing.get_all_start_methods()
            context = "forkserver" if "forkserver" in methods else "spawn"
        if isinstance(context, str):
            context = multiprocessing.get_context(context)
        self._context = context
        self._timeout = timeout
        self._test = test
        self._lock = threading.Lock()
        self._is_closed = False
        self._workers = []
        self._idle = queue.SimpleQueue()
        if context.get_start_method() != "fork":
            _check_picklable(test)
        for _ in range(jobs):
            self._idle.put(self._start())

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()

    def __call__(self, candidate):
        worker = self._idle.get()
        try:
            connection = worker.connection
            worker.wait_until_started()
            connection.send(candidate)
            if not connection.poll(self._timeout):
                worker = self._replace(worker)
                return Verdict.UNRESOLVED
            error, result = connection.recv()
        except (EOFError, OSError) as ended:
            process = worker.process
            process.join()
            worker = self._replace(worker)
            raise WorkerDied(f"the test ended its process: {_ending(process)}") from ended
        finally:
            self._idle.put(worker)
        if error is not None:
            raise error
        return result

    def close(self):
        """Ends the processes, also those that are running a test."""
        with self._lock:
            self._is_closed = True
            workers, self._workers = self._workers, []
        for worker in workers:
            worker.kill()

    def _start(self):
        worker = _Worker(self._context, self._test)
        with self._lock:
            if not self._is_closed:
                self._workers.append(worker)
                return worker
        worker.kill()
        return worker

    def _replace(self, worker):
        worker.kill()
        with self._lock:
            if self._is_closed:
                return worker
            self._workers.remove(worker)
        return self._start()


class _Worker:
    """A process, and the connection to it."""

    def __init__(self, context, test):
        self.connection, theirs = context.Pipe()
        self.process = context.Process(target=_serve, args=(theirs, test), daemon=True)
        self.process.start()
        theirs.close()
        self._has_started = False

    def wait_until_started(self):
        """Returns when the process waits for candidates: its start is not part of a test's time."""
        if not self._has_started:
            self.connection.recv()
            self._has_started = True

    def kill(self):
        self.process.kill()
        self.process.join()
        self.connection.close()


def _serve(connection, test):
    """Runs the test on candidates until the connection is closed."""
    connection.send(None)
    while True:
        try:
            candidate = connection.recv()
        except (EOFError, KeyboardInterrupt):
            return
        try:
            answer = (None, test(candidate))
        except Exception as error:
            answer = (error, None)
        except KeyboardInterrupt:
            return
        try:
            connection.send(answer)
        except (OSError, KeyboardInterrupt):
            return
        except Exception as error:  # The answer is not picklable.
            what = answer[0] if answer[0] is not None else answer[1]
            connection.send((Error(f"{what!r} can't be sent: {error}"), None))


def _check_picklable(test):
    try:
        pickle.dumps(test)
    except Exception as error:
        raise Error(
            "executor='processes' needs a test that can be pickled, such as a function of a module:"
            f" {error}"
        ) from error


def _ending(process):
    code = process.exitcode
    return f"killed by signal {-code}" if code is not None and code < 0 else f"exit status {code}"
