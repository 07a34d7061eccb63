"""Accumulators of the hot loops stay in registers: see csrc/check_spills.py."""

from __future__ import annotations

import importlib.util
import platform
from pathlib import Path
from types import ModuleType

import pytest

SCRIPT = Path(__file__).parents[2] / "csrc" / "check_spills.py"


@pytest.fixture(scope="module")
def check_spills() -> ModuleType:
    spec = importlib.util.spec_from_file_location("check_spills", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def disassembly(*instructions: str) -> str:
    lines = [f"  {4 * i:x}:\t{text}" for i, text in enumerate(instructions)]
    return "\n".join(["0000000000000000 <tile_1x1>:", *lines])


def loops_of(check_spills: ModuleType, *instructions: str) -> list[object]:
    return [
        loop
        for name, body in check_spills.functions(disassembly(*instructions))
        for loop in check_spills.loops(name, body)
    ]


def test_an_accumulator_on_the_stack_is_found(check_spills: ModuleType) -> None:
    (loop,) = loops_of(
        check_spills,
        "vpmaddwd %ymm0,%ymm1,%ymm2",
        "vpaddd 0x20(%rsp),%ymm2,%ymm2",
        "vmovdqa %ymm2,0x20(%rsp)",
        "jne    0 <tile_1x1>",
        "ret",
    )
    assert [spill.address for spill in loop.spills] == [4, 8]


def test_what_happens_outside_of_the_innermost_loop_is_allowed(check_spills: ModuleType) -> None:
    (loop,) = loops_of(
        check_spills,
        "vmovdqa 0x20(%rsp),%ymm2",
        "{vex} vpdpbusd (%rdi),%ymm1,%ymm2",
        "jne    4 <tile_1x1+0x4>",
        "vmovdqa %ymm2,0x20(%rsp)",
        "jne    0 <tile_1x1>",
        "ret",
    )
    assert [i.address for i in loop.body] == [4, 8]
    assert loop.spills == []


def test_a_jump_back_into_the_middle_is_no_loop(check_spills: ModuleType) -> None:
    assert not loops_of(
        check_spills,
        "je     c <tile_1x1+0xc>",
        "vfmadd213ps (%rsp),%ymm1,%ymm2",
        "ret",
        "vmovdqa %ymm2,(%rsp)",
        "jmp    4 <tile_1x1+0x4>",
    )


def test_the_engine_keeps_its_accumulators_in_registers(check_spills: ModuleType) -> None:
    engine = pytest.importorskip("arenite.native._engine")
    if platform.machine() not in ("x86_64", "AMD64"):
        pytest.skip("the hot loops are written for x86-64")
    if check_spills.objdump() is None:
        pytest.skip("needs objdump or llvm-objdump")
    loops = check_spills.hot_loops(engine.__file__)
    if not loops:
        pytest.skip("the engine has no symbols: run csrc/check_spills.py on its object files")
    assert len({loop.function for loop in loops}) > 50
    assert [loop.function for loop in loops if loop.spills] == []
