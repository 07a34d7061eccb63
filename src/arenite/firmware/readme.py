"""``README.md`` of a firmware's folder: what it is, how to use it, what it costs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from arenite.firmware.exported import Export, ExportedLayer
from arenite.firmware.text import c_elements, fill
from arenite.model import TensorType
from arenite.model.text import printable

_README = """\
# $name

A neural network as C, written by Arenite$source: no interpreter, no heap, no library, one static
arena. It computes what TensorFlow Lite Micro's reference kernels compute, bit for bit.

```c
#include "${name}_model.h"

${name}_init();
$inference
const $output *y = (const $output *)${name}_output(0);
```

## What it costs

| | |
|---|--:|
$figures

$origin

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

| # | layer | function | constants | scratch | instructions | cycles |
|--:|---|---|--:|--:|--:|--:|
$layers
"""

_ON_BOARD = "`arenite board` runs it on an\nemulated Cortex-M."
_ON_HOST = "`make selftest` runs it where it is called."


_EMULATED = """\
Counted on an emulated $processor, built by zig's clang with -Os. Instructions are exact. Cycles are
an estimate for memory that never waits (the rule of `arenite cost`): no board was measured, and
wait states of flash are not in it."""
_NOT_EMULATED = """\
Instructions, cycles, code and stack were not counted: `arenite board` on this folder does it."""


def readme(result: Export, source: str) -> str:
    """The text; ``source`` is the file that the model came from, if any."""
    figures = result.figures
    text = fill(
        _README,
        name=result.name,
        NAME=result.name.upper(),
        source=f" from `{_quoted(source)}`" if source else "",
        figures="\n".join(f"| {what} | {number} |" for what, number in _figures(result)),
        origin=fill(_EMULATED, processor=figures.processor) if figures else _NOT_EMULATED,
        inference=_inference(result),
        output=_c_type(result.outputs),
        test=_ON_BOARD if any(one.language == "s" for one in result.layers) else _ON_HOST,
        layers="\n".join(map(_row, result.layers)),
    )
    return text + "\n"


def _inference(result: Export) -> str:
    """Lines of C that give an input and run."""
    name, kind = result.name, _c_type(result.inputs)
    if result.input_mode == "rows":
        about = f"deliver(user, row, to) writes rows 0, 1, 2, ..., {result.row_bytes} bytes each"
        return f"{name}_invoke(deliver, user);    /* {about} */"
    about = "write it all, every time: it is overwritten"
    if result.input_mode == "kept":
        about = "write it; inferences leave it as it is"
    return f"{kind} *x = ({kind} *){name}_input(0);    /* {about} */\n{name}_invoke();"


def _quoted(source: str) -> str:
    return printable(source).replace("`", "'")


def _c_type(ports: Sequence[Mapping[str, Any]]) -> str:
    return c_elements(TensorType[ports[0]["type"].upper()], 1)[0] if ports else "int8_t"


def _figures(result: Export) -> Iterator[tuple[str, str]]:
    yield "RAM: the arena, with all scratch memory", f"{result.arena_bytes:,} bytes"
    figures = result.figures
    if figures is not None:
        yield "RAM: stack of an inference", f"{figures.stack_bytes:,} bytes"
    yield "flash: constants", f"{result.constant_bytes:,} bytes"
    if figures is not None:
        yield "flash: code", f"{figures.code_bytes:,} bytes"
        yield "instructions of an inference", f"{figures.instructions:,}"
        yield "estimated cycles of an inference", f"{figures.cycles:,}"
        yield "equal to the reference, on the self-test's inputs", "yes" if figures.equal else "NO"


def _row(layer: ExportedLayer) -> str:
    name = f"`{layer.function}`" if layer.function else "none: the same bytes"
    numbers = (layer.constant_bytes, layer.scratch_bytes, layer.instructions, layer.cycles)
    cells = " | ".join("-" if number is None else f"{number:,}" for number in numbers)
    return f"| {layer.index} | {layer.name} {layer.shapes} | {name} | {cells} |"
