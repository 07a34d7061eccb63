"""``README.md`` of a firmware's folder: what it is, how to use it, what it costs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from arenite.c_text import c_elements, code_span, fill
from arenite.cores import CORES, CYCLES
from arenite.emulator.machine import Count
from arenite.firmware.folder.exported import Export, ExportedLayer
from arenite.firmware.folder.figures import Figures
from arenite.firmware.plan.lossless import gained
from arenite.model import TensorType

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
$model
## Where it lies, and whose it is

Macros for all files of the folder, explained in `src/model.h`, give the arena attributes
(`${NAME}_ARENA`), leave it to the caller (`${NAME}_GIVEN_ARENA`: two models can share one), and put
constants and kernels into sections (`${NAME}_CONST_SECTION`, `${NAME}_CODE_SECTION`).

The folder is yours: use it under any licence, without a notice.

## How to take it

- **Anything**: compile all of `src/` and put it on the include path. `make` builds
  `build/lib${name}_model.a`.
- **CMake**: `add_subdirectory` this folder, link `${name}_model`.
- **STM32CubeIDE**: copy the folder into the project, mark its `src` as a source location and put it
  on the include path (*Properties, C/C++ General, Paths and Symbols*). Assembly is taken as it is.
$esp
- **Zephyr**: the folder is a module (`ZEPHYR_EXTRA_MODULES`); set `CONFIG_${NAME}_MODEL=y`.
- **Arduino**: put the folder into `libraries`; its example `selftest` prints PASS.
- **PlatformIO**: put the folder into `lib`, or name it in `lib_deps`.

`${name}_selftest(print)` of `selftest.h` runs four inferences, compares every layer, output and
constant with what they shall be, and prints PASS, or FAIL and where. $test

$own## Layers

| # | layer | function | constants | scratch | $columns |
|--:|---|---|--:|--:|$ruler|
$layers
$sums"""

#: Where operators have kernels of the user's.
_OWN = """\
## Kernels of yours

$operators: kernels of yours in C++ run them, in `src/own_kernels.cc`, without an interpreter and
without a heap. They are compiled against the TensorFlow Lite Micro that they are written for, with
`-std=c++17 -DTF_LITE_STATIC_MEMORY -fno-rtti -fno-exceptions -fno-threadsafe-statics`, and its
folders on the include path: the tree itself, and in it `flatbuffers/include`, `gemmlowp` and `ruy`
of its third parties. `make TFLM=PATH` and `cmake -DTFLM=PATH` do that. Link your TFLM library: they
take of it `micro_context.cc`, `kernels/kernel_util.cc`, and what they call themselves. Your
program has a `DebugLog()`, as for TFLM.

`${name}_init()` calls every `init` and `prepare`. It and `${name}_invoke()` return
`${NAME}_FAILED` (-2) where a kernel fails or asks for what is not there: `${name}_error()` says
which, and what. Persistent and scratch memory lie in the arena, as large as $sizes.
`${name}_reset()` calls their `reset`. `${name}_set_external_context()` is for kernels that ask for
one, before `${name}_init()`.
"""

_ESP = """\
- **ESP-IDF**: the folder is a component.
- **ESPHome**: `esphome/` of a folder for an Espressif chip adds it, as the file there says; call
  `${name}_invoke` in a lambda."""
_NOT_ESP = """\
- **AVR, ESP-IDF and others that are no Cortex-M**: this folder has kernels for $processor. Plain C
  for any compiler: `arenite export MODEL --target host -o DIR`; that is an ESP-IDF component."""
_ON_BOARD = "`arenite board` runs it on an\nemulated Cortex-M."
_ON_HOST = "`make selftest` runs it where it is called."


_EMULATED = """\
Counted on an emulated $processor, built by zig's clang with -Os. Instructions are exact.
$cycles
The stack is this build's: other compilers and flags take some bytes more or less (GCC with
-Os took 140 where this one took 124), so leave room."""
_NOT_EMULATED = """\
Instructions, cycles, code and stack were not counted: `arenite board` on this folder does it."""


def readme(result: Export) -> str:
    """The text."""
    is_assembled = any(one.language == "s" for one in result.layers)
    figures, source = result.figures, str((result.model or {}).get("file", ""))
    text = fill(
        _README,
        name=result.name,
        NAME=result.name.upper(),
        source=f" from {code_span(source)}" if source else "",
        figures="\n".join(f"| {what} | {number} |" for what, number in _figures(result)),
        origin=_origin(figures) if figures else _NOT_EMULATED,
        model="".join(f"\n{line}\n" for line in _model(result)),
        inference=_inference(result),
        output=_c_type(result.outputs),
        test=_ON_BOARD if is_assembled else _ON_HOST,
        own=_own(result),
        esp=fill(_NOT_ESP, processor=result.target)
        if is_assembled
        else fill(_ESP, name=result.name),
        columns=" | ".join(_COLUMNS if _is_steady(result) else [*_FIRST, *_NEXT]),
        ruler="|".join(["--:"] * (2 if _is_steady(result) else 4)),
        layers="\n".join(_row(one, steady=_is_steady(result)) for one in result.layers),
        sums="\n".join(_sums(result)),
    )
    return text.rstrip("\n") + "\n"


def _own(result: Export) -> str:
    """A paragraph on users' kernels."""
    names = dict.fromkeys(one.name for one in result.layers if one.language == "cc")
    if not names:
        return ""
    core = CORES[result.target]
    sizes = "on this machine" if core.family == "host" else f"an emulated {core.name} asks for them"
    operators = ", ".join(code_span(name) for name in names)
    words = {"name": result.name, "NAME": result.name.upper()}
    return fill(_OWN, **words, operators=operators, sizes=sizes) + "\n\n"


def _origin(figures: Figures) -> str:
    """Where figures are from."""
    cycles = CYCLES[CORES[figures.processor].family]
    return fill(_EMULATED, processor=figures.processor, cycles=cycles)


def _model(result: Export) -> Iterator[str]:
    """The model it was made of, and what passes made of that."""
    facts = result.model or {}
    if facts.get("sha256"):
        yield f"The model's SHA-256 is `{facts['sha256']}`."
    if result.not_verified:
        yield f"**Not verified**: {result.not_verified}."
    made = facts.get("optimized")
    if not made:
        return
    yield "Passes that lose nothing took from it what no output needs; outputs are the original's."
    if gained(facts):
        yield f"What they gained: {gained(facts)}."
    if made["sha256"]:
        yield f"The SHA-256 of what they left is `{made['sha256']}`."


def _inference(result: Export) -> str:
    """Lines of C that give an input and run."""
    name, kind = result.name, _c_type(result.inputs)
    if result.input_mode == "rows":
        about = f"deliver(user, row, to) writes rows 0, 1, 2, ..., {result.row_bytes} bytes each"
        return f"{name}_invoke(deliver, user);    /* {about} */"
    about = "write it all, every time: it is overwritten, maybe by the output"
    if result.input_mode == "apart":
        about = "write it all, every time: it is overwritten, but by no output"
    if result.input_mode == "kept":
        about = "write it; inferences leave it as it is"
    return f"{kind} *x = ({kind} *){name}_input(0);    /* {about} */\n{name}_invoke();"


def _c_type(ports: Sequence[Mapping[str, Any]]) -> str:
    return c_elements(TensorType[ports[0]["type"].upper()], 1)[0] if ports else "int8_t"


def _figures(result: Export) -> Iterator[tuple[str, str]]:
    yield "RAM: the arena, with all scratch memory", f"{result.arena_bytes:,} bytes"
    if (tflm := result.tflm_arena_bytes) is not None and tflm < result.arena_bytes:
        yield "RAM: TFLM's arena of the same model, which is smaller", f"{tflm:,} bytes"
    figures = result.figures
    if figures is not None:
        if figures.static_bytes:
            yield "RAM: kernels of yours, beside the arena", f"{figures.static_bytes:,} bytes"
        yield "RAM: stack of an inference", f"{figures.stack_bytes:,} bytes"
    yield "flash: constants", f"{result.constant_bytes:,} bytes"
    if figures is not None:
        yield "flash: code", f"{figures.code_bytes:,} bytes"
        if not figures.is_steady:
            yield "instructions of the first inference", f"{figures.first.instructions:,}"
            yield "estimated cycles of the first inference", f"{figures.first.cycles:,}"
        yield "instructions of an inference", f"{figures.instructions:,}"
        yield "estimated cycles of an inference", f"{figures.cycles:,}"
        yield "equal to the reference, on the self-test's inputs", "yes" if figures.equal else "NO"


_COLUMNS = ("instructions", "cycles")
_FIRST = ("instructions, first inference", "cycles")
_NEXT = ("instructions, next ones", "cycles")


def _is_steady(result: Export) -> bool:
    """Whether the first inference takes what the next ones take, or nobody knows."""
    return result.figures is None or result.figures.is_steady


def _row(layer: ExportedLayer, *, steady: bool) -> str:
    name = f"`{layer.function}`" if layer.function else "none: the same bytes"
    first = [] if steady else [layer.first_instructions, layer.first_cycles]
    numbers = [layer.constant_bytes, layer.scratch_bytes, *first, layer.instructions, layer.cycles]
    cells = " | ".join("-" if number is None else f"{number:,}" for number in numbers)
    return f"| {layer.index} | {layer.name} {layer.shapes} | {name} | {cells} |"


def _sums(result: Export) -> Iterator[str]:
    """Rows that make columns add up: layers are told of, which an inference is not."""
    figures = result.figures
    if figures is None:
        return
    columns = [(figures.layers, Count(figures.instructions, figures.cycles))]
    if not figures.is_steady:
        columns = [(figures.first_layers, figures.first), *columns]
    totals = [number for _, total in columns for number in total]
    layers = [sum(of) for found, _ in columns for of in zip(*found, strict=True)] or [0, 0]
    rest = [total - part for total, part in zip(totals, layers, strict=True)]
    words = "what is between layers, less what tells of them here"
    yield f"| | {words} | | | | {' | '.join(f'{number:,}' for number in rest)} |"
    yield f"| | an inference | | | | {' | '.join(f'{number:,}' for number in totals)} |\n"
