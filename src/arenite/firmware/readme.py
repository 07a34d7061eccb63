"""``README.md`` of a firmware's folder: what it is, how to use it, what it costs."""

from __future__ import annotations

from arenite.firmware.program import Program, c_type
from arenite.firmware.text import fill
from arenite.model.text import printable

_README = """\
# $name

A neural network as C, written by Arenite$source: no interpreter, no heap, no library, one static
arena. It computes what TensorFlow Lite Micro's reference kernels compute, bit for bit.

```c
#include "${name}_model.h"

${name}_init();
$input *x = ($input *)${name}_input(0);    /* write it all, every time: it is overwritten */
${name}_invoke();
const $output *y = (const $output *)${name}_output(0);
```

## What it costs

| | |
|---|--:|
| RAM: the arena, with all scratch memory | $arena bytes |
| flash: constants | $constants bytes |

## How to take it

- **Anything**: compile all of `src/` and put it on the include path. `make` builds
  `build/lib${name}_model.a`.
- **CMake**: `add_subdirectory` this folder, link `${name}_model`.
- **ESP-IDF**: the folder is a component.
- **Zephyr**: the folder is a module (`ZEPHYR_EXTRA_MODULES`); set `CONFIG_${NAME}_MODEL=y`.
- **Arduino**: put the folder into `libraries`; its example `selftest` prints PASS.
- **PlatformIO**: put the folder into `lib`, or name it in `lib_deps`.

`${name}_selftest(print)` of `selftest.h` runs four inferences, compares every layer, output and
constant with what they shall be, and prints PASS, or FAIL and where. $test

## Layers

| # | layer | function | constants | scratch |
|--:|---|---|--:|--:|
$layers
"""

_ON_BOARD = "`arenite board` runs it on an\nemulated Cortex-M."
_ON_HOST = "`make selftest` runs it where it is called."


def readme(program: Program, source: str, *, assembly: bool) -> str:
    """The text; ``source`` is the file that the model came from, if any."""
    network = program.network
    text = fill(
        _README,
        name=program.name,
        NAME=program.name.upper(),
        source=f" from `{printable(source)}`" if source else "",
        arena=f"{program.arena_bytes:,}",
        constants=f"{program.constant_bytes:,}",
        input=c_type(network.inputs[0]) if network.inputs else "int8_t",
        output=c_type(network.outputs[0]) if network.outputs else "int8_t",
        test=_ON_BOARD if assembly else _ON_HOST,
        layers="\n".join(_rows(program)),
    )
    return text + "\n"


def _rows(program: Program) -> list[str]:
    rows = []
    for layer, work in zip(program.network.layers, program.works, strict=True):
        name = f"`{program.routines[work.routine]}`" if work.routine else "none: the same bytes"
        constants = sum(one.values.nbytes for one in work.constants)
        scratch = sum(one.bytes for one in work.scratch)
        rows.append(f"| {layer.index} | {layer} | {name} | {constants:,} | {scratch:,} |")
    return rows
