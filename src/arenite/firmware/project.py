"""What a firmware's build takes beside C: Makefile, CMakeLists.txt, README.md."""

from __future__ import annotations

from arenite.firmware.headers import needs_math, own_headers
from arenite.firmware.program import Program
from arenite.firmware.text import fill
from arenite.model.text import printable

_MAKEFILE = """\
# make: the library; make selftest: build and run the self-test with $$(CC) on this machine, if
# there is no assembly. For a board: make CC=arm-none-eabi-gcc CFLAGS="-Os -mcpu=cortex-m4 -mthumb".
CC ?= cc
AR ?= ar
CFLAGS ?= -Os
FLAGS = -std=c11 -Wall -Wextra -Wpedantic $$(CFLAGS)
OBJECTS = $objects
HEADERS = $headers
LDLIBS = $libraries

lib$name.a: $$(OBJECTS)
	$$(AR) rcs $$@ $$^

%.o: %.c $$(HEADERS) Makefile
	$$(CC) $$(FLAGS) -c -o $$@ $$<

%_s.o: %.s
	$$(CC) $$(CFLAGS) -c -o $$@ $$<

selftest_main: selftest_main.o selftest.o lib$name.a
	$$(CC) $$(FLAGS) -o $$@ $$^ $$(LDLIBS)

selftest: selftest_main
	./selftest_main

clean:
	rm -f *.o lib$name.a selftest_main

.PHONY: selftest clean
"""

_CMAKE = """\
cmake_minimum_required(VERSION 3.13)
project($name LANGUAGES C$language)

add_library($name STATIC $sources)
target_include_directories($name PUBLIC $${CMAKE_CURRENT_SOURCE_DIR})$libraries
set_target_properties($name PROPERTIES C_STANDARD 11 C_STANDARD_REQUIRED ON)

add_library(${name}_selftest STATIC EXCLUDE_FROM_ALL selftest.c)
target_link_libraries(${name}_selftest PUBLIC $name)
"""

_README = """\
# $name

A neural network as C, written by Arenite$source: no interpreter, no heap, no library, one static
arena. It computes what TensorFlow Lite Micro's reference kernels compute, bit for bit.

    ${name}_init();
    int8_t *x = ${name}_input(0);            /* write the input, every time: it is overwritten */
    ${name}_invoke();
    const int8_t *y = ${name}_output(0);

| | bytes |
|---|--:|
| RAM: the arena, with all scratch memory | $arena |
| flash: constants | $constants |

Add `model.c`, `kernels.c`$assembly and `weights.c` to a firmware, or the folder to a CMake project
(`add_subdirectory`, then link `$name`). `make selftest` runs the self-test where it is
called; on a board call `${name}_selftest(print)` of `selftest.c` and look for PASS.

| # | layer | function | constants | scratch |
|--:|---|---|--:|--:|
$layers
"""


def project_files(program: Program, source: str) -> dict[str, str]:
    """The files by name; ``source`` is the file that the model came from, if any."""
    files = ["model.c", "kernels.c", "weights.c"]
    if _has_assembly(program):
        files.append("kernels.s")
    return {
        "Makefile": _makefile(program, files),
        "CMakeLists.txt": fill(
            _CMAKE,
            name=program.name,
            language=" ASM" if _has_assembly(program) else "",
            sources=" ".join(files),
            libraries=_linked(program),
        )
        + "\n",
        "README.md": _readme(program, source),
    }


def _linked(program: Program) -> str:
    """What CMake links besides."""
    return (
        f"\ntarget_link_libraries({program.name} PUBLIC m)" if needs_math(program.routines) else ""
    )


def _has_assembly(program: Program) -> bool:
    return any(routine.language == "s" for routine in program.routines)


def _makefile(program: Program, files: list[str]) -> str:
    objects = [f"{f.rpartition('.')[0]}{'_s' * f.endswith('.s')}.o" for f in files]
    headers = ["model.h", "arithmetic.h", *own_headers(program.routines), "kernels.h", "weights.h"]
    libraries = "-lm" if needs_math(program.routines) else ""
    text = fill(
        _MAKEFILE,
        name=program.name,
        objects=" ".join(objects),
        headers=" ".join(headers),
        libraries=libraries,
    )
    return text.replace("LDLIBS = \n", "LDLIBS =\n") + "\n"


def _readme(program: Program, source: str) -> str:
    return (
        fill(
            _README,
            name=program.name,
            source=f" from `{printable(source)}`" if source else "",
            arena=f"{program.arena_bytes:,}",
            constants=f"{program.constant_bytes:,}",
            assembly=", `kernels.s`" if _has_assembly(program) else "",
            layers="\n".join(_rows(program)),
        )
        + "\n"
    )


def _rows(program: Program) -> list[str]:
    rows = []
    for layer, work in zip(program.network.layers, program.works, strict=True):
        name = f"`{program.routines[work.routine]}`" if work.routine else "none: the same bytes"
        constants = sum(one.values.nbytes for one in work.constants)
        scratch = sum(one.bytes for one in work.scratch)
        rows.append(f"| {layer.index} | {layer} | {name} | {constants:,} | {scratch:,} |")
    return rows
