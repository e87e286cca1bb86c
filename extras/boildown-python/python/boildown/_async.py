"""The searches for programs with an event loop.

`asyncio` is imported where it is needed: it is slow to import.
"""

import functools
import inspect
import threading

from boildown import _api, _boildown


async def minimize_async(items, test, **options):
    """Does the same as `minimize`, without blocking the event loop.

    The test may be a coroutine function: `jobs` candidates are tested at the same time, all of them
    in the event loop. Other tests run in threads. Cancelling the call stops the search.

    >>> import asyncio
    >>> from boildown import minimize_async
    >>> async def test(text):
    ...     await asyncio.sleep(0)
    ...     return "b" in text
    >>> asyncio.run(minimize_async("abc", test, jobs=2))
    'b'
    """
    return await _run(_api.minimize, (items,), test, options)


async def reduce_async(data, test, **options):
    """Does the same as `reduce`, without blocking the event loop; see `minimize_async`."""
    return await _run(_api.reduce, (data,), test, options)


async def isolate_async(good, bad, test, **options):
    """Does the same as `isolate`, without blocking the event loop; see `minimize_async`."""
    return await _run(_api.isolate, (good, bad), test, options)


async def _run(search, inputs, test, options):
    import asyncio
    import concurrent.futures

    loop = asyncio.get_running_loop()
    stop = options.pop("stop", None) or _boildown.Stop()
    in_loop = _LoopTest(test, loop) if _is_coroutine_function(test) else None
    call = functools.partial(search, *inputs, in_loop or test, stop=stop, **options)
    # Not the loop's executor: its threads are shared, and tests may wait for it.
    with concurrent.futures.ThreadPoolExecutor(1, "boildown") as executor:
        future = loop.run_in_executor(executor, call)
        try:
            return await asyncio.shield(future)
        except asyncio.CancelledError:
            stop.set()
            if in_loop:
                in_loop.cancel()
            # The loop has to turn for the cancelled tests to end.
            await asyncio.wait([future])
            if not future.cancelled():
                future.exception()
            raise


def _is_coroutine_function(test):
    return inspect.iscoroutinefunction(test) or inspect.iscoroutinefunction(
        getattr(test, "__call__", None)
    )


class _LoopTest:
    """Calls a coroutine function in the event loop, from other threads."""

    def __init__(self, test, loop):
        self._test = test
        self._loop = loop
        self._lock = threading.Lock()
        self._is_cancelled = False
        self._running = set()

    def __call__(self, candidate):
        import asyncio
        import concurrent.futures

        with self._lock:
            if self._is_cancelled:
                raise concurrent.futures.CancelledError
            future = asyncio.run_coroutine_threadsafe(self._test(candidate), self._loop)
            self._running.add(future)
        try:
            return future.result()
        finally:
            with self._lock:
                self._running.discard(future)

    def cancel(self):
        with self._lock:
            self._is_cancelled = True
            running = list(self._running)
        for future in running:
            future.cancel()
