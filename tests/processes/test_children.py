"""Children: their results, their import path, their end."""

import os
import pickle
import signal
import subprocess
import sys
import time
from concurrent.futures import BrokenExecutor
from contextlib import suppress
from operator import truediv

import pytest

from arenite.processes.children import (
    EndedError,
    Service,
    end,
    how_it_ended,
    run_module,
    run_program,
    start_program,
)
from arenite.processes.verdict import EARLY
from arenite.processes.workers import Workers, worker_pool

posix_only = pytest.mark.skipif(os.name != "posix", reason="POSIX signals")
ECHO = "import sys; [print(line, end='', flush=True) for line in sys.stdin]"


@pytest.fixture
def service():
    one = Service("arenite.processes.workers", pack=pickle.dumps)
    yield one
    one.finish()


def call(function, *arguments, **named):
    return function, arguments, named


def test_a_service_answers_until_it_is_finished(service):
    assert service.ask(call(truediv, 3, 2)) == 1.5
    assert service.ask(call(os.getpid)) != os.getpid()
    service.finish()
    with pytest.raises(EndedError, match="ended with code 0"):
        service.ask(call(os.getpid))


def test_what_a_service_raises_is_raised_here_and_it_goes_on(service):
    with pytest.raises(ZeroDivisionError):
        service.ask(call(truediv, 1, 0))
    assert service.ask(call(truediv, 4, 2)) == 2


def test_an_answer_that_cannot_be_sent_is_an_error(service):
    with pytest.raises(RuntimeError, match="cannot be sent"):
        service.ask(call(eval, "lambda: 0"))


def test_what_a_service_prints_is_no_answer(service):
    assert service.ask(call(print, "not an answer")) is None


#: A driver that asks, and does not listen.
RUDE = """
import pickle
from operator import truediv
from arenite.processes.children import Service
from arenite.processes.inside import LENGTH

service = Service("arenite.processes.workers")
process, question = service._process, pickle.dumps((truediv, (3, 2), {}))
process.stdout.close()
process.stdin.write(len(question).to_bytes(LENGTH, "little") + question)
process.stdin.flush()
process.wait(30)
"""


def test_an_answer_that_nobody_reads_is_no_traceback():
    done = subprocess.run([sys.executable, "-c", RUDE], capture_output=True, check=True)
    assert done.stderr == b""


@posix_only
def test_a_service_that_is_killed_says_by_what(service):
    pid = service.ask(call(os.getpid))
    with pytest.raises(EndedError, match="was ended by SIGKILL"):
        service.ask(call(os.kill, pid, signal.SIGKILL))


def test_a_service_that_takes_too_long_is_ended(service):
    with pytest.raises(EndedError):
        service.ask(call(eval, "__import__('time').sleep(60)"), timeout=0.01)


def test_a_child_has_the_driver_s_import_path_without_the_current_folder(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PYTHONPATH", raising=False)
    (tmp_path / "elsewhere").mkdir()
    kept = [entry for entry in sys.path if os.path.isabs(entry)]
    monkeypatch.setattr(sys, "path", ["", str(tmp_path), *kept, str(tmp_path / "elsewhere")])
    one = Service("arenite.processes.workers", pack=pickle.dumps)
    assert one.ask(call(eval, "__import__('sys').path")) == [*kept, str(tmp_path / "elsewhere")]
    one.finish()


def test_children_get_no_pythonpath_and_no_relative_folders_of_programs(monkeypatch):
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(["", "lib"]))
    monkeypatch.setenv("PATH", os.pathsep.join(["", ".", os.environ["PATH"]]))
    one = Service("arenite.processes.workers", pack=pickle.dumps)
    found = one.ask(call(eval, "dict(__import__('os').environ)"))
    one.finish()
    assert "PYTHONPATH" not in found
    assert all(map(os.path.isabs, found["PATH"].split(os.pathsep)))


#: The end reaches a child in a finaliser, where nothing can be raised.
FINALISED = """
import os, signal, time
class Late:
    def __del__(self):
        os.kill(os.getpid(), signal.SIGTERM)
Late()
time.sleep(60)
"""


@posix_only
def test_an_end_that_comes_in_a_finaliser_is_an_end_without_a_traceback(service, capfd):
    with pytest.raises(EndedError, match="ended with code 143"):
        service.ask(call(exec, FINALISED, {}))
    assert capfd.readouterr().err == ""


@posix_only
def test_a_child_ignores_ctrl_c_and_has_no_other_odd_signals(service):
    names = ("SIGINT", "SIGPIPE", "SIGHUP", "SIGQUIT", "SIGCHLD")
    code = (
        f"[int(__import__('signal').getsignal(getattr(__import__('signal'), n))) for n in {names}]"
    )
    ignored, default = int(signal.SIG_IGN), int(signal.SIG_DFL)
    # Python itself ignores SIGPIPE.
    assert service.ask(call(eval, code)) == [ignored, ignored, default, default, default]
    assert service.ask(call(eval, "__import__('signal').pthread_sigmask(0, [])")) == set()


def test_a_module_that_fails_leaves_code_and_words(tmp_path):
    done = run_module("arenite.errors", "nowhere", folder=tmp_path, timeout=60)
    assert done.code == 1
    assert "AttributeError" in done.err


def test_a_module_that_takes_too_long_is_ended(tmp_path):
    with pytest.raises(TimeoutError, match=r"takes over 0\.001 s"):
        run_module("arenite.errors", "nowhere", folder=tmp_path, timeout=0.001)


def test_a_program_runs_in_its_folder(tmp_path):
    code = "import os, sys; print(os.getcwd()); sys.exit(3)"
    done = run_program(sys.executable, "-c", code, folder=tmp_path)
    assert (done.code, os.path.realpath(done.out.strip())) == (3, os.path.realpath(tmp_path))


@posix_only
def test_a_program_s_signal_is_seen(tmp_path):
    code = "import os; os.kill(os.getpid(), 9)"
    assert run_program(sys.executable, "-c", code, folder=tmp_path).code == 128 + 9


def test_a_program_is_talked_to(tmp_path):
    program = start_program(sys.executable, "-c", ECHO)
    program.stdin.write(b"hello\n")
    program.stdin.flush()
    assert program.stdout.readline().strip() == b"hello"
    end(program)


@posix_only
def test_a_program_ends_with_its_guard_s_driver():
    code = "import os, time; print(os.getpid(), flush=True); time.sleep(60)"
    program = start_program(sys.executable, "-c", code)
    pid = int(program.stdout.readline())
    end(program)
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


@pytest.mark.parametrize(
    ("code", "words"), [(3, "ended with code 3"), (-99, "was ended by signal 99")]
)
def test_an_exit_code_has_words(code, words):
    assert how_it_ended(code) == words


# -- pools -------------------------------------------------------------------------------


def test_workers_share_what_is_to_be_done():
    with worker_pool(2) as pool:
        assert list(pool.map(truediv, range(20), [2] * 20)) == [n / 2 for n in range(20)]
        with pytest.raises(ZeroDivisionError):
            pool.submit(truediv, 1, 0).result()


def test_a_pool_whose_worker_ends_is_broken():
    with Workers(1) as pool:
        lost, waiting = pool.submit(os._exit, 3), pool.submit(os.getpid)
        for future in (lost, waiting):
            with pytest.raises(BrokenExecutor, match="a worker ended with code 3"):
                future.result()
        with pytest.raises(BrokenExecutor, match="a worker ended with code 3"):
            pool.submit(os.getpid)


def test_a_pool_that_is_left_by_an_error_does_not_wait():
    with suppress(KeyError), worker_pool(1) as pool:
        future = pool.submit(eval, "__import__('time').sleep(60)")
        raise KeyError
    with pytest.raises(BrokenExecutor):
        future.result()


# -- verdicts ----------------------------------------------------------------------------


@pytest.fixture
def beside(monkeypatch):
    """Children import modules of this folder."""
    monkeypatch.syspath_prepend(os.path.dirname(os.path.abspath(__file__)))


@pytest.mark.usefixtures("beside")
@pytest.mark.parametrize("code", [0, 3])
def test_an_exit_code_without_a_verdict_is_none(tmp_path, code):
    done = run_module("ends_early", str(code), folder=tmp_path, timeout=60)
    assert done.code == EARLY + code
    assert how_it_ended(done.code) == f"ended early, with code {code} and no result"


@pytest.mark.usefixtures("beside")
def test_a_verdict_that_the_process_did_not_end_with_is_none(tmp_path):
    done = run_module("ends_early", "0", "atexit", folder=tmp_path, timeout=60)
    assert done.code == EARLY + 0


@pytest.mark.usefixtures("beside")
def test_a_verdict_is_the_exit_code(tmp_path):
    assert run_module("ends_early", folder=tmp_path, timeout=60).code == 7


@posix_only
def test_what_a_program_started_ends_with_it():
    code = (
        "import os, sys, time\n"
        "child = os.fork()\n"
        "if child: print(child, flush=True)\n"
        "time.sleep(60)"
    )
    program = start_program(sys.executable, "-c", code)
    child = int(program.stdout.readline())
    end(program)
    for _ in range(200):
        if not _is_alive(child):
            return
        time.sleep(0.01)
    raise AssertionError("it is still there")


def _is_alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    with open(f"/proc/{pid}/stat") as file:  # one that nobody waits for stays as a zombie
        return file.read().rpartition(")")[2].split()[0] != "Z"
