"""Mistakes that end a process end the command's child: ``--isolate`` and ``--sanitize``."""

import re
import subprocess
import sys

import numpy as np
import pytest

import arenite as ar
from arenite.errors import KernelError
from arenite.formats.tflite_write import write
from tests.kernels.trees import LENGTH, SAMPLES, any_tree, define, model

pytest.importorskip("ziglang")

#: The options' byte of mistakes.cc, and what the command says.
_PLAIN = {
    1: "this is not for you",
    2: "check failed",
    3: "must give all temporary memory back",
    5: r"segmentation fault at address 0x10 (mistakes.cc:",
    6: "value 42 of x",
    8: "abort() at",
    11: "an arithmetic error",
    12: "is not served",
    13: "exit(3) at",
    14: "assertion failed",
    15: "allocate_persistent_buffer",
    16: "segmentation fault",
    17: "an illegal instruction, or a trap (mistakes.cc:",
}
_SANITIZED = {
    7: "1 bytes behind the 64 of tensor",
    10: "signed integer overflow",
    21: "1 bytes behind the 64 of scratch buffer 0",
}
#: Found where the call has ended, or by another call: no line is known.
_WATCHED = {
    18: "invoke wrote 1 bytes before the 64 of tensor 1",
    20: "invoke wrote 3 bytes before the 64 of scratch buffer 0",
    22: "invoke wrote 1 bytes before the 12 of its persistent buffer 0",
    23: "invoke reads memory that nobody has written",
}


def command(tmp_path, mistake, *more):
    folder = any_tree()
    file = tmp_path / "model.tflite"
    file.write_bytes(write(model({}, mistake)))
    macros = [
        text for name, value in define(folder).items() for text in ("--define", f"{name}={value}")
    ]
    arguments = ["run", str(file), "--kernels", str(SAMPLES / "mistakes.cc"), "--tflm", str(folder)]
    return subprocess.run(
        [sys.executable, "-m", "arenite", *arguments, *macros, *more],
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.skipif(sys.platform == "win32", reason="signals are not caught there")
@pytest.mark.parametrize("mistake", _PLAIN)
def test_a_mistake_ends_the_command_with_words(tmp_path, mistake):
    done = command(tmp_path, mistake, "--isolate")
    assert done.returncode == 1
    assert _PLAIN[mistake] in " ".join(done.stderr.split())


@pytest.mark.skipif(sys.platform == "win32", reason="there are no guard pages there")
@pytest.mark.parametrize("mistake", _SANITIZED)
def test_what_nobody_would_notice_is_found(tmp_path, mistake):
    done = command(tmp_path, mistake, "--sanitize")
    assert done.returncode == 1
    assert _SANITIZED[mistake] in " ".join(done.stderr.split())
    assert "mistakes.cc:" in done.stderr


def test_a_kernel_without_a_mistake_runs_under_all_of_it(tmp_path):
    done = command(tmp_path, 9, "--sanitize")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(sys.platform == "win32", reason="there are no guard pages there")
@pytest.mark.parametrize("mistake", _WATCHED)
def test_what_is_written_and_read_outside_of_its_memory_is_found(mistake):
    folder = any_tree()
    kernels = ar.compile_kernels(
        SAMPLES / "mistakes.cc", tflm=folder, define=define(folder), guard=True
    )
    with pytest.raises(KernelError, match=re.escape(_WATCHED[mistake])):
        ar.Interpreter(model(kernels, mistake))(np.zeros((1, LENGTH), np.int8))
