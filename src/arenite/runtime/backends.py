"""Which kernels run: NumPy's, which define the results, or others with the same results."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Literal

from arenite import native
from arenite.errors import AreniteError
from arenite.memory.budget import Budget
from arenite.ops import OpResolver
from arenite.runtime.graph import Graph

if TYPE_CHECKING:
    from arenite.runtime.compiled import CompiledSubgraph

Kernels = Literal["auto", "reference", "native", "cmsis_nn"]

#: Makes a resolver one that has a library's kernels, as built for a processor.
Library = Callable[[OpResolver, str], OpResolver]

#: The processor that libraries are built for unless another one is named.
DEFAULT_TARGET = "cortex-m4"

_LIBRARIES: dict[str, Library] = {}


def register_library(kernels: str, library: Library) -> None:
    """Make a library of kernels known under the name that ``kernels`` takes."""
    _LIBRARIES[kernels] = library


def resolver_for(kernels: Kernels, resolver: OpResolver, target: str | None) -> OpResolver:
    """The resolver to run ``kernels`` with; ``target`` is the processor of a library.

    Raises:
        ValueError: There is no processor of that name.
    """
    library = _LIBRARIES.get(kernels)
    if library is not None:
        return library(resolver, target or DEFAULT_TARGET)
    if target is not None:
        for other in _LIBRARIES.values():
            other(resolver, target)  # refuses a processor that there is not
    return resolver


def is_native(kernels: Kernels) -> bool:
    """Whether that choice of kernels means the native engine.

    Raises:
        AreniteError: The engine is asked for and was not built.
        ValueError: There is no such choice.
    """
    if kernels == "reference" or kernels in _LIBRARIES:
        return False
    if kernels == "auto":
        return native.available()
    if kernels == "native":
        if not native.available():
            raise AreniteError(
                "kernels='native': the native engine was not built for this machine; "
                "use 'auto' or 'reference'"
            )
        return True
    raise ValueError(f"expected kernels of auto, reference, native or cmsis_nn, got {kernels!r}")


def compile_main(graph: Graph, budget: Budget) -> CompiledSubgraph:
    """The main subgraph of a planned graph as a native program.

    Raises:
        MemoryLimitError: Packed weights and workspace are beyond the budget.
    """
    from arenite.runtime.compiled import CompiledSubgraph  # noqa: PLC0415 - the engine may be absent

    return CompiledSubgraph(graph, budget=budget)
