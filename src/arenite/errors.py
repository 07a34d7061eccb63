"""Every error that Arenite raises on purpose.

Messages give what was expected, what was found and where. All of them derive
from :class:`AreniteError`, so ``except ar.AreniteError`` catches whatever a bad
model, a bad call or a bad input can cause.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextvars import ContextVar
from functools import partial
from typing import Any


class AreniteError(Exception):
    """Base class of all errors raised by Arenite."""


class ModelError(AreniteError, ValueError):
    """A model file is malformed.

    Attributes:
        message: What was expected and what was found, without the place.
        offset: Position in the file in bytes, or None where there is none.
        path: Place in the model, such as ``$.subgraphs[0].operators[3]``.
    """

    def __init__(self, message: str, *, offset: int | None = None, path: str = "$") -> None:
        where = path if offset is None else f"{path} (byte {offset})"
        # The whole file is no place worth naming.
        super().__init__(message if where == "$" else f"{message} - at {where}")
        self.message = message
        self.offset = offset
        self.path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(type(self), offset=self.offset, path=self.path), (self.message,)


class FileChangedError(AreniteError):
    """A file was cut or grew while it was read."""


#: Whether a remedy is being looked for: models that are tried meanwhile need none.
_IS_LOOKING: ContextVar[bool] = ContextVar("is_looking", default=False)


class RefusedError(AreniteError):
    """TensorFlow Lite Micro does not run a model.

    Attributes:
        reason: The facts and the rule, without the place and without a remedy.
        message: The same with the place.
    """

    def __init__(self, message: str, *, reason: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.reason = reason or message
        self._ask: Callable[[], str] | None = None

    #: Whether it runs the model all the same, and computes nonsense.
    computes_nonsense = False

    @property
    def fate(self) -> str:
        """The verb of the sentence that says so."""
        does = "runs this model and computes nonsense"
        return does if self.computes_nonsense else "refuses this model"

    @property
    def remedy(self) -> str:
        """Sentence with the command that makes it run; empty where none is known."""
        if self._ask is None or _IS_LOOKING.get():
            return ""
        token, ask = _IS_LOOKING.set(True), self._ask
        try:
            found = ask()
        except Exception:  # a damaged model: its own error is what counts
            found = ""
        finally:
            _IS_LOOKING.reset(token)
        self._ask = lambda: found
        return found

    @property
    def verdict(self) -> str:
        """The message without what else helps."""
        return self.message

    def ask_for_remedy(self, ask: Callable[[], str]) -> None:
        """Let the message end with what a function finds, if it is ever read."""
        self._ask = self._ask or ask

    def __str__(self) -> str:
        return f"{self.message} {self.remedy}".rstrip()

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(type(self), reason=self.reason), (str(self),)


class UnsupportedOperatorError(RefusedError):
    """The model uses operators that the resolver does not have.

    Attributes:
        missing: Names of all missing operators, each once, in model order.
    """

    def __init__(self, message: str, missing: Sequence[str] = (), *, reason: str = "") -> None:
        super().__init__(message, reason=reason)
        self.missing = tuple(missing)

    @property
    def verdict(self) -> str:
        """The operators that are missing, and their places."""
        return f"{self.reason}."

    def __str__(self) -> str:
        return f"{self.message}\n{self.remedy}".rstrip()

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(type(self), reason=self.reason), (str(self), self.missing)


class ConstraintError(RefusedError, ValueError):
    """An operator is used in a way that TensorFlow Lite Micro does not run."""


class UndefinedWarning(UserWarning):
    """TensorFlow Lite Micro leaves undefined what an operator of the model computes.

    ``docs/operators.md`` says what it is here.
    """


class PlanWarning(UserWarning):
    """A model's memory plan was made for other kernels than those that it is used with.

    Their bits are the right ones nevertheless, or :class:`PlanError` is raised instead.
    """


class InferenceAborted(Exception):  # noqa: N818 - no error
    """An operator has ended the inference before its end, and nothing is wrong.

    What ``context.abort()`` raises (TFLM's ``kTfLiteAbort``); it does not leave an interpreter.
    """


class ArenaError(AreniteError, MemoryError):
    """The tensor arena is too small.

    Attributes:
        requested: Bytes that were asked for.
        available: Bytes that were free.
        needed: Size in bytes of the smallest arena that works, or None if unknown.
    """

    def __init__(
        self, message: str, *, requested: int = 0, available: int = 0, needed: int | None = None
    ) -> None:
        super().__init__(message)
        self.requested = requested
        self.available = available
        self.needed = needed


class MemoryLimitError(AreniteError, MemoryError):
    """A model asks for more of this machine's memory than the limit allows.

    Attributes:
        requested: Bytes that were asked for.
        limit: The limit, see :func:`arenite.memory_limit`.
    """

    def __init__(self, message: str, *, requested: int = 0, limit: int = 0) -> None:
        super().__init__(message)
        self.requested = requested
        self.limit = limit


class PlanError(AreniteError, ValueError):
    """A memory plan is impossible or wrong: buffers overlap, say, or the planner's limits."""


class LoopLimitError(AreniteError):
    """An inference was ended: its loops call subgraphs more often than a caller allows."""

    def __init__(self) -> None:
        super().__init__("the model's loops go on for longer than they may here")


class OptimizationError(AreniteError):
    """An optimised model is not what the original was; it was thrown away."""


class QuantizationError(AreniteError):
    """A float model that cannot be quantised, or data that do not say how."""


class BoardError(AreniteError):
    """Firmware cannot be built or run on an emulated board, or did there what it must not."""


class BoardLimitError(BoardError):
    """Firmware on an emulated board did not come to an end within what it may take there."""


class CompareError(AreniteError):
    """Two sides cannot be compared: one does not run, or they have nothing in common."""


class EvaluateError(AreniteError, ValueError):
    """Data and a model's outputs do not fit together, or an executor lost work on them."""


class StateError(AreniteError, RuntimeError):
    """A call was made in a phase in which it is not legal."""


def in_use() -> StateError:
    """Error of the second of two callers of one interpreter."""
    return StateError(
        "the interpreter's arena is in use, by a call on another thread or by one that this call "
        "was made from; give every thread a copy of its own, see Interpreter.copy()"
    )


class ShapeError(AreniteError, ValueError):
    """An array has another shape than the tensor that it is meant for."""


class DeclaredShapeError(RefusedError, ShapeError):
    """An operator computes another shape than the file says: TFLM runs it, and gives nonsense."""

    computes_nonsense = True


class DTypeError(AreniteError, TypeError):
    """An array has another element type than the tensor that it is meant for."""


class PredictError(AreniteError):
    """A sample of a batch failed; ``__cause__`` is the error that it failed with.

    Attributes:
        index: The sample's place in the batch.
    """

    def __init__(self, message: str, *, index: int = 0) -> None:
        super().__init__(message)
        self.index = index


class KernelBuildError(BoardError):
    """A user's C++ sources cannot be built: a tree, a compiler or a function is missing, or wrong.

    Attributes:
        command: What the compiler was called with; empty where it was not.
    """

    def __init__(self, message: str, *, command: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.command = tuple(command)


class KernelError(ConstraintError):
    """A user's compiled kernel answered with an error, stopped or crashed; with its own words."""
