"""A kernel that ends its process: its call ends with words, and no exit code alone is a verdict."""

import os
import subprocess
import sys

import numpy as np
import pytest

import arenite as ar
from arenite.errors import KernelError
from arenite.formats.tflite_write import write
from tests.kernels.trees import LENGTH, SAMPLES, any_tree, define, model

pytest.importorskip("ziglang")
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals and symbols")

VALUES = np.arange(LENGTH, dtype=np.int8)[None]
#: What ends a process, and what is said of it.
WAYS = {
    "exit": r"exit\(0\) at",
    "_exit": r"_exit\(0\) \(ends.cc:\d+\)",
    "_Exit": r"_Exit\(0\) \(ends.cc:\d+\)",
    "quick_exit": r"quick_exit\(0\) \(ends.cc:\d+\)",
    "abort": r"abort\(\) at",
    "raise": r"raise\(15\) \(ends.cc:\d+\)",
    "kill": r"kill\(\d+, 9\) \(ends.cc:\d+\)",
    "terminate": r"abort\(\)",
}


@pytest.fixture(scope="module")
def kernels():
    folder = any_tree()
    return ar.compile_kernels(SAMPLES / "ends.cc", tflm=folder, define=define(folder))


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("place", ["init", "prepare", "invoke"])
def test_a_call_that_would_end_the_process_is_an_error(kernels, monkeypatch, place, way):
    monkeypatch.setenv("ENDS", f"{place} {way}")
    with pytest.raises(KernelError, match=f"{place} stopped: .*{WAYS[way]}"):
        ar.Interpreter(model(kernels, name="ENDS"))(VALUES)


def command(tmp_path, ends, *arguments):
    folder = any_tree()
    file = tmp_path / "model.tflite"
    file.write_bytes(write(model({}, name="ENDS")))
    macros = [
        text for name, value in define(folder).items() for text in ("--define", f"{name}={value}")
    ]
    words = [str(file) if one == "MODEL" else one for one in arguments]
    return subprocess.run(
        [sys.executable, "-m", "arenite", *words, "--tflm", str(folder), *macros],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "ENDS": ends},
    )


CHECK = ("check-kernel", str(SAMPLES / "ends.cc"), "--as", "RELU", "--function", "Register_ENDS")
RUN = ("run", "MODEL", "--kernels", str(SAMPLES / "ends.cc"))


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the lines are known on Linux")
@pytest.mark.parametrize(
    ("ends", "arguments", "code", "words"),
    [
        ("invoke syscall", CHECK, 2, "a kernel ended it"),
        ("constructor syscall", CHECK, 2, "a constructor of the kernels ended it"),
        ("constructor _exit", RUN, 1, "in a constructor: _exit(0) (ends.cc:"),
        ("constructor overflow", RUN, 1, "in a constructor: a stack overflow"),
        ("destructor fault", RUN, 1, "in a destructor or exit handler: it crashed (ends.cc:"),
        ("atexit quick_exit", RUN, 1, "exit handler: quick_exit(0) (ends.cc:"),
        ("invoke overflow", RUN, 1, "a stack overflow"),
    ],
)
def test_a_command_without_a_verdict_is_an_error(tmp_path, ends, arguments, code, words):
    done = command(tmp_path, ends, *arguments)
    assert done.returncode == code
    assert words in " ".join(done.stderr.split())


def test_a_kernel_without_an_end_has_a_time_limit(tmp_path, kernels):
    done = command(tmp_path, "invoke loop", *RUN, "--time-limit", "3")
    assert done.returncode == 1
    assert "took over 3 s and was ended" in " ".join(done.stderr.split())
