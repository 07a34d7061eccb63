"""What a file asks for is compared with a limit before it is taken.

Every hostile case runs in a process of its own, whose largest size is measured.
"""

import subprocess
import sys
from textwrap import dedent

import numpy as np
import pytest

import arenite as ar
from arenite.memory import budget
from tests.runtime.models import conv_model, image

#: What Python, NumPy and Arenite take themselves, and room for a file: megabytes.
OWN = 150

PREAMBLE = """
import struct, numpy as np, arenite as ar
q = dict(scale=1.0, zero_point=0)
b = ar.ModelBuilder()

def refused(call):
    try:
        call()
    except ar.MemoryLimitError as error:
        print(error)

def peak():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) >> 10 for line in status if line.startswith("VmHWM"))

def offline(*offsets):
    values = struct.pack(f"<{3 + len(offsets)}i", 1, 0, len(offsets), *offsets)
    return b.build(metadata={"OfflineMemoryAllocation": values})
"""


def peak_of(script: str) -> tuple[str, int]:
    """What a script prints, and the most megabytes that its process had.

    Not ``ru_maxrss``: that begins with what the process had that started this one.
    """
    measure = (
        "print(next(int(s.split()[1]) >> 10 for s in open('/proc/self/status') if 'VmHWM' in s))"
    )
    code = f"{PREAMBLE}\n{dedent(script)}\n{measure}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    *lines, peak = done.stdout.splitlines()
    return "\n".join(lines), int(peak)


TILE = """
    x = b.input("x", (1, 1000), "int8", **q)
    times = b.constant("times", np.array([1000, 1000], np.int32))
    y = b.tensor("y", (1000, 1000000), "int8", **q)
    b.operator("MNN_TILE", [x, times], [y], custom_options=b""); b.output(y)
"""


def test_a_tile_of_a_gigabyte_is_refused_on_the_heap() -> None:
    said, peak = peak_of(TILE + "    refused(ar.HeapInterpreter(b.build()).allocate_tensors)")
    assert said.startswith("the tensors would take 1,000,00")
    assert peak < OWN


def test_an_arena_of_a_gigabyte_is_refused() -> None:
    said, peak = peak_of(TILE + "    refused(lambda: ar.Interpreter(b.build()))")
    assert said.startswith("the arena would take 1,000,00")
    assert peak < OWN


def test_an_offline_plan_that_ends_far_away_is_refused() -> None:
    said, peak = peak_of(
        """
        x = b.input("x", (1, 16), "int8", **q)
        y = b.tensor("y", (1, 16), "int8", **q)
        b.operator("RELU", [x], [y]); b.output(y)
        refused(lambda: ar.Interpreter(offline(0, 1_000_000_000)))
        """
    )
    assert said.startswith("the arena would take 1,000,00")
    assert peak < OWN


def test_copies_of_the_arena_for_threads_are_refused() -> None:
    said, peak = peak_of(
        """
        x = b.input("x", (1, 16), "int8", **q)
        y = b.tensor("y", (1, 16), "int8", **q)
        b.operator("RELU", [x], [y]); b.output(y)
        interp = ar.Interpreter(offline(0, 100_000_000), engine="auto")
        batch = np.zeros((64, 16), np.int8)
        assert interp.predict(batch, threads=1).shape == (64, 16)
        refused(lambda: interp.predict(batch, threads=3))
        if interp.engine == "reference": print("3 copies of the arena")
        """
    )
    assert "3 copies of the arena" in said
    assert peak < OWN + 100


@pytest.mark.parametrize("call", ["allocate_persistent_buffer", "request_scratch_buffer_in_arena"])
@pytest.mark.parametrize(
    "host",
    [
        "HeapInterpreter(model, resolver).allocate_tensors()",
        "Interpreter(model, resolver=resolver)",
    ],
)
def test_what_operators_ask_for_is_refused(call: str, host: str) -> None:
    said, peak = peak_of(
        f"""
        def prepare(context, node):
            for _ in range(3):
                context.{call}(200 << 20)
        x = b.input("x", (1, 4), "float32"); y = b.tensor("y", (1, 4), "float32")
        b.operator("GREEDY", [x], [y]); b.output(y)
        model = b.build()
        resolver = ar.AllOpsResolver()
        resolver.add_custom("GREEDY", ar.Registration(prepare=prepare, invoke=lambda c, n: None))
        refused(lambda: ar.{host})
        """
    )
    assert "would take" in said
    assert peak < OWN


def test_packed_weights_count() -> None:
    interp = ar.Interpreter(conv_model(), engine="auto")
    if interp.engine == "reference":
        pytest.skip("the native engine was not built")
    ar.set_memory_limit(interp.arena.size)
    try:
        with pytest.raises(ar.MemoryLimitError, match="packed weights and workspace would take"):
            ar.Interpreter(conv_model(), engine="native")
        assert ar.Interpreter(conv_model(), engine="reference").arena.size == interp.arena.size
    finally:
        ar.set_memory_limit(None)


def test_a_higher_limit_lets_a_model_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(budget.VARIABLE, "1000")
    with pytest.raises(
        ar.MemoryLimitError, match=r"limit for an interpreter is 1,000 bytes"
    ) as info:
        ar.Interpreter(conv_model())
    assert info.value.limit == 1000
    monkeypatch.setenv(budget.VARIABLE, "1000000")
    assert ar.Interpreter(conv_model())(image(0)).shape == (1, 8, 8, 2)


def test_an_arena_of_the_users_is_not_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(budget.VARIABLE, "1000")
    interp = ar.Interpreter(conv_model(), arena=1 << 16, engine="reference")
    assert interp(image(0)).shape == (1, 8, 8, 2)


def test_after_a_refusal_the_interpreter_is_as_before(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(budget.VARIABLE, "100")
    heap = ar.HeapInterpreter(conv_model())
    with pytest.raises(ar.MemoryLimitError):
        heap.allocate_tensors()
    with pytest.raises(ar.StateError):
        heap.invoke()
    monkeypatch.delenv(budget.VARIABLE)
    heap.allocate_tensors()
    heap.input()[...] = image(0)
    heap.invoke()
    np.testing.assert_array_equal(heap.output(), ar.Interpreter(conv_model())(image(0)))


@pytest.mark.parametrize(
    ("limit", "error"), [(-1, ValueError), (1.5, TypeError), (True, TypeError), ("1", TypeError)]
)
def test_a_limit_is_a_number_of_bytes(limit: object, error: type[Exception]) -> None:
    with pytest.raises(error, match=r"expected a"):
        ar.set_memory_limit(limit)  # type: ignore[arg-type]


def test_the_environments_limit_is_a_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(budget.VARIABLE, "much")
    with pytest.raises(ValueError, match="ARENITE_MEMORY_LIMIT: expected a number of bytes"):
        ar.memory_limit()
