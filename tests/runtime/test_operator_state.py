"""What operators remember from one inference to the next lies in the arena, wherever that is."""

from typing import Any

import numpy as np
import pytest

from arenite.runtime.graph import Graph
from arenite.runtime.heap_host import HeapInterpreter
from arenite.runtime.micro_interpreter import MicroInterpreter
from tests.runtime.models import custom_chain, resolver_with

Array = np.ndarray[Any, Any]


def init(context: Any, options: Any) -> None:
    context.allocate_state(2, "from init")[...] = [1, 2]


def prepare(context: Any, node: Any) -> None:
    context.allocate_persistent_buffer(32, "no state")
    context.allocate_state(1, "from prepare")[...] = 30


def count(context: Any, node: Any) -> None:
    """Writes what it remembers to the output, and remembers one more of each."""
    states = context.state_buffers()
    out = context.get_eval_tensor(node.outputs[0]).data.reshape(-1)
    out[:3] = np.concatenate(states)
    for state in states:
        np.add(state, 1, out=state)


def forget(context: Any, user_data: Any) -> None:
    for state in context.state_buffers():
        state[...] = 7


OWN = {"init": init, "prepare": prepare, "invoke": count}


def outputs(interpreter: Any, times: int) -> list[list[int]]:
    results = []
    for _ in range(times):
        interpreter.invoke()
        results.append(interpreter.output().reshape(-1)[:3].tolist())
    return results


def on_heap(**functions: Any) -> Any:
    interpreter = HeapInterpreter(custom_chain(), resolver_with(**functions))
    interpreter.allocate_tensors()
    return interpreter


def in_arena(**functions: Any) -> Any:
    micro = MicroInterpreter(custom_chain(), resolver_with(**functions), bytearray(b"\x5a" * 8192))
    micro.allocate_tensors()
    return micro


def in_smallest_arena(**functions: Any) -> Any:
    return MicroInterpreter.in_smallest_arena(custom_chain(), resolver_with(**functions))


def in_an_arena_that_shrinks(**functions: Any) -> Any:
    """As Arenite's own operators are run, which are prepared once."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Graph, "is_own", True)
        return in_smallest_arena(**functions)


everywhere = pytest.mark.parametrize(
    "make", [on_heap, in_arena, in_smallest_arena, in_an_arena_that_shrinks]
)


@everywhere
def test_states_are_found_in_the_order_of_their_allocation(make: Any) -> None:
    assert outputs(make(**OWN), 3) == [[1, 2, 30], [2, 3, 31], [3, 4, 32]]


@everywhere
def test_reset_finds_them(make: Any) -> None:
    interpreter = make(**OWN, reset=forget)
    assert outputs(interpreter, 2) == [[7, 7, 7], [8, 8, 8]]
    interpreter.reset()
    assert outputs(interpreter, 1) == [[7, 7, 7]]


@pytest.mark.parametrize("make", [in_arena, in_smallest_arena, in_an_arena_that_shrinks])
def test_they_lie_in_the_arena(make: Any) -> None:
    seen: list[Array] = []

    def look(context: Any, node: Any) -> None:
        seen.extend(context.state_buffers())

    micro = make(init=init, prepare=prepare, invoke=look)
    micro.invoke()
    memory = micro.arena.view(0, micro.arena.size)
    assert [np.shares_memory(state, memory) for state in seen] == [True, True]


def test_every_node_has_its_own() -> None:
    def put(context: Any, node: Any) -> None:
        context.allocate_state(1)[...] = node.outputs[0]

    seen: list[int] = []

    def look(context: Any, node: Any) -> None:
        seen.append(int(context.state_buffers()[0][0]) - node.outputs[0])

    resolver = resolver_with(prepare=put, invoke=look)
    micro = MicroInterpreter.in_smallest_arena(custom_chain(3), resolver)
    micro.invoke()
    assert seen == [0, 0, 0]


def test_a_second_preparation_begins_anew() -> None:
    interpreter = on_heap(**OWN)
    outputs(interpreter, 2)
    interpreter.allocate_tensors()
    assert outputs(interpreter, 1) == [[1, 2, 30]]


def test_the_memory_of_a_users_kernel_is_not_zeroed() -> None:
    def look(context: Any, node: Any) -> None:
        assert context.allocate_state(4).tolist() == [0xA5] * 4

    in_arena(prepare=look)


def test_an_operator_without_state_has_none() -> None:
    def look(context: Any, node: Any) -> None:
        assert context.state_buffers() == []

    in_arena(invoke=look).invoke()
