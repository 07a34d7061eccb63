"""Wings: families of models with a file format, operators and an interface of their own.

A wing is a folder of this package that nothing else imports. A row here names it; what reads
files, finds operators and exports firmware looks into the folder when a model first asks for it:

- ``lowering.models``: ``looks_like_net(data)``, and ``read(data, source=NAME)``, which gives a
  ``Model``;
- ``operators``: one file per operator, as in ``arenite/ops/tflite``;
- ``kernels``: ``KERNELS``, how exported firmware does these operators.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from types import ModuleType


@dataclass(frozen=True)
class Wing:
    """A wing.

    Attributes:
        name: Its folder, and what ``Model.format`` says of its models.
        suffix: How the names of its files end.
        prefix: How the names of its operators begin. They are custom operators of the schema.
    """

    name: str
    suffix: str
    prefix: str

    def module(self, name: str) -> ModuleType:
        """One of the wing's modules, imported on first use."""
        return import_module(f"arenite.{self.name}.{name}")


WINGS = (Wing("mnn", ".mnn", "MNN_"),)


def wing_of(operator: str) -> Wing | None:
    """The wing whose operators' names begin as this one does."""
    return next((wing for wing in WINGS if operator.startswith(wing.prefix)), None)
