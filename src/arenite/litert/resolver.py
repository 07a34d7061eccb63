"""A resolver for models whose custom operators nobody has registered."""

from __future__ import annotations

from typing import NoReturn

from arenite.model import Model
from arenite.ops import Context, Node, OpResolver, Registration, only_mnn_has


class CustomOpResolver:
    """A resolver that finds the model's custom operators, which fail later where they are missing.

    LiteRT makes an interpreter of such a model, and ``allocate_tensors`` refuses: tools look at
    operators that nobody has registered.
    """

    def __init__(self, model: Model, resolver: OpResolver) -> None:
        self._resolver = resolver
        self._customs = {
            one.name for subgraph in model.subgraphs for one in subgraph.operators if one.is_custom
        }

    def find(self, name: str) -> Registration | None:
        """The resolver's registration, or one that cannot be prepared, or None."""
        found = self._resolver.find(name)
        if found is not None or name not in self._customs or only_mnn_has(name):
            return found
        return Registration(invoke=_refuse, prepare=_refuse)

    def __repr__(self) -> str:
        return repr(self._resolver)


def _refuse(context: Context, node: Node) -> NoReturn:
    context.report_error(
        f"Encountered unresolved custom op: {node.name}. Give the interpreter a resolver= that has "
        "it, or use InterpreterWithCustomOps (docs/custom-operators.md)"
    )
