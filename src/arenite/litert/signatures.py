"""A signature of a model as a function: LiteRT's ``SignatureRunner``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from arenite.litert.details import Details
from arenite.model.model import Array, SignatureDef


class _Runs(Protocol):
    """Demands of a signature on :class:`arenite.litert.Interpreter`."""

    def _signature(self, key: str) -> SignatureDef: ...

    def _run(
        self, subgraph: int, inputs: Mapping[int, Array], outputs: Sequence[int]
    ) -> list[Array]: ...

    def _get_tensor_details(self, tensor_index: int, subgraph_index: int = 0) -> Details: ...


class SignatureRunner:
    """A signature as a function: named arrays in, a dictionary of arrays out.

    ``Interpreter.get_signature_runner`` makes one. Signatures may be of any subgraph; variables are
    shared by all of a model's.

    Raises:
        ValueError: There is no interpreter, no key, or no such signature.
    """

    def __init__(self, interpreter: _Runs | None = None, signature_key: str | None = None) -> None:
        if not interpreter:
            raise ValueError("None interpreter provided.")
        if not signature_key:
            raise ValueError("None signature_key provided.")
        self._interpreter = interpreter
        self._signature = interpreter._signature(signature_key)

    def __call__(self, **inputs: npt.ArrayLike) -> dict[str, Array]:
        """Resize the inputs to these arrays' shapes, and run.

        Raises:
            ValueError: An input is missing or unknown, or an array has another type.
            RuntimeError: The model cannot run with these shapes.
        """
        interpreter, signature = self._interpreter, self._signature
        if len(inputs) != len(signature.inputs):
            raise ValueError(
                "Invalid number of inputs provided for running a SignatureDef, expected "
                f"{len(signature.inputs)} vs provided {len(inputs)}"
            )
        for name in inputs:
            if name not in signature.inputs:
                raise ValueError(f"Invalid Input name ({name}) for SignatureDef")
        arrays = {signature.inputs[name]: np.asarray(value) for name, value in inputs.items()}
        found = interpreter._run(signature.subgraph, arrays, tuple(signature.outputs.values()))
        return dict(zip(signature.outputs, found, strict=True))

    def get_input_details(self) -> dict[str, Details]:
        """A dictionary for every input, by name."""
        return self._details(self._signature.inputs)

    def get_output_details(self) -> dict[str, Details]:
        """A dictionary for every output, by name."""
        return self._details(self._signature.outputs)

    def _details(self, names: Any) -> dict[str, Details]:
        ask, subgraph = self._interpreter._get_tensor_details, self._signature.subgraph
        return {name: ask(index, subgraph) for name, index in names.items()}


def in_order(signature: SignatureDef) -> SignatureDef:
    """A signature with its names sorted, as LiteRT's ``std::map`` has them."""
    inputs, outputs = (
        dict(sorted(signature.inputs.items())),
        dict(sorted(signature.outputs.items())),
    )
    return SignatureDef(signature.key, inputs, outputs, signature.subgraph)
