"""A command whose worker or peer is killed, that is interrupted, or is killed itself."""

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from importlib.util import find_spec

import numpy as np
import pytest

from tests.shared import DIGITS

pytestmark = pytest.mark.skipif(os.name != "posix", reason="POSIX signals")
WORKER, PEER = "arenite.processes.workers", "arenite.peers.process"
#: Far longer than a test waits.
SAMPLES, SECONDS = 40_000, 60.0
needs_tflm = pytest.mark.skipif(find_spec("tflite_micro") is None, reason="no tflite_micro")
CHILDREN = [
    pytest.param(("--workers", "2"), WORKER, 2, id="workers"),
    pytest.param(("--against", "@tflm"), PEER, 1, marks=needs_tflm, id="peer"),
]


@pytest.fixture
def evaluate(tmp_path):
    """``evaluate(*options)`` starts a long evaluation in a group of its own."""
    with np.load(DIGITS.parent / "held_out.npz") as data:
        chosen = np.arange(SAMPLES) % len(data["labels"])
        np.savez(tmp_path / "d.npz", x=data["images"][chosen], y=data["labels"][chosen])
    words = [sys.executable, "-m", "arenite", "evaluate", str(DIGITS), "d.npz"]
    running = []

    def start(*options):
        running.append(
            subprocess.Popen(
                [*words, "--engine", "reference", *options],
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                cwd=tmp_path,
                start_new_session=True,
            )
        )
        return running[-1]

    yield start
    for one in running:
        with suppress(ProcessLookupError):
            os.killpg(one.pid, signal.SIGKILL)
        one.communicate()


def processes():
    """Parent and words of every process."""
    command = ["ps", "-A", "-ww", "-o", "pid=,ppid=,args="]
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    rows = (line.split(None, 2) for line in listed.splitlines())
    return {int(pid): (int(parent), words) for pid, parent, words in rows}


def until(found):
    """What ``found`` gives, as soon as it is anything."""
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        if result := found():
            return result
        time.sleep(0.05)
    pytest.fail("it did not happen")


def children(driver, module, count):
    """The driver's children that run a module, as soon as there are so many and they are at it."""

    def found():
        assert driver.poll() is None, driver.communicate()
        pids = [
            pid
            for pid, (parent, words) in processes().items()
            if parent == driver.pid and f" {module}" in words
        ]
        return pids if len(pids) == count and all(map(is_ready, pids)) else None

    return until(found)


def is_ready(pid):
    """Whether a child is past its beginning, as far as the system tells."""
    return not os.path.exists("/proc/self/status") or has_sigint(pid, "SigIgn")


def has_sigint(pid, mask):
    """Whether a process ignores SIGINT (``SigIgn``), or catches it (``SigCgt``)."""
    with open(f"/proc/{pid}/status") as status:
        lines = dict(line.split(":\t", 1) for line in status)
    return bool(int(lines[mask], 16) >> (signal.SIGINT - 1) & 1)


def ended(driver):
    out, err = driver.communicate(timeout=SECONDS)
    return driver.returncode, out, err


def test_a_killed_worker_is_replaced(evaluate):
    driver = evaluate("--workers", "2")
    os.kill(children(driver, WORKER, 2)[0], signal.SIGKILL)
    code, out, err = ended(driver)
    assert (code, err) == (0, "")
    assert "done again" in out


@pytest.mark.parametrize("engine", ["litert", "tflm"])
def test_a_killed_peer_is_an_error(evaluate, engine):
    pytest.importorskip({"litert": "ai_edge_litert", "tflm": "tflite_micro"}[engine])
    driver = evaluate("--against", f"@{engine}")
    os.kill(children(driver, PEER, 1)[0], signal.SIGKILL)
    code, out, err = ended(driver)
    assert (code, out) == (2, "")
    assert err.startswith(f"error: {engine} was ended by SIGKILL ")


@pytest.mark.parametrize(("options", "module", "count"), CHILDREN)
def test_ctrl_c_ends_a_command_with_its_children(evaluate, options, module, count):
    driver = evaluate(*options)
    pids = children(driver, module, count)
    os.killpg(driver.pid, signal.SIGINT)
    assert ended(driver) == (130, "", "interrupted\n")
    assert not set(pids) & set(processes())


@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="no /proc of Linux")
def test_a_second_ctrl_c_ends_it_at_once_and_quietly(evaluate):
    driver = evaluate("--workers", "2")
    pids = children(driver, WORKER, 2)
    for pid in pids:  # who stands still holds up the first one
        os.kill(pid, signal.SIGSTOP)
    os.killpg(driver.pid, signal.SIGINT)
    until(lambda: not has_sigint(driver.pid, "SigCgt"))  # the first one has been heard
    os.killpg(driver.pid, signal.SIGINT)
    assert driver.wait(SECONDS) == -signal.SIGINT
    for pid in pids:
        os.kill(pid, signal.SIGCONT)
    assert ended(driver) == (-signal.SIGINT, "", "")
    until(lambda: not set(pids) & set(processes()))


@pytest.mark.parametrize(("options", "module", "count"), CHILDREN)
def test_children_end_with_a_driver_that_is_killed(evaluate, options, module, count):
    driver = evaluate(*options)
    pids = children(driver, module, count)
    driver.kill()
    driver.wait()
    until(lambda: not set(pids) & set(processes()))


def test_whoever_reads_the_beginning_ends_it_quietly():
    command = f"'{sys.executable}' -m arenite info '{DIGITS}' | head -1"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    assert done.stdout.count("\n") == 1
