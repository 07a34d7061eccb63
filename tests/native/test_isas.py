"""Which instruction sets are found on which processor."""

import ctypes
import platform
import sys

import numpy as np
import pytest

pytest.importorskip("arenite.native._engine")

from arenite.native.program import available_isas, isa
from arenite.runtime.heap_host import HeapInterpreter
from tests.native.convolutions import convolution

ARM, X86 = {"neon", "neondot", "neoni8mm"}, {"avx2", "avxvnni", "avx512vnni"}
IS_ARM = platform.machine().lower() in {"aarch64", "arm64"}
#: getauxval's questions and the answers' bits (Linux, arch/arm64/include/uapi/asm/hwcap.h).
AT_HWCAP, ASIMDDP = 16, 20
AT_HWCAP2, I8MM = 26, 13


def test_portable_kernels_run_everywhere() -> None:
    assert available_isas()[0] == "portable"


def test_a_processor_has_no_instruction_set_of_another() -> None:
    assert not set(available_isas()) & (X86 if IS_ARM else ARM)


def test_the_best_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ARENITE_ISA", raising=False)
    assert isa() == available_isas()[-1]


@pytest.mark.skipif(not IS_ARM, reason="needs a processor of Arm's")
def test_every_such_processor_has_neon() -> None:
    assert "neon" in available_isas()


@pytest.mark.skipif(not IS_ARM or sys.platform != "linux", reason="needs Linux on Arm")
@pytest.mark.parametrize(
    ("name", "question", "bit"), [("neondot", AT_HWCAP, ASIMDDP), ("neoni8mm", AT_HWCAP2, I8MM)]
)
def test_products_are_there_where_the_system_says_so(name: str, question: int, bit: int) -> None:
    getauxval = ctypes.CDLL(None).getauxval
    getauxval.restype, getauxval.argtypes = ctypes.c_ulong, [ctypes.c_ulong]
    assert (name in available_isas()) == bool(getauxval(question) >> bit & 1)


@pytest.mark.skipif("neoni8mm" not in available_isas(), reason="needs products of matrices")
@pytest.mark.parametrize(("positions", "taken"), [(1, "neondot"), (2, "neoni8mm")])
def test_what_has_pairs_of_positions_is_multiplied_in_matrices(positions: int, taken: str) -> None:
    x, w = np.zeros((1, 1, positions, 8), np.int8), np.ones((16, 1, 1, 8), np.int8)
    interpreter = HeapInterpreter(convolution(x, w, 1, 1.0))
    interpreter.allocate_tensors()
    assert interpreter.compile("neoni8mm").kernel(0) == taken
