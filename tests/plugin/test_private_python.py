"""Canaries: what another thread can know of the main one."""

import pytest

from pytest_tau.plugin.private_python import waits_for_threads

WAITING = """
import threading
import time

from pytest_tau.plugin.private_python import waits_for_threads

seen = threading.Event()


def look():
    while not waits_for_threads():
        time.sleep(0.01)
    seen.set()


threading.Thread(target=look, daemon=True).start()
"""
OWN = "threading.Thread(target=seen.wait, args=(60,)).start()\n"
OF_AN_EXECUTOR = "from concurrent.futures import *\nThreadPoolExecutor().submit(seen.wait, 60)\n"


@pytest.mark.parametrize("thread", [OWN, OF_AN_EXECUTOR])
def test_python_waits_for_threads_where_it_did(pytester: pytest.Pytester, thread: str) -> None:
    assert not waits_for_threads()
    script = pytester.makepyfile(
        WAITING + thread + "print(waits_for_threads())\nimport atexit\natexit.register(lambda: print(seen.is_set()))"
    )
    result = pytester.runpython(script)
    assert result.outlines == ["False", "True"], "threading._SHUTTING_DOWN has another name"


FRAMES = """
import faulthandler
import gc
import threading

from pytest_tau.plugin.private_python import frame_of_main

faulthandler.dump_traceback_later(60, exit=True)  # not for ever, where it waits for itself
over = threading.Event()


class Cycle:
    def __init__(self):
        self.me, self.local = self, threading.local()
        self.local.value = 1


def looks():
    gc.disable()
    gc.collect()
    gc.set_threshold(5)
    for _ in range(2000):
        for _ in range(5):
            Cycle()
        gc.enable()
        frame_of_main()
        gc.disable()
    over.set()


def runs():
    return len(str(over))


threading.Thread(target=looks, daemon=True).start()
while not over.is_set():
    runs()
print(frame_of_main().f_code.co_name)
"""


def test_who_looks_at_the_main_thread_waits_for_no_lock_of_its_own(pytester: pytest.Pytester) -> None:
    assert pytester.runpython(pytester.makepyfile(FRAMES)).outlines == ["frame_of_main"]
