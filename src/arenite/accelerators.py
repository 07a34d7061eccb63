"""Ethos-U NPUs that firmware has beside its processor: one row each, and the only place.

A command stream says in a configuration word which of them it was compiled for.

Facts: Vela 5.2.0 ``ethos_u55_regs.py`` (``config_r``), ``architecture_features.py``: products, MACs
per cycle, the depth of the blocks in which weights are fed; U85's: regor's ``ethos_u85.cpp``.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Accelerator:
    """An NPU, as far as anything here depends on it.

    Attributes:
        name: What Vela calls it (``--accelerator-config``).
        product: The configuration word's highest four bits.
        macs: Multiply-adds of int8 per cycle, of all its cores.
        cores: Each computes every so many-th channel, with weights from streams of its own.
        ofm_depth: How many output channels its units compute at once.
        shram: KiB of a core's shared buffer, at whose end tables lie; U85 has one for tables alone.
    """

    name: str
    product: int
    macs: int
    cores: int = 1
    ofm_depth: int = 8
    shram: int = 0

    @property
    def is_u85(self) -> bool:
        """Whether its registers, its weights' order and its rounding are those of U85."""
        return self.product == 2


_ROWS = (
    Accelerator("ethos-u55-32", 0, 32, ofm_depth=4, shram=16),
    Accelerator("ethos-u55-64", 0, 64, shram=16),
    Accelerator("ethos-u55-128", 0, 128, shram=24),
    Accelerator("ethos-u55-256", 0, 256, shram=48),
    Accelerator("ethos-u65-256", 1, 256, shram=48),
    Accelerator("ethos-u65-512", 1, 512, cores=2, shram=48),
    Accelerator("ethos-u85-128", 2, 128, shram=2),
    Accelerator("ethos-u85-256", 2, 256, shram=2),
    Accelerator("ethos-u85-512", 2, 512, cores=2, shram=2),
    Accelerator("ethos-u85-1024", 2, 1024, cores=4, shram=2),
    Accelerator("ethos-u85-2048", 2, 2048, cores=4, shram=2),
)

#: By name.
ACCELERATORS: dict[str, Accelerator] = {row.name: row for row in _ROWS}


def configured(word: int) -> Accelerator | None:
    """The NPU of a configuration word; None where it is none that is known."""
    product, macs = word >> 28, 1 << (word & 0xF)
    return next((row for row in _ROWS if (row.product, row.macs) == (product, macs)), None)


def accelerator_name(name: str) -> str:
    """``"U55-128"`` and ``"Ethos_U55_128"`` as ``"ethos-u55-128"``; others in lower case."""
    words = name.strip().lower().replace("_", "-")
    return words if words.startswith("ethos-") or not words else f"ethos-{words}"
