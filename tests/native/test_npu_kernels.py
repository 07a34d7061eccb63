"""An NPU's kernels stay inside their memory, whatever numbers they are given."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from typing import Any

import numpy as np
import pytest

from arenite.model import Array, TensorType
from tests.npu.random_programs import WORK, memory_of, random_program
from tests.ops.differential import CASES

pytest.importorskip("arenite.native._engine")

from arenite.native import program
from arenite.native.program import Program, available_isas
from arenite.native.steps import Step
from arenite.native.tensors import NativeTensor
from arenite.runtime.npu_steps import steps_of
from tests.native.fences import Fence

#: Numbers at the ends of what records hold.
NUMBERS = (-(2**31), -129, -1, 0, 1, 2, 3, 63, 64, 83, 255, 2**15, 2**31 - 1)


def steps_for(seed: int) -> list[Step]:
    """Those of a random program, for an operator."""
    rng = np.random.default_rng(seed)
    commands, memory = random_program(rng, 2), memory_of(rng, shared=True)
    found = steps_of(commands, memory, [(0, WORK)], [(0, WORK)])
    return [] if found is None else list(found.steps)


def fenced(step: Step, fence: Fence) -> Step:
    """The same step on copies of its tensors between guards; constants stay constants."""

    def twin(tensor: Any) -> NativeTensor:
        data = fence.like(tensor.data)
        data[...] = tensor.data
        data.flags.writeable = tensor.data.flags.writeable
        return NativeTensor(data, int(tensor.type), tensor.shape)

    return step._replace(
        outputs=tuple(map(twin, step.outputs)), inputs=tuple(map(twin, step.inputs))
    )


def changed(record: Any, rng: np.random.Generator) -> Any:
    """A record with one number changed, or one array cut."""
    name = str(rng.choice([one.name for one in fields(record)]))
    value = getattr(record, name)
    if is_dataclass(value):
        return replace(record, **{name: changed(value, rng)})
    if isinstance(value, np.ndarray):
        cut = value[: int(rng.integers(len(value)))] if len(value) and rng.integers(2) else value
        other = cut.copy()
        if len(other):
            info = np.iinfo(other.dtype)
            other[int(rng.integers(len(other)))] = np.clip(rng.choice(NUMBERS), info.min, info.max)
        return replace(record, **{name: other})
    if isinstance(value, tuple):
        numbers = list(value)
        numbers[int(rng.integers(len(numbers)))] = int(rng.choice(NUMBERS))
        return replace(record, **{name: tuple(numbers)})
    number = not value if isinstance(value, bool) else int(rng.choice(NUMBERS))
    return replace(record, **{name: number})


def run(step: Step, isa: str, fence: Fence, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Run a step between guards, if there is a kernel that takes it."""
    monkeypatch.setattr(program, "aligned", fence.allocate)
    native = Program(isa)
    if not native.add_steps([step], ()):
        return False
    native.finish()
    assert native.run(0, 1) == 1
    fence.check()
    return True


@pytest.mark.parametrize("isa", available_isas())
def test_what_a_kernel_takes_it_computes_inside_of_its_memory(
    isa: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken = refused = 0
    for seed in range(2 * CASES):
        rng = np.random.default_rng([5, seed])
        for step in steps_for(seed):
            assert run(fenced(step, Fence(0x5A)), isa, Fence(0x5A), monkeypatch)
            for _ in range(4 * step.kernel.startswith("NPU_")):  # others have tests of their own
                other = step._replace(params=changed(step.params, rng))
                fence = Fence(int(rng.integers(256)))
                if run(fenced(other, fence), isa, fence, monkeypatch):
                    taken += 1
                else:
                    refused += 1
    assert taken > CASES
    assert refused > CASES


# -- steps of one operator


def copy_of(source: Array, target: Array, kernel: str = "NPU_TABLE") -> Step:
    """A step that copies bytes."""
    from arenite.ops.shared.npu_records import NpuTableParams

    tensors = [NativeTensor(a, TensorType.INT8, a.shape) for a in (target, source)]
    table = np.arange(256, dtype=np.uint8).view(np.int8)
    return Step(kernel, NpuTableParams(table), (tensors[0],), (tensors[1],))


def test_an_operator_of_several_steps_is_one_step_of_its_program() -> None:
    a, b, c, d = (np.full(4, i, np.int8) for i in range(4))
    native = Program()
    assert native.add_steps([copy_of(a, b), copy_of(b, c)], ())
    assert native.add_steps([copy_of(c, d)], ())
    native.finish()
    assert (len(native), native.is_whole(0), native.is_kernel(0)) == (2, True, False)
    assert native.run(0, 1) == 1
    assert (b.max(), c.max(), d.max()) == (0, 0, 3)
    assert native.run(0, 2) == 2
    assert d.max() == 0


def test_it_needs_a_kernel_for_every_step() -> None:
    a, b = np.zeros(4, np.int8), np.zeros(4, np.int8)
    native = Program()
    assert not native.add_steps([copy_of(a, b), copy_of(a, b, "NOTHING")], ())
    assert len(native) == 0


def test_steps_are_no_calls_of_subgraphs() -> None:
    a, b = np.ones(4, np.int8), np.zeros(4, np.int8)
    native = Program()
    assert native.add_steps([copy_of(a, b)], ())
    native.finish()
    left = np.zeros(1, np.int64)
    native.limit_calls(left)
    assert native.run(0, 1) == 1
    assert (b.max(), left[0]) == (1, 0)
