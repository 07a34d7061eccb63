"""How deep the stack of an inference is: of ``NAME_invoke`` and all that it calls, no more.

The core fills its stack with a pattern before a call and looks behind it how much of it is gone.
"""

import re
from pathlib import Path

import numpy as np

from arenite.emulator.machine import Machine
from arenite.emulator.qemu import Qemu

#: What an inference of an int8 network may take, in bytes, as docs/firmware.md says.
STACK = 400
_INFERENCES = 3


def inference_stack(core: Machine | Qemu, name: str, header: Path) -> int:
    """The deepest stack of some inferences of noise; ``header`` is the network's ``model.h``."""
    text, rng, deepest = header.read_text(), np.random.default_rng(3), 0
    sizes = re.findall(rf"#define {name.upper()}_INPUT\d+_BYTES (\d+)", text)
    by_rows = f"{name.upper()}_INPUT0_ROW_BYTES" in text
    core.call(f"{name}_init")
    for _ in range(_INFERENCES):
        for number, size in enumerate(sizes if not by_rows else ()):
            core.write(core.call(f"{name}_input", number), rng.bytes(int(size)))
        core.call(f"{name}_invoke", *((core.pointer("board_rows"), 0) if by_rows else ()))
        deepest = max(deepest, core.stack_bytes())
    return deepest
