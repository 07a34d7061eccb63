"""LiteRT, asked in a process of its own, as :mod:`arenite.optimize.tflm_process` asks TFLM.

Its kernels run without a delegate: what a model computes does not depend on the machine then.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from arenite.model.model import Array
from arenite.optimize import tflm_process
from arenite.optimize.tflm_process import Answer, Step
from arenite.processes.paths import find_package


def is_installed() -> bool:
    """Whether the package can be asked."""
    return find_package("ai_edge_litert") is not None


def run(models: Sequence[bytes], steps: Sequence[Step], outputs: int) -> list[Answer]:
    """LiteRT's results of models with ``outputs`` outputs each."""
    return tflm_process.run(models, steps, outputs, 0, module=__name__)


class LitertInterpreter:
    """LiteRT's interpreter with the methods of TFLM's package.

    Args:
        model: A file's content.
        resolver: A name of LiteRT's ``OpResolverType``; by default kernels without a delegate.
        keeps: Whether every tensor can be read after an inference.
    """

    def __init__(
        self,
        model: bytes,
        resolver: str = "BUILTIN_WITHOUT_DEFAULT_DELEGATES",
        *,
        keeps: bool = False,
    ) -> None:
        from ai_edge_litert import interpreter  # noqa: PLC0415 - an extra

        self._litert: Any = interpreter.Interpreter(
            model_content=model,
            num_threads=1,
            experimental_op_resolver_type=interpreter.OpResolverType[resolver],
            experimental_preserve_all_tensors=keeps,
        )
        self._litert.allocate_tensors()
        self._inputs = [one["index"] for one in self._litert.get_input_details()]
        self._outputs = [one["index"] for one in self._litert.get_output_details()]
        self.invoke = self._litert.invoke
        self.reset = self._litert.reset_all_variables
        self.tensor = self._litert.get_tensor
        self.tensor_details = self._litert.get_tensor_details

    def set_input(self, value: Array, number: int) -> None:
        """Feed an input."""
        self._litert.set_tensor(self._inputs[number], value)

    def get_output(self, number: int) -> Array:
        """Read an output."""
        found: Array = self.tensor(self._outputs[number])
        return found


def main(arguments: list[str]) -> int:
    """Answer one question; code 3 and a reason on stderr where LiteRT refuses."""
    return tflm_process.answered(Path(arguments[0]), lambda model, _: LitertInterpreter(model))
