"""Programs that people load models into, as far as they decide on memory: ESPHome.

Facts: ESPHome ``components/micro_wake_word``: ``streaming_model.cpp``, ``streaming_model.h``,
``micro_wake_word.cpp``, ``__init__.py``; esphome's pull requests 15628 and 15703.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import Any

from arenite.cores import devices
from arenite.model import Model


@dataclass(frozen=True)
class Runtime:
    """A program that runs models of others.

    Attributes:
        name: What ``--runtime`` takes.
        title: As sentences call it.
        operators: What its resolver has; any other operator is refused when a model is loaded.
        variables_arena: Bytes of the arena that it gives the table of variables.
        library_version: The release of ESP-NN that it is built with today.
        glue_version: That of esp-tflite-micro.
        processor: What most of its devices for such models have.
    """

    name: str
    title: str
    operators: frozenset[str]
    variables_arena: int
    library_version: str
    glue_version: str
    processor: str

    def is_for(self, model: Model) -> bool:
        """Whether it is what such models are made for: they keep state, and it has all of them."""
        names = {operator.name for graph in model.subgraphs for operator in graph.operators}
        return "VAR_HANDLE" in names and names <= self.operators

    @property
    def parts(self) -> dict[str, Any]:
        """Its releases and its arena for variables, as fields of a :class:`arenite.Target`."""
        return {
            "library_version": self.library_version,
            "glue_version": self.glue_version,
            "variables_arena": self.variables_arena,
        }

    def arena_for(self, smallest: int) -> int:
        """Bytes to ask it for: TFLM skips up to 16 until the arena begins at a multiple of 16."""
        return ceil((smallest + 16) / 16) * 16


ESPHOME = Runtime(
    name="esphome",
    title="ESPHome",
    operators=frozenset(
        [
            "CALL_ONCE",
            "VAR_HANDLE",
            "RESHAPE",
            "READ_VARIABLE",
            "STRIDED_SLICE",
            "CONCATENATION",
            "ASSIGN_VARIABLE",
            "CONV_2D",
            "MUL",
            "ADD",
            "MEAN",
            "FULLY_CONNECTED",
            "LOGISTIC",
            "QUANTIZE",
            "DEPTHWISE_CONV_2D",
            "AVERAGE_POOL_2D",
            "MAX_POOL_2D",
            "PAD",
            "PACK",
            "SPLIT_V",
        ]
    ),
    variables_arena=1024,
    library_version="1.1.2",
    glue_version="1.3.3~1",
    processor=next(core.name for core in devices() if core.instructions == "pie"),
)
