"""Which instruction sets are found on which processor."""

from __future__ import annotations

import ctypes
import platform
import sys

import pytest

from arenite import native

if not native.available():
    pytest.skip("the native engine is not built", allow_module_level=True)

from arenite.native.program import available_isas, isa

ARM, X86 = {"neon", "neondot"}, {"avx2", "avxvnni", "avx512vnni"}
IS_ARM = platform.machine().lower() in {"aarch64", "arm64"}
#: getauxval's question and the answer's bit (Linux, arch/arm64/include/uapi/asm/hwcap.h).
AT_HWCAP, ASIMDDP = 16, 20


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
def test_dot_products_are_there_where_the_system_says_so() -> None:
    getauxval = ctypes.CDLL(None).getauxval
    getauxval.restype, getauxval.argtypes = ctypes.c_ulong, [ctypes.c_ulong]
    has = bool(getauxval(AT_HWCAP) >> ASIMDDP & 1)
    assert ("neondot" in available_isas()) == has
