"""Builds of a firmware's folder: make, CMake and ESP-IDF, ESPHome, Zephyr, Arduino, PlatformIO.

C and assembly lie in ``src/``, where Arduino's and PlatformIO's builders look for them; programs
around the self-test are no part of the library: ``test/main.c`` for a computer, and a sketch.
Libraries are called ``NAME_model``, so that a model named ``m`` is not the C library's libm.

Facts: Arduino's library specification (names up to 63 characters, a closed list of categories,
``src`` compiled with all folders in it, ``.S`` but not ``.s``), PlatformIO's ``library.json``
(name and version required), Zephyr's module documentation (``zephyr/module.yml``), ESP-IDF's build
system (``idf_component_register`` comes before ``project``), ESPHome's ``add_idf_component``.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from arenite.c_text import fill, text_file
from arenite.cores import CORES, DEFAULT
from arenite.firmware.network.names import SOURCES

_MAKEFILE = """\
# make: the library. make selftest: builds and runs the self-test on this machine, which takes a
# folder without assembly. For a board:
# make CC=arm-none-eabi-gcc AR=arm-none-eabi-ar CFLAGS="-Os -mcpu=$core -mthumb"
CC ?= cc
AR ?= ar
CFLAGS ?= -Os
FLAGS = -std=c11 -Wall -Wextra -Wpedantic -Wconversion $$(CFLAGS)
LIBRARY = build/lib${name}_model.a
OBJECTS = $objects

$$(LIBRARY): $$(OBJECTS)
	$$(AR) rcs $$@ $$^

build/%.c.o: src/%.c $$(wildcard src/*.h) Makefile
	@mkdir -p build
	$$(CC) $$(FLAGS) -c -o $$@ $$<

build/%.S.o: src/%.S Makefile
	@mkdir -p build
	$$(CC) $$(CFLAGS) -c -o $$@ $$<

build/selftest: test/main.c build/selftest.c.o $$(LIBRARY)
	$$(CC) $$(FLAGS) -Isrc -o $$@ $$^

selftest: build/selftest
	build/selftest

clean:
	rm -rf build

.PHONY: selftest clean
"""

#: What a Makefile has more for users' kernels.
_MAKEFILE_CPP = """\

# Kernels of yours in C++, and TFLM's headers, which they are compiled against: make TFLM=PATH
TFLM ?= tflite-micro
CXX ?= c++
CXXFLAGS ?= $$(CFLAGS)
CXX_FLAGS = -std=c++17 -DTF_LITE_STATIC_MEMORY -fno-rtti -fno-exceptions -fno-threadsafe-statics
CXX_FLAGS += -Isrc $folders $$(CXXFLAGS)

build/%.o: src/% $$(wildcard src/*.h) Makefile
	@mkdir -p build
	$$(CXX) $$(CXX_FLAGS) -c -o $$@ $$<
"""
_CMAKE_CPP = """\

# Kernels of yours in C++ are compiled against TFLM's headers: cmake -DTFLM=PATH. Link TFLM, too.
set(TFLM tflite-micro CACHE PATH "TensorFlow Lite Micro")
set_target_properties(${name}_model PROPERTIES CXX_STANDARD 17)
target_compile_definitions(${name}_model PRIVATE TF_LITE_STATIC_MEMORY)
target_include_directories(${name}_model PRIVATE $folders)
"""
_IDF_COMPONENT = """\
version: "1.0.0"
description: "$name, a neural network as C, without an interpreter"
targets: [$processor]
dependencies:
  idf: ">=4.4"
"""

_ESPHOME = text_file(__name__, "esphome.txt")

_CMAKE = """\
cmake_minimum_required(VERSION 3.13)
set(sources $sources)

if(ESP_PLATFORM)
  $esp
  return()
endif()

project(${name}_model LANGUAGES C$language)
add_library(${name}_model STATIC $${sources})
target_include_directories(${name}_model PUBLIC $${CMAKE_CURRENT_SOURCE_DIR}/src)
set_target_properties(${name}_model PROPERTIES C_STANDARD 11 C_STANDARD_REQUIRED ON)
add_library(${name}::model ALIAS ${name}_model)
install(TARGETS ${name}_model ARCHIVE DESTINATION lib)
install(FILES src/${name}_model.h src/model.h src/selftest.h DESTINATION include/${name}_model)

add_library(${name}_selftest STATIC EXCLUDE_FROM_ALL src/selftest.c)
target_link_libraries(${name}_selftest PUBLIC ${name}_model)

# cmake -S . -B build && cmake --build build && ctest --test-dir build
if(CMAKE_SOURCE_DIR STREQUAL CMAKE_CURRENT_SOURCE_DIR AND NOT CMAKE_CROSSCOMPILING)
  enable_testing()
  add_executable(${name}_test test/main.c)
  target_link_libraries(${name}_test ${name}_selftest)
  add_test(NAME ${name} COMMAND ${name}_test)
endif()
"""

_ESP = "idf_component_register(SRCS ${sources} src/selftest.c INCLUDE_DIRS src)"
#: What an ESP32 cannot run.
_NOT_ESP = (
    'message(FATAL_ERROR "${CMAKE_CURRENT_SOURCE_DIR} has assembly for a Cortex-M. Export plain C: '
    'arenite export MODEL --target host -o DIR")'
)
#: Cores of Arduino and platforms of PlatformIO whose boards have a Cortex-M.
_CORTEX_M_ARDUINO = (
    "mbed,mbed_giga,mbed_nano,mbed_nicla,mbed_opta,mbed_portenta,renesas_portenta,renesas_uno,"
    "mbed_rp2040,rp2040,stm32,STM32,nrf52,samd,sam,apollo3,teensy,silabs"
)
_CORTEX_M_PLATFORMIO = [
    *("ststm32", "nordicnrf52", "atmelsam", "teensy", "raspberrypi", "renesas-ra", "nxplpc"),
    "siliconlabsefm32",
]

_ZEPHYR_MODULE = """\
name: ${name}_model
build:
  cmake: zephyr
  kconfig: zephyr/Kconfig
"""

_ZEPHYR_CMAKE = """\
if(CONFIG_${NAME}_MODEL)
  set(source $${CMAKE_CURRENT_LIST_DIR}/../src)
  zephyr_library_named(${name}_model)
  zephyr_library_sources($sources)
  zephyr_library_sources_ifdef(CONFIG_${NAME}_MODEL_SELFTEST $${source}/selftest.c)
  zephyr_include_directories($${source})
endif()
"""

_ZEPHYR_KCONFIG = """\
config ${NAME}_MODEL
	bool "${name}, a neural network"

config ${NAME}_MODEL_SELFTEST
	bool "Self-test of ${name}"
	depends on ${NAME}_MODEL
"""

_ARDUINO = """\
name=${name}_model
version=1.0.0
author=Arenite
maintainer=Arenite
sentence=${name}, a neural network as C.
paragraph=No interpreter, no heap, one arena of $arena bytes.
category=Data Processing
url=about:blank
architectures=$architectures
includes=${name}_model.h
"""

_SKETCH = """\
// Prints PASS, or FAIL and where.
#include <${name}_model.h>

static void print(const char *text) { Serial.print(text); }

void setup() {
  Serial.begin(115200);
  while (!Serial && millis() < 5000) {
  }
  ${name}_selftest(print);
}

void loop() {}
"""

_HEADER = """\
/* All of $name in one header, under a name that no other library has. */
#ifndef ${NAME}_MODEL_ALL_H
#define ${NAME}_MODEL_ALL_H

#include "model.h"
#include "selftest.h"

#endif
"""

_MAIN = """\
/* The self-test as a program. */
#include <stdio.h>

#include "selftest.h"

static void print(const char *text) { fputs(text, stdout); }

int main(void) { return ${name}_selftest(print) ? 1 : 0; }
"""


def project_files(
    name: str,
    arena_bytes: int,
    sources: Sequence[str],
    processor: str = "host",
    folders: Sequence[str] = (),
) -> dict[str, str]:
    """Files that build the C and assembly files ``sources`` of ``src/`` as a library, by path.

    For a chip of ESP-IDF's the folder says what it needs as a component of that and of ESPHome's.
    C++ among the sources is compiled against TFLM, whose folders on the include path are
    ``folders``.
    """
    words = {"name": name, "NAME": name.upper(), "arena": f"{arena_bytes:,}"}
    assembly = any(one.endswith(".S") for one in sources)
    words["architectures"] = _CORTEX_M_ARDUINO if assembly else "*"
    texts = {
        "Makefile": fill(
            _MAKEFILE, **words, core=DEFAULT, objects=" ".join(f"build/{s}.o" for s in sources)
        )
        + _cpp(_MAKEFILE_CPP, name, [f"-I$(TFLM)/{one}" for one in folders]),
        "CMakeLists.txt": fill(
            _CMAKE,
            **words,
            language=(" CXX" if folders else "") + (" ASM" if assembly else ""),
            esp=_NOT_ESP if assembly else _ESP,
            sources=" ".join(f"{SOURCES}/{one}" for one in sources),
        )
        + _cpp(_CMAKE_CPP, name, [f"${{TFLM}}/{one}" for one in folders]),
        "zephyr/module.yml": fill(_ZEPHYR_MODULE, **words),
        "zephyr/CMakeLists.txt": fill(
            _ZEPHYR_CMAKE, **words, sources=" ".join(f"${{source}}/{one}" for one in sources)
        ),
        "zephyr/Kconfig": fill(_ZEPHYR_KCONFIG, **words),
        "library.properties": fill(_ARDUINO, **words),
        "library.json": json.dumps(_platformio(name, assembly=assembly), indent=2),
        "examples/selftest/selftest.ino": fill(_SKETCH, **words),
        f"{SOURCES}/{name}_model.h": fill(_HEADER, **words),
        "test/main.c": fill(_MAIN, **words),
    }
    if CORES[processor].family == "esp":
        texts["idf_component.yml"] = fill(_IDF_COMPONENT, **words, processor=processor)
        component = f"{name.lower()}_model"
        texts[f"esphome/{component}/__init__.py"] = fill(_ESPHOME, **words, lower=name.lower())
    return {path: text + "\n" for path, text in texts.items()}


def _cpp(text: str, name: str, folders: Sequence[str]) -> str:
    """Lines that a build file has in addition where there is C++."""
    if not folders:
        return ""
    return "\n" + fill(text, name=name, folders=" ".join(one.rstrip("/.") for one in folders))


def _platformio(name: str, *, assembly: bool) -> dict[str, object]:
    return {
        "name": f"{name}_model",
        "version": "1.0.0",
        "description": f"{name}, a neural network as C, without an interpreter",
        "frameworks": "*",
        "platforms": _CORTEX_M_PLATFORMIO if assembly else "*",
        "headers": f"{name}_model.h",
        "build": {"srcDir": SOURCES, "includeDir": SOURCES},
    }
