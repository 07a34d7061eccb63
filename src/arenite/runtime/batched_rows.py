"""Samples of a batch side by side: a program that computes some rows of every tensor at once.

A fully connected layer of one row reads a weight for each product. Where all operators compute row
by row (:mod:`arenite.ops.rows`), a second program takes some samples at a time, and a weight that
was read serves them all. Tensors lie as the arena's plan has them, with ``SAMPLES`` bytes for each
of its bytes. The results are the same bits.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, NoReturn, TypeGuard

from arenite.errors import AreniteError
from arenite.memory.arena import Bytes
from arenite.native.call import Call
from arenite.native.conversion import Ends
from arenite.native.program import Program, aligned
from arenite.native.tensors import ABSENT, AnyTensor, NativeTensor, address_of, twin
from arenite.ops.context import Array
from arenite.runtime.exclusive import Turn
from arenite.runtime.graph import Graph, GraphHost, NodeAndRegistration

#: So many at once: a multiple of the rows that kernels of matrix products take at a time.
SAMPLES = 24
#: For fewer of them, packing the weights a second time does not pay.
FEWEST = 4 * SAMPLES
#: It all takes no more than the memory limit divided by this, beside what is counted there.
SHARE = 8


class SideBySide:
    """A program over ``SAMPLES`` rows, and the memory of its tensors."""

    def __init__(
        self,
        program: Program,
        memory: Bytes,
        inputs: list[Array],
        outputs: list[Array],
        room: int,
    ) -> None:
        self._program, self._memory, self._room = program, memory, room
        self._inputs, self._outputs = inputs, outputs

    @property
    def nbytes(self) -> int:
        """Bytes of its memory, of packed constants and of the kernels' workspace."""
        return self._memory.nbytes + self._program.nbytes

    def has_room(self, copies: int) -> bool:
        """Whether as many threads can have memory of their own."""
        return copies * (self._memory.nbytes + self._program.workspace_bytes) <= self._room

    def call(self, one: Call, turn: Turn) -> RowsCall:
        """Runs a batch with the help of ``one``, in this memory."""
        return RowsCall(self._program.call(self._inputs, self._outputs, _refuse, turn), one)

    def call_in_copy(self, one: Call, turn: Turn) -> RowsCall:
        """The same for a thread of its own."""
        arena = self._memory, aligned(self._memory.nbytes)
        inputs, outputs = (
            [twin(array, *arena) for array in arrays] for arrays in (self._inputs, self._outputs)
        )
        return RowsCall(self._program.call(inputs, outputs, _refuse, turn, arena), one)


class RowsCall:
    """Runs samples: ``SAMPLES`` at a time as far as that goes, the rest one by one.

    The last one is among the rest, so that the arena holds what it does after it; and so is
    everything from the first one on that the others are not done for, an error in words among it.
    """

    def __init__(self, many: Call, one: Call) -> None:
        self._many: Call | None = many
        self._one = one

    def converts(self, number: int, ends: Ends, *, is_input: bool) -> bool:
        """See :meth:`Call.converts`."""
        if not self._one.converts(number, ends, is_input=is_input):
            return False
        several = ends._replace(elements=SAMPLES * ends.elements)
        if self._many is not None and not self._many.converts(number, several, is_input=is_input):
            self._many = None  # as one of them takes what the other does not
        return True

    def predict(
        self, inputs: Sequence[Array], outputs: Sequence[Array]
    ) -> tuple[int, Exception | None]:
        """See :meth:`Call.predict`."""
        if self._many is None:
            return self._one.predict(inputs, outputs)
        groups = (len(inputs[0]) - 1) // SAMPLES
        done, _ = self._many.predict(_grouped(inputs, groups), _grouped(outputs, groups))
        begin = SAMPLES * done
        rest, error = self._one.predict([x[begin:] for x in inputs], [y[begin:] for y in outputs])
        return begin + rest, error


def _grouped(samples: Sequence[Array], groups: int) -> list[Array]:
    return [one[: groups * SAMPLES].reshape(groups, SAMPLES, *one.shape[1:]) for one in samples]


def _refuse(step: int) -> NoReturn:
    raise AreniteError(f"step {step} does not take the data of all samples at once")


def side_by_side(graph: Graph, one: Program, head: Bytes) -> SideBySide | None:
    """A program over ``SAMPLES`` rows of every tensor of a graph whose plan is for ``head``.

    ``one`` is the program for one row. None where threads share its steps, where an operator needs
    more than its row or has no native kernel for so many that adds floats in the same order, and
    where it would take too much memory.
    """
    entries = graph.nodes[0]
    if len(graph.nodes) > 1 or graph.host.input_copies or one.has_shared_steps:
        return None
    if any(entry.registration.rows is None for entry in entries):  # before memory is taken
        return None
    try:
        return _made(graph, one, head)
    except MemoryError:
        return None


def _made(graph: Graph, one: Program, head: Bytes) -> SideBySide | None:
    host, main = graph.host, graph.model.main
    room = host.budget.limit // SHARE
    if SAMPLES * head.nbytes > room:
        return None
    place = _Place(head, aligned(SAMPLES * head.nbytes))
    program = Program(one.instruction_set)
    for number, entry in enumerate(graph.nodes[0]):
        host.enter_node(0, number)
        step = _step(entry, host, place)
        if step is None or not program.add(*step) or program.order(number) != one.order(number):
            return None
    tensors = host.tensors[0]
    inputs, outputs = (
        [place.rows(tensors[i]) for i in each] for each in (main.inputs, main.outputs)
    )
    if not _are_all_there(inputs) or not _are_all_there(outputs):
        return None
    if place.memory.nbytes + program.packed_bytes > room:
        return None
    program.finish()
    return SideBySide(program, place.memory, inputs, outputs, room)


class _Place(NamedTuple):
    """The planned memory, and memory for ``SAMPLES`` times as many bytes."""

    head: Bytes
    memory: Bytes

    def rows(self, tensor: AnyTensor) -> Array | None:
        """A tensor's ``SAMPLES`` rows; None where it is no row, or not in planned memory."""
        data, shape = tensor.data, tensor.shape
        if data is None or len(shape) < 2 or shape[0] != 1 or not data.flags.c_contiguous:
            return None
        start = address_of(data) - address_of(self.head)
        if not 0 <= start <= start + data.nbytes <= self.head.nbytes:
            return None
        memory = self.memory[SAMPLES * start : SAMPLES * (start + data.nbytes)]
        return memory.view(data.dtype).reshape(SAMPLES, *shape[1:])


def _step(
    entry: NodeAndRegistration, host: GraphHost, place: _Place
) -> tuple[str, Any, list[AnyTensor], list[AnyTensor]] | None:
    """The current node's kernel, parameters, output and inputs, where it computes row by row."""
    node, rows = entry.node, entry.registration.rows
    kernel = entry.registration.kernel_for(node)
    if rows is None or not kernel or len(node.outputs) != 1:
        return None
    x, *others = [host.get_eval_tensor(i) if i >= 0 else ABSENT for i in node.inputs]
    y = host.get_eval_tensor(node.outputs[0])
    taken, given = place.rows(x), place.rows(y)
    if taken is None or given is None or any(map(_is_computed, others)):
        return None
    inputs: list[AnyTensor] = [NativeTensor(taken, x.type, taken.shape), *others]
    outputs: list[AnyTensor] = [NativeTensor(given, y.type, given.shape)]
    return kernel, rows(node.params, SAMPLES), outputs, inputs


def _are_all_there(arrays: list[Array | None]) -> TypeGuard[list[Array]]:
    return bool(arrays) and all(array is not None for array in arrays)


def _is_computed(tensor: AnyTensor) -> bool:
    return tensor.data is not None and tensor.data.flags.writeable
