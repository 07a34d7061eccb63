"""Which kernels run: NumPy's, which define the results, or the native engine's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from arenite import native
from arenite.errors import AreniteError
from arenite.runtime.graph import Graph

if TYPE_CHECKING:
    from arenite.runtime.compiled import CompiledSubgraph

Kernels = Literal["auto", "reference", "native", "cmsis_nn"]


def is_native(kernels: Kernels) -> bool:
    """Whether that choice of kernels means the native engine.

    Raises:
        AreniteError: The engine is asked for and was not built, or the choice is not there yet.
        ValueError: There is no such choice.
    """
    if kernels == "reference":
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
    if kernels == "cmsis_nn":
        raise AreniteError(
            "kernels='cmsis_nn' is not part of this version; use 'auto', 'native' or 'reference'"
        )
    raise ValueError(f"expected kernels of auto, reference, native or cmsis_nn, got {kernels!r}")


def compile_main(graph: Graph) -> CompiledSubgraph:
    """The main subgraph of a planned graph as a native program."""
    from arenite.runtime.compiled import CompiledSubgraph  # noqa: PLC0415 - the engine may be absent

    return CompiledSubgraph(graph)
