"""Processes and event loops."""

import asyncio
import multiprocessing

import functions
import pytest

import boildown


@pytest.mark.parametrize("method", [None, "fork", "spawn"])
def test_processes_give_the_same_result(method):
    result = boildown.minimize(
        range(20), functions.has_7_and_11, jobs=2, executor="processes", mp_context=method
    )
    assert result == [7, 11]
    assert multiprocessing.active_children() == []


def test_a_process_that_crashes_ends_the_search_or_is_unresolved():
    with pytest.raises(boildown.WorkerDied, match="killed by signal 6"):
        boildown.minimize(range(20), functions.dies_without_7, executor="processes")
    result = boildown.minimize(
        range(20), functions.dies_without_7, jobs=2, executor="processes", on_error="unresolved"
    )
    assert result == [7]
    assert multiprocessing.active_children() == []


def test_a_test_that_hangs_is_unresolved_after_its_time():
    # Long enough for the process to answer on a loaded machine.
    trace = []
    result = boildown.minimize(
        [7], functions.hangs_without_7, executor="processes", test_timeout=2, trace=trace
    )
    assert result == [7]
    assert [event["verdict"] for event in trace[:-1]] == ["unresolved"]
    assert multiprocessing.active_children() == []


def test_exceptions_come_back_from_processes():
    with pytest.raises(LookupError, match="no 7"):
        boildown.minimize(range(20), functions.raises_without_7, jobs=2, executor="processes")
    with pytest.raises(boildown.Error, match="can't be sent"):
        boildown.minimize(range(20), functions.returns_a_lambda, executor="processes")
    with pytest.raises(boildown.Error, match="pickled"):
        boildown.minimize("ab", lambda kept: True, executor="processes")
    with pytest.raises(ValueError, match="need executor='processes'"):
        boildown.minimize("ab", functions.has_7_and_11, test_timeout=1)


def test_coroutines_are_tested_together_in_the_event_loop():
    async def search():
        running, most = 0, 0

        async def test(kept):
            nonlocal running, most
            running += 1
            most = max(most, running)
            await asyncio.sleep(0.001)
            running -= 1
            return 7 in kept

        result = await boildown.minimize_async(range(100), test, jobs=4)
        return result, most

    result, most = asyncio.run(search())
    assert result == [7]
    assert most <= 4


def test_functions_are_tested_in_threads_while_the_loop_runs():
    async def search():
        return await asyncio.gather(
            boildown.reduce_async("one\ntwo\n", lambda text: "two" in text),
            boildown.isolate_async("a", "b", lambda text: "b" in text),
            boildown.minimize_async("xa", lambda text: "a" in text),
        )

    reduced, difference, minimized = asyncio.run(search())
    assert (reduced.strip(), "b" in difference.failing, minimized) == ("two", True, "a")


def test_exceptions_of_coroutines_end_the_search():
    async def test(kept):
        if len(kept) < 3:
            raise LookupError("short")
        return True

    with pytest.raises(LookupError, match="short"):
        asyncio.run(boildown.minimize_async("abcdef", test))


def test_a_cancelled_search_stops_and_cancels_its_tests():
    ended = []

    async def search():
        waiting = asyncio.Event()

        async def test(kept):
            if len(kept) == 6:
                return True
            waiting.set()
            try:
                await asyncio.Event().wait()
            finally:
                ended.append(kept)

        task = asyncio.create_task(boildown.minimize_async("abcdef", test, jobs=2))
        await waiting.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(search())
    assert ended
