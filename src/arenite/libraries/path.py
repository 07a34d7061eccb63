"""The function that does the work, the reasons, and the memory that it takes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

#: Where TFLM's own kernels are.
_REFERENCE = "reference_ops::"


class Condition(NamedTuple):
    """Something that is asked on the way to a function: the sentence, and its answer.

    Attributes:
        sentence: What, behind a colon what the operator has there.
        holds: The answer.
        function: The function that is taken if it holds, with all others of that function.
    """

    sentence: str
    holds: bool
    function: str = ""


@dataclass(frozen=True)
class Scratch:
    """A buffer that a kernel asks for in ``prepare``: bytes, and what for."""

    size: int
    purpose: str


@dataclass(frozen=True)
class Path:
    """The function that an operator's work goes to.

    Attributes:
        function: The function that was chosen; TFLM's own where the library has none.
        scratch: Its scratch buffers, in the order of the requests.
        calls: The functions in turn that lead from TFLM's kernel to the innermost loops.
        conditions: What was asked, in order, with the values that answer it.
        persistent: What ``prepare`` computes and keeps for it.
        inner: The path behind a wrapper that the function calls itself.
        has_vectors: Whether the function uses vectors, where its results depend on it.
    """

    function: str
    scratch: tuple[Scratch, ...] = ()
    calls: tuple[str, ...] = ()
    conditions: tuple[Condition, ...] = ()
    persistent: tuple[Scratch, ...] = ()
    inner: Path | None = None
    has_vectors: bool = False

    @property
    def is_library(self) -> bool:
        """Whether the function is the library's, and not TFLM's own."""
        return not self.function.startswith(_REFERENCE)

    @property
    def scratch_size(self) -> int:
        """Bytes of all scratch buffers."""
        return sum(request.size for request in self.scratch)


class Questions:
    """Conditions in the order in which they are asked, on the way to a path."""

    def __init__(self, outer: str = "", asked: tuple[Condition, ...] = ()) -> None:
        self._outer = outer
        self.asked = asked

    def hold(self, function: str, *conditions: Condition) -> bool:
        """Whether all ``conditions`` of ``function`` do."""
        self.asked += tuple(condition._replace(function=function) for condition in conditions)
        return all(condition.holds for condition in conditions)

    def path(self, function: str, *inner: str, scratch: tuple[Scratch, ...] = ()) -> Path:
        """The path to ``function``, which calls ``inner`` in turn."""
        calls = (*filter(None, (self._outer,)), function, *inner)
        return Path(function, scratch, calls, self.asked)

    def reference(self, function: str, scratch: tuple[Scratch, ...] = ()) -> Path:
        """The path to TFLM's own kernel."""
        name = f"{_REFERENCE}{function}"
        return Path(name, scratch, (name,), self.asked)


def path_to(function: str, *inner: str, scratch: tuple[Scratch, ...] = ()) -> Path:
    """A path on which nothing is asked."""
    return Questions().path(function, *inner, scratch=scratch)


def path_to_reference(function: str, scratch: tuple[Scratch, ...] = ()) -> Path:
    """A path to TFLM's own kernel on which nothing is asked."""
    return Questions().reference(function, scratch)


def needed(size: int, purpose: str) -> tuple[Scratch, ...]:
    """One request, none of 0 bytes."""
    return (Scratch(size, purpose),) if size > 0 else ()
