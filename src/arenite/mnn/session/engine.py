"""A plan in an arena of its own, between memory that belongs to the session.

Arenite's planner gives an input's bytes to other tensors once it is read. A session's inputs
must still be there for the next run, so they are copied in, and outputs are copied out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from arenite.mnn.session.plan import Plan
from arenite.model import Array
from arenite.ops import AllOpsResolver
from arenite.runtime.exclusive import exclusive
from arenite.runtime.lifecycle import Tensors
from arenite.runtime.micro_interpreter import MicroInterpreter

if TYPE_CHECKING:
    from arenite.native.call import Call

#: Says whether to go on; told the number of an operator and its tensors.
Visit = Callable[[int, Tensors], bool]


class SessionEngine:
    """Plans the arena, and runs the model from ``inputs`` to ``outputs``.

    Args:
        plan: The plan.
        inputs: Flat arrays, one per input of the model.
        outputs: Flat arrays, one per output.

    Raises:
        ConstraintError, UnsupportedOperatorError: An operator cannot run what it is asked to.
        ArenaError: This machine has not got the memory.
    """

    def __init__(self, plan: Plan, inputs: Sequence[Array], outputs: Sequence[Array]) -> None:
        self._micro = MicroInterpreter.in_smallest_arena(
            plan.model, AllOpsResolver(), engine="auto"
        )
        self._inputs = [
            array.reshape(self._micro.input(index).shape) for index, array in enumerate(inputs)
        ]
        self._outputs = [
            array.reshape(self._micro.output(index).shape) for index, array in enumerate(outputs)
        ]
        compiled = self._micro.compiled
        self._turn = self._micro.turn
        call = None if compiled is None else compiled.call(self._turn)
        #: One inference.
        self.run: Callable[[], object] = self._piecewise if call is None else self._whole(call)

    @property
    def arena_bytes(self) -> int:
        """Size of the planned arena."""
        return self._micro.arena.size

    @property
    def native_bytes(self) -> int:
        """Bytes of the native kernels outside of the arena: packed weights, a workspace."""
        compiled = self._micro.compiled
        return 0 if compiled is None else compiled.nbytes

    @exclusive
    def visit(self, before: Visit, after: Visit) -> bool:
        """One inference, operator by operator.

        An operator for which ``before`` is False is not run; ``after`` is called
        nevertheless, and ends the inference if it is False.

        Returns:
            Whether all operators had their turn.
        """
        micro = self._micro
        self._copy_in()
        for number in range(len(micro.model.main.operators)):
            inputs, outputs = micro.operator_tensors(number)
            if before(number, inputs):
                micro.invoke_operator_in_turn(number)
            if not after(number, outputs):
                return False
        self._copy_out()
        return True

    # -- inside

    def _whole(self, call: Call) -> Callable[[], object]:
        if len(self._inputs) == len(self._outputs) == 1:
            return partial(call.function(), self._inputs[0], self._outputs[0])
        inputs, outputs = ([a[None] for a in side] for side in (self._inputs, self._outputs))
        return partial(self._many_ports, call, inputs, outputs)

    @exclusive
    def _many_ports(self, call: Call, inputs: list[Array], outputs: list[Array]) -> None:
        _, error = call.predict(inputs, outputs)
        if error is not None:
            raise error

    @exclusive
    def _piecewise(self) -> None:
        self._copy_in()
        self._micro.invoke_in_turn()
        self._copy_out()

    def _copy_in(self) -> None:
        for index, array in enumerate(self._inputs):
            self._micro.input(index)[...] = array

    def _copy_out(self) -> None:
        for index, array in enumerate(self._outputs):
            array[...] = self._micro.output(index)
