"""Something that computes in the place of operators that nobody knows here.

What an unknown operator computes does not matter for whether the rest of two models is the same,
as long as it is a function of its inputs and the same in both.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable

import numpy as np

from arenite.model import Model
from arenite.ops import Context, Node, OpResolver, Registration, resolver_of


def resolver_for(model: Model) -> tuple[OpResolver, tuple[str, ...]]:
    """The model's default resolver, with stand-ins for what it lacks; their names."""
    resolver = resolver_of(model)
    names = []
    for subgraph in model.subgraphs:
        for operator in subgraph.operators:
            if resolver.find(operator.name) is not None:
                continue
            registration = Registration(invoke=_digest_of(operator.name))
            add = resolver.add_custom if operator.is_custom else resolver.add
            add(operator.name, registration)
            names.append(operator.name)
    return resolver, tuple(names)


def _digest_of(name: str) -> Callable[[Context, Node], None]:
    """An ``invoke`` that fills outputs with numbers drawn from a digest of all inputs."""

    def invoke(context: Context, node: Node) -> None:
        digest = zlib.crc32(name.encode("utf-8", "replace"))
        for index in node.inputs:
            data = None if index < 0 else context.get_eval_tensor(index).data
            if data is not None:
                digest = zlib.crc32(np.ascontiguousarray(data).tobytes(), digest)
        rng = np.random.default_rng(digest)
        for index in node.outputs:
            out = context.get_eval_tensor(index).data
            if out is None:
                continue
            if out.dtype.kind == "f":
                out[...] = rng.normal(0, 1, out.shape)
            elif out.dtype.kind == "b":
                out[...] = rng.integers(0, 2, out.shape)
            else:
                raw = rng.bytes(out.nbytes)
                out[...] = np.frombuffer(raw, out.dtype).reshape(out.shape)

    return invoke
