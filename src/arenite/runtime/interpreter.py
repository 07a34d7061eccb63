"""The friendly interpreter: arrays in, arrays out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from functools import cached_property
from typing import Any

import numpy.typing as npt

from arenite.formats import Source, model_of
from arenite.memory.arena import Memory, SingleArenaBufferAllocator
from arenite.memory.plan import MemoryPlan
from arenite.memory.recording import Allocations
from arenite.model import Model
from arenite.ops import Array, OpResolver, resolver_of
from arenite.options import function_or_none, takes
from arenite.runtime.call_budget import CallBudget
from arenite.runtime.exclusive import Turn, exclusive
from arenite.runtime.graph import Profiler
from arenite.runtime.interpreter_config import Engine
from arenite.runtime.io_conversion import (
    Convert,
    Given,
    Outputs,
    checked,
    collected,
    dequantized,
    input_index,
    output_index,
)
from arenite.runtime.micro_interpreter import MicroInterpreter
from arenite.runtime.native_io_conversion import Converting
from arenite.runtime.whole_call import shortcut, whole_call
from arenite.target import Target


class Interpreter:
    """Plans a model's memory and runs it.

    >>> interp = Interpreter("kws.tflite")       # doctest: +SKIP
    >>> y = interp(x)                            # doctest: +SKIP
    >>> interp.input(0)[:] = x; interp.invoke(); y = interp.output(0)  # doctest: +SKIP

    One thread uses it at a time: a second caller gets ``StateError`` at once. Give every
    thread its own, with :meth:`copy`. It can be pickled as well, for processes of a pool say:
    the model and the options go along. The arena is a new one of the same size, all state is that
    of a new interpreter (variables at their zero points, CALL_ONCE still to run), and there is no
    profiler.

    Args:
        model: A model, a file's path, or a file's bytes.
        target: Which firmware is meant: its memory, its paths and its bits. None is TFLM's own
            package on this machine, ``"cortex-m4"`` (``"m4"``) TFLM with CMSIS-NN for that
            processor, built with GCC; a :class:`Target` says the rest.
        engine: What computes here: ``"reference"`` NumPy, ``"native"`` compiled kernels where
            there are some, ``"auto"`` native ones if the engine was built. The bits are the
            same, for every target; those of floats may differ in the last places.
        resolver: Finds the operators; by default all that Arenite has.
        arena: A writable buffer or a size in bytes; by default as large as necessary, which
            takes calling ``init`` and ``prepare`` twice where there are custom operators.
        planner: Name of the memory planner: TFLM's ``"greedy"`` or ``"linear"``, or ``"optimal"``.
        preserve_all_tensors: Keep every tensor's value for :meth:`tensor`. A plan that the model
            brings along lets tensors share memory, and is not looked at.
        resource_variables: How many variables there is room for, see :class:`MicroInterpreter`.
        threads: How many threads share one inference of the native engine, the caller's among
            them, from 1 to 1024. Bits are the same. Small operators run on one thread, and so does
            all of the reference engine. The threads begin with the first inference and end with
            the interpreter, or with :meth:`close`.
        isa: The instruction set whose kernels the native engine runs: ``"portable"``, ``"avx2"``
            ... By default the processor's best, or that of ``ARENITE_ISA``. Integers are the same
            with all of them, floats differ in their last bits: ``"portable"`` gives the same ones
            on all processors. It goes along where the interpreter is copied or pickled.
        profiler: Told of every operator that runs, see :class:`MicroProfiler`.
        external_context: What custom operators find with ``get_external_context``.
        decompression_memory: Memory beside the arena for the outputs of TFLM_DECODE, see
            :meth:`MicroInterpreter.set_decompression_memory`.

    Raises:
        ModelError: The file is malformed.
        UnsupportedOperatorError: The resolver lacks operators.
        ConstraintError: An operator cannot run what the model asks of it.
        ArenaError: The arena is too small.
        TypeError, ValueError: ``threads`` is no integer from 1 to 1024.
        ValueError: This processor has no such instruction set.
        AreniteError: The native engine is asked for, or a set, and would not run.
    """

    def __init__(
        self,
        model: Model | Source,
        *,
        target: Target | str | None = None,
        engine: Engine = "auto",
        resolver: OpResolver | None = None,
        arena: Memory | int | None = None,
        planner: str = "greedy",
        preserve_all_tensors: bool = False,
        resource_variables: int | None = None,
        threads: int = 1,
        isa: str | None = None,
        profiler: Profiler | None = None,
        external_context: Any = None,
        decompression_memory: Sequence[Memory | int] = (),
    ) -> None:
        self._model = model_of(model)
        self._resolver = resolver_of(self._model) if resolver is None else resolver
        self._options: dict[str, Any] = {
            "target": target,
            "engine": engine,
            "planner": planner,
            "preserve_all_tensors": preserve_all_tensors,
            "resource_variables": resource_variables,
            "threads": threads,
            "isa": isa,
        }
        arguments = self._model, self._resolver
        options = {**self._options, "profiler": profiler}
        self._options["external_context"] = external_context
        if arena is None:
            self._micro = MicroInterpreter.in_smallest_arena(
                *arguments,
                **options,
                external_context=external_context,
                decompression_memory=decompression_memory,
            )
        else:
            self._micro = MicroInterpreter(*arguments, arena, **options)
            if external_context is not None:
                self._micro.set_micro_external_context(external_context)
            if decompression_memory:
                self._micro.set_decompression_memory(*decompression_memory)
            self._micro.allocate_tensors()
        sizes = [region.nbytes for region in self._micro.decompression_memory]
        self._options["decompression_memory"] = sizes
        if self._micro.compiled is not None:
            from arenite.native.fast_call import shorten  # noqa: PLC0415 - may be absent

            shorten(Interpreter)

    # -- running

    @exclusive
    def __call__(
        self, /, *inputs: npt.ArrayLike, quantize: bool = False, **named: npt.ArrayLike
    ) -> Outputs:
        """Run one inference.

        Args:
            inputs: Arrays of the inputs' shapes and dtypes, in order.
            quantize: Take real numbers: quantise inputs and dequantise outputs with the
                tensors' scales and zero points. uint8 arrays for an int8 or int16 input that an
                image fits are pixels: 0..255 are all that the input holds, ``byte - 128`` for int8.
            named: Inputs by their name in the model's signature, or by tensor name.

        Returns:
            A copy of the output, or a tuple of copies if there are several.

        Raises:
            DTypeError: An array has another dtype than its input, or bytes for an input that holds
                0 to 255 and more may be pixels and numbers.
            ShapeError: An array has another shape than its input.
            ValueError: An input is missing, given twice or unknown, or a real number is NaN.
        """
        return self._run(collected(self._model, inputs, named), quantize=quantize)

    @exclusive
    @takes(progress=function_or_none)
    def predict(
        self,
        batch: npt.ArrayLike | tuple[npt.ArrayLike, ...],
        *,
        threads: int = 1,
        stateful: bool | None = None,
        quantize: bool = False,
        progress: Callable[[int, int], object] | None = None,
    ) -> Outputs:
        """Run one inference per sample.

        A model with state (:attr:`is_stateful`: variables, recurrent and streaming operators)
        needs ``stateful``: whether the samples are one sequence, or independent of each other.
        Models without state ignore it.

        With several threads each takes a part of the batch in a copy of the arena, and runs its
        inferences alone; with one, those that the interpreter was made with share each inference.
        Models in which all operators are native gain from threads; others give the same results
        on one.

        Args:
            batch: ``(N, ...)`` samples; with several inputs a tuple of such arrays. A sample
                has the input's shape, with or without a leading 1.
            threads: How many threads share the samples, from 1 to 1024.
            stateful: With True the samples are a sequence, on one thread: it goes on from the
                interpreter's present state, and leaves its own there. With False each sample
                starts as in a new interpreter, CALL_ONCE included, and the interpreter's state
                is what it was before.
            quantize: See :meth:`__call__`.
            progress: Called with the number of samples done and in all, about every 50 ms and
                at the end, on the caller's thread. What it raises ends the run.

        Returns:
            ``(N, ...)`` outputs without a leading 1, or a tuple of such arrays.

        Raises:
            DTypeError: The batch has another dtype than the input.
            ShapeError: A sample has another shape than the input, or counts differ.
            ValueError: There are not as many arrays as inputs, too few or many threads, or
                ``stateful`` is not said of a model with state, or True with several threads.
            PredictError: A sample failed, or has a NaN to quantise; says which, and is caused by
                what it failed with.
        """
        from arenite.runtime.predict import predict  # noqa: PLC0415 - one inference needs no threads

        values = batch if isinstance(batch, tuple) else (batch,)
        return predict(
            self._micro,
            values,
            threads=threads,
            stateful=stateful,
            quantize=quantize,
            progress=progress,
        )

    def invoke(self) -> bool:
        """Run the model on what :meth:`input` holds.

        Returns:
            Whether all operators ran. CIRCULAR_BUFFER ends an inference before, without an
            error, until it has seen as many inputs as it waits for (``kTfLiteAbort``); outputs
            mean nothing then.
        """
        return self._micro.invoke()

    def reset(self) -> None:
        """Variable tensors back to their zero points, operators back to their start."""
        self._micro.reset()

    @exclusive
    def close(self) -> None:
        """End the threads that share inferences, now rather than with the interpreter.

        Inferences go on, on the caller's thread. Without ``threads`` there is nothing to end.
        """
        self._micro.close()

    # -- tensors

    def input(self, index: int | str = 0) -> Array:
        """An input, by index or name: a writable view of the arena."""
        if isinstance(index, str):
            index = input_index(self._model, index)
        return self._micro.input(index)

    def output(self, index: int | str = 0) -> Array:
        """An output, by index or name: a view of the arena, valid until the next inference."""
        if isinstance(index, str):
            index = output_index(self._model, index)
        return self._micro.output(index)

    def tensor(self, which: int | str, subgraph: int = 0) -> Array:
        """Any tensor by index or name; needs ``preserve_all_tensors=True``."""
        return self._micro.tensor(which, subgraph)

    # -- facts

    @property
    def is_stateful(self) -> bool:
        """Whether an inference may depend on those before it: see :meth:`predict`."""
        return self._micro.is_stateful

    @property
    def model(self) -> Model:
        """The model."""
        return self._model

    @property
    def arena(self) -> SingleArenaBufferAllocator:
        """The arena: ``used``, ``head_used``, ``tail_used``, ``size``."""
        return self._micro.arena

    @property
    def plan(self) -> MemoryPlan:
        """Where every tensor and scratch buffer is, and when it is alive."""
        return self._micro.plan

    @property
    def target(self) -> Target:
        """The firmware whose memory, paths and bits are meant."""
        return self._micro.target

    @property
    def engine(self) -> str:
        """Engine: ``"native"`` or ``"reference"``."""
        return self._micro.engine

    @property
    def profiler(self) -> Profiler | None:
        """Told of every operator that runs; may be set and removed at any time."""
        return self._micro.profiler

    @profiler.setter
    def profiler(self, profiler: Profiler | None) -> None:
        self._micro.profiler = profiler
        vars(self).pop("_shortcut", None)

    def limit_calls(self, budget: CallBudget | None) -> None:
        """See :meth:`MicroInterpreter.limit_calls`. Copies of this interpreter have no budget."""
        self._micro.limit_calls(budget)
        vars(self).pop("_shortcut", None)

    def allocations(self) -> Allocations:
        """The use of the arena: TFLM's table, and every block in the tail."""
        return self._micro.allocations()

    def __repr__(self) -> str:
        return repr(self._micro).replace("MicroInterpreter", "Interpreter")

    @property
    def _turn(self) -> Turn:
        return self._micro.turn

    # -- copies

    def copy(self) -> Interpreter:
        """Another interpreter of the same model, for another thread.

        It has an arena of its own, of the same size, begins with the state of a new interpreter,
        whatever this one remembers, and has no profiler.
        """
        return _interpreter(self._model, self._resolver, self._arena_bytes, self._options)

    def __reduce__(self) -> tuple[Any, ...]:
        return _interpreter, (self._model, self._resolver, self._arena_bytes, self._options)

    def __deepcopy__(self, memo: dict[int, Any]) -> Interpreter:
        # Models are frozen: there is no need for another one.
        resolver, options = deepcopy((self._resolver, self._options), memo)
        return _interpreter(self._model, resolver, self._arena_bytes, options)

    @property
    def _arena_bytes(self) -> int:
        return self.arena.size + self.arena.skipped

    # -- inside

    @cached_property
    def _shortcut(self) -> Any:
        """The shortest way to an inference: a small model takes no longer than a few calls.

        Methods in C take it instead of those here, see :mod:`arenite.native.fast_call`, and the
        first call finds it. None where there is none.
        """
        from arenite.native.fast_call import shorten  # noqa: PLC0415 - may be absent

        call = whole_call(self._micro)
        return None if call is None or not shorten(Interpreter) else shortcut(self._micro, call)

    @cached_property
    def _converting(self) -> Convert:
        compiled = self._micro.compiled
        return Given.converted if compiled is None else Converting(compiled.program.isa)

    def _run(self, given: list[npt.ArrayLike], *, quantize: bool) -> Outputs:
        convert = self._converting if quantize else Given.converted
        # All are checked before one is written: a refused call changes nothing.
        values = [
            checked(value, self._model.inputs[index], index, quantize=quantize, convert=convert)
            for index, value in enumerate(given)
        ]
        for index, value in enumerate(values):
            self.input(index)[...] = value
        self._micro.invoke_in_turn()
        outputs = tuple(self._result(i, quantize) for i in range(len(self._model.outputs)))
        return outputs[0] if len(outputs) == 1 else outputs

    def _result(self, index: int, quantize: bool) -> Array:
        value = self.output(index)
        return dequantized(value, self._model.outputs[index]) if quantize else value.copy()


def _interpreter(
    model: Model, resolver: OpResolver, arena: int, options: dict[str, Any]
) -> Interpreter:
    return Interpreter(model, resolver=resolver, arena=arena, **options)
