"""Inferences of a program as one C call each, and what Python does where that call ends early."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from arenite.errors import InferenceAborted, LoopLimitError, in_use
from arenite.model import Array
from arenite.native.conversion import Conversion, Ends
from arenite.native.engine import ffi, lib
from arenite.native.fast_call import shortcut
from arenite.native.turn import TOKEN, give_back

from_buffer = ffi.from_buffer


def go_on(
    program: Any,
    status: int,
    run_step: Callable[[int], None],
    pause: Callable[[], None] | None = None,
) -> None:
    """Bring a walk that has returned early to its end.

    Args:
        program: The walk's ``ar_program``.
        status: What it has returned.
        run_step: Runs a step in Python, or raises what is wrong.
        pause: Called where a loop pauses; may raise to end it. Signals are heard there anyway.

    Raises:
        InferenceAborted: A step has ended the inference.
        LoopLimitError: No calls are left of those that the program may make.
    """
    while status != lib.AR_OK:
        if status == lib.AR_ABORTED:
            raise InferenceAborted
        if status == lib.AR_SPENT:
            raise LoopLimitError
        if status == lib.AR_PAUSED:
            if pause is not None:
                pause()
        else:
            frame = program.frames[program.depth]
            run_step(frame.next)
            frame.next += 1
        status = lib.ar_resume(program)


class Call:
    """One inference of a program, or many in a row.

    Arrays are C-contiguous and of the tensors' sizes, which the caller has checked; the GIL is
    released while the program runs. Where a kernel does not take the data, ``run_step(step)``
    does that step, or raises what is wrong with them.
    """

    __slots__ = (
        *("_conversions", "_isa", "_keep", "_outputs", "_program", "_run_step", "_states", "_turn"),
        "pause",
    )

    def __init__(
        self,
        program: Any,
        outputs: Sequence[Array],
        run_step: Callable[[int], None],
        turn: list[None],
        *,
        isa: int,
        keep: Any,
    ) -> None:
        self._program = program
        self._isa = isa
        self._conversions: list[Conversion] = []
        self._outputs = outputs
        self._run_step = run_step
        self._turn = turn
        self._keep = keep
        self._states: Any = None
        #: See :func:`go_on`.
        self.pause: Callable[[], None] | None = None

    def _go_on(self, status: int) -> bool:
        """Whether the rest has run, and no step has ended the inference."""
        try:
            go_on(self._program, status, self._run_step, self.pause)
        except InferenceAborted:
            return False
        return True

    def function(self) -> Callable[[Array, Array], None]:
        """``run(x, y)``: one inference, from the only input to the only output.

        It takes its turn, as :func:`arenite.runtime.exclusive.alone` does.
        """
        run, view, program = lib.ar_call, from_buffer, self._program
        turn = self._turn
        take, give = turn.pop, turn.append

        def call(x: Array, y: Array) -> None:
            try:
                take(TOKEN)
            except IndexError:
                raise in_use() from None
            except BaseException:
                give_back(turn)
                raise
            try:
                status = run(program, view(x), view(y))
                if status:
                    # `self` must be named here: it keeps alive what the program points to.
                    self._go_on(status)
                    y[...] = self._outputs[0]
            finally:
                give(None)

        return call

    def shortcut(
        self,
        sources: Sequence[Array],
        *,
        failed: Callable[[Exception], Exception],
        predicts: bool,
    ) -> Any:
        """Arguments of :mod:`arenite.native.fast_call` for one inference, or None.

        ``sources`` is the inputs' memory; ``failed`` makes the error of a sample of one that a
        step in Python has raised.
        """

        def rest(status: int, is_predict: bool) -> bool:
            try:
                return self._go_on(status)
            except Exception as error:
                if is_predict:
                    raise failed(error) from error
                raise

        return shortcut(
            self._program,
            sources,
            self._outputs,
            self._turn,
            rest,
            keep=self,
            predicts=predicts,
        )

    def converts(self, number: int, ends: Ends, *, is_input: bool) -> bool:
        """Let :meth:`predict` take other numbers for an input, or give them for an output.

        Returns:
            Whether there is a kernel that does it; else nothing has changed.
        """
        find, ports = (
            (Conversion.into, self._program.inputs)
            if is_input
            else (Conversion.out_of, self._program.outputs)
        )
        conversion = find(ends, self._isa)
        if conversion is None:
            return False
        port = ports[number]
        port.convert, port.params, port.io = conversion
        conversion.io[0 if is_input else 1].data = port.data
        port.bytes = ends.elements * ends.given.itemsize
        self._conversions.append(conversion)
        return True

    def starts_over(self, states: Sequence[tuple[Array, Array]]) -> None:
        """Let :meth:`predict` copy each pair's second array to the first before every sample."""
        found = [(from_buffer(one), from_buffer(first), one.nbytes) for one, first in states]
        self._states = ffi.new("ar_state[]", found), states  # kept alive with what they point to
        self._program.states, self._program.state_count = self._states[0], len(states)

    def predict(
        self, inputs: Sequence[Array], outputs: Sequence[Array]
    ) -> tuple[int, Exception | None]:
        """As many inferences as the arrays, one per input and output, have samples.

        The caller has taken the turn, or has the memory to itself.

        Returns:
            The number of samples done, and why it is not all of them: None where the next one has
            a NaN that :meth:`converts` made this to quantise.
        """
        done, count = ffi.new("int64_t *"), len(inputs[0])
        finished = 0
        while True:
            x, y = (
                [from_buffer("uint8_t[]", array[finished:]) for array in arrays]
                for arrays in (inputs, outputs)
            )
            pointers = ffi.new("uint8_t *[]", x), ffi.new("uint8_t *[]", y)
            status = lib.ar_predict(self._program, *pointers, count - finished, done)
            finished += done[0]
            if status in (lib.AR_OK, lib.AR_REFUSED):
                return finished, None
            try:
                self._go_on(status)
            except Exception as error:
                return finished, error
            lib.ar_take_outputs(self._program, pointers[1], done[0])
            finished += 1
