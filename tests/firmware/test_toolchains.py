"""Exports compute the same bits whichever compiler builds them, at every level."""

from __future__ import annotations

import re
import shutil

import pytest

from arenite.cores import CORES, emulated
from arenite.firmware.compiler.toolchain import Toolchain, has_gnu_compiler
from arenite.firmware.export import export
from arenite.firmware.trial import trial
from tests.firmware import encodings
from tests.firmware.encodings import assembly_of, differing, units
from tests.firmware.kernels.cortex_m.random_layers import random_layers
from tests.firmware.toolchains import LEVELS, all_kinds

pytest.importorskip("ziglang")
pytest.importorskip("unicorn")

NAMES = [core.name for core in emulated()]
#: One Arm core of each that has kernels of its own.
ARM = list({one.kernels: one.name for one in emulated() if one.family == "cortex-m"}.values())


def require(processor: str, *, runs: bool = True) -> None:
    """Skip where GNU's compiler or the emulator is missing."""
    if not has_gnu_compiler(processor):
        pytest.skip(f"there is no GCC for {processor}: Debian's gcc-arm-none-eabi has one")
    if runs and CORES[processor].qemu and shutil.which("qemu-system-arm") is None:
        pytest.skip("there is no QEMU")


@pytest.mark.parametrize("processor", ARM)
def test_assemblers_agree_on_all_that_kernels_emit(processor, tmp_path):
    require(processor, runs=False)
    core = CORES[processor]
    export(random_layers(1, 16).build(), tmp_path / "m", target=processor, emulate=False)
    files = [path for path in (tmp_path / "m" / "src").iterdir() if path.stem == "kernels"]
    texts = [
        assembly_of(file, tmp_path, core, Toolchain(compiler, "O2"))
        for file in files
        if file.suffix in (".c", ".S")
        for compiler in ("zig", "gcc")
    ]
    found = set[str]().union(*map(units, texts))
    assert len(found) > 500
    # GNU binutils 2.40 takes these for those that round.
    assert not [unit for unit in found if re.match("vqshru?n", unit)]
    assert differing(found, tmp_path, core) == []


def test_units_are_instructions_with_what_they_govern_and_no_places():
    text = "f:\n\tit\tlt\n\tmovlt\tr0, #1\n\tb\t.L3\n.L3:\n\tadd r0, r1 @ sum\n\tldr r2, =x\n"
    assert units(text) == {"it lt\nmovlt r0, #1", "add r0, r1"}


def test_a_difference_is_one_unless_it_is_a_constant_s_form(tmp_path, monkeypatch):
    def encoded(some, into, core, compiler):
        return [f"{compiler.compiler}{unit}".encode() for unit in some]

    monkeypatch.setattr(encodings, "encoded", encoded)
    some = {"adds r0, r0, #1", "it lt\naddlt r0, r0, #1", "add r0, r1", "vshr.s32 q0, q1, #3"}
    found = differing(some, tmp_path, CORES["cortex-m55"])
    assert found == ["add r0, r1", "vshr.s32 q0, q1, #3"]


@pytest.mark.parametrize(("processor", "level"), list(zip(NAMES, LEVELS * 3, strict=False)))
def test_gcc_s_build_computes_the_reference_s_bits(processor, level):
    require(processor)
    how = Toolchain("gcc", level)
    result = trial(all_kinds().build(), processor, 1, optimize=False, toolchain=how)
    assert result.differences == ()


@pytest.mark.parametrize(("field", "value"), [("compiler", "icc"), ("level", "O4")])
def test_another_compiler_or_level_is_refused(field, value):
    with pytest.raises(ValueError, match=f"{field}: expected .*, got '{value}'"):
        Toolchain(**{field: value})
