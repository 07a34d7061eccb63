"""What builds a folder, run by the tools that are there."""

import asyncio
import json
import os
import runpy
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from arenite.cores import CORES
from arenite.firmware import export
from arenite.firmware.text.project import project_files
from arenite.formats.tflite_write import write
from tests.compiler import compiler
from tests.firmware.built import compile_files
from tests.firmware.models import residual
from tests.shared import DIGITS

PASS = "PASS m: 4 inferences, 4 layers each"
ARM = ("-Os", "-mcpu=cortex-m4", "-mthumb", "-Werror")

#: A project that takes three folders: as CMake's, as Zephyr's and as ESP-IDF's, whose build systems
#: are there as far as a folder uses them. It links libm besides, which no model is called.
USER = """
cmake_minimum_required(VERSION 3.13)
project(app C)
add_subdirectory(plain)
add_executable(plain_app plain/test/main.c)
target_link_libraries(plain_app plain_selftest m)

macro(zephyr_library_named name)
  set(library ${name})
  add_library(${name} STATIC)
endmacro()
macro(zephyr_library_sources)
  target_sources(${library} PRIVATE ${ARGN})
endmacro()
macro(zephyr_library_sources_ifdef wanted)
  if(${wanted})
    zephyr_library_sources(${ARGN})
  endif()
endmacro()
macro(zephyr_include_directories)
  target_include_directories(${library} PUBLIC ${ARGN})
endmacro()
set(CONFIG_M_MODEL y)
set(CONFIG_M_MODEL_SELFTEST y)
add_subdirectory(m/zephyr)
add_executable(zephyr_app m/test/main.c)
target_link_libraries(zephyr_app m_model m)

set(ESP_PLATFORM 1)
macro(idf_component_register)
  cmake_parse_arguments(IDF "" "" "SRCS;INCLUDE_DIRS" ${ARGN})
  add_library(component STATIC ${IDF_SRCS})
  target_include_directories(component PUBLIC ${IDF_INCLUDE_DIRS})
endmacro()
add_subdirectory(esp)
add_executable(esp_app esp/test/main.c)
target_link_libraries(esp_app component)
"""

needs_cmake = pytest.mark.skipif(shutil.which("cmake") is None, reason="there is no CMake")
needs_make = pytest.mark.skipif(shutil.which("make") is None, reason="there is no make")
needs_arm = pytest.mark.skipif(
    shutil.which("arm-none-eabi-gcc") is None, reason="there is no GCC for Arm"
)


@pytest.fixture
def folder(tmp_path):
    export(residual(), tmp_path / "m", name="m", target=None)
    return tmp_path / "m"


def shell(*command, cwd):
    # What a make or cmake around the tests asks for is not for this one.
    ours = ("CMAKE_", "MAKEFLAGS", "MAKELEVEL", "MFLAGS")
    plain = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    done = subprocess.run(command, cwd=cwd, env=plain, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "warning" not in done.stderr
    return done.stdout


def cc():
    found = compiler()
    return [shutil.which(found[0]) or found[0], *found[1:]]


@needs_make
def test_make_builds_and_runs_the_self_test(folder):
    printed = shell("make", "selftest", f"CC={' '.join(compiler())}", cwd=folder)
    assert printed.splitlines()[-1] == PASS
    assert (folder / "build" / "libm_model.a").exists()


@needs_make
@needs_arm
def test_make_builds_a_library_for_a_board_without_warnings(tmp_path):
    export(residual(), tmp_path / "m", name="m")
    tools = ("CC=arm-none-eabi-gcc", "AR=arm-none-eabi-ar", f"CFLAGS={' '.join(ARM)}")
    shell("make", *tools, cwd=tmp_path / "m")


@needs_cmake
def test_projects_take_folders_and_their_self_tests_pass(tmp_path):
    for name in ("plain", "m", "esp"):
        export(residual(), tmp_path / name, name=name, target=None)
    (tmp_path / "CMakeLists.txt").write_text(USER)
    compiler_ = f"-DCMAKE_C_COMPILER={';'.join(cc())}"
    shell("cmake", "-S", ".", "-B", "out", compiler_, cwd=tmp_path)
    shell("cmake", "--build", "out", cwd=tmp_path)
    programs = {"plain": "plain_app", "m": "zephyr_app", "esp": "esp_app"}
    for name, program in programs.items():
        printed = shell(tmp_path / "out" / program, cwd=tmp_path)
        assert printed == f"PASS {name}: 4 inferences, 4 layers each\n"


@needs_cmake
def test_cmake_tests_and_installs_a_folder_by_itself(folder):
    compiler_ = f"-DCMAKE_C_COMPILER={';'.join(cc())}"
    shell("cmake", "-S", ".", "-B", "b", compiler_, "-DCMAKE_INSTALL_PREFIX=there", cwd=folder)
    shell("cmake", "--build", "b", cwd=folder)
    assert "100% tests passed, 0 tests failed out of 1" in shell("ctest", cwd=folder / "b")
    shell("cmake", "--install", "b", "--prefix", "there", cwd=folder)
    assert (folder / "there" / "lib" / "libm_model.a").is_file()
    (folder / "app.c").write_text("#include <m_model.h>\nint main(void) { return m_init(); }\n")
    include = f"-I{folder / 'there' / 'include' / 'm_model'}"
    compile_files([folder / "app.c", folder / "there/lib/libm_model.a"], folder / "app", include)


@needs_cmake
@needs_arm
def test_cmake_builds_assembly_for_a_board(tmp_path):
    export(residual(), tmp_path, name="m")
    shell(
        *("cmake", "-S", ".", "-B", "out", "-DCMAKE_SYSTEM_NAME=Generic"),
        *("-DCMAKE_TRY_COMPILE_TARGET_TYPE=STATIC_LIBRARY", "-DCMAKE_C_COMPILER=arm-none-eabi-gcc"),
        *(f"-DCMAKE_{language}_FLAGS={' '.join(ARM[1:3])}" for language in ("C", "ASM")),
        cwd=tmp_path,
    )
    shell("cmake", "--build", "out", "--target", "m_selftest", cwd=tmp_path)
    assert (tmp_path / "out" / "libm_selftest.a").exists()


def test_the_sketch_is_c_plus_plus_and_the_library_has_no_main(folder):
    (folder / "Arduino.h").write_text(
        "struct { void begin(long) {} void print(const char *) {} operator bool() { return true; }"
        " } Serial;\ninline unsigned long millis() { return 0; }\n"
    )
    plus = [one.replace("gcc", "g++") for one in compiler()]
    flags = ("-x", "c++", "-std=c++17", "-Wall", "-Wextra", "-Werror", "-Isrc", "-fsyntax-only")
    shell(*plus, *flags, "-include", "Arduino.h", "examples/selftest/selftest.ino", cwd=folder)
    assert not any("main(" in file.read_text() for file in (folder / "src").iterdir())


def test_arduino_s_fields_are_those_of_its_specification(folder):
    lines = (folder / "library.properties").read_text().splitlines()
    fields = dict(line.split("=", 1) for line in lines)
    required = "name version author maintainer sentence paragraph category url architectures"
    assert set(required.split()) <= set(fields)
    assert (fields["name"], fields["category"]) == ("m_model", "Data Processing")
    assert (folder / "src" / fields["includes"]).exists()


def test_platformio_s_manifest_names_folders_that_are_there(folder):
    facts = json.loads((folder / "library.json").read_text())
    assert {"name", "version"} <= set(facts)
    assert (folder / facts["build"]["srcDir"] / facts["headers"]).exists()


def test_the_readme_has_the_figures_and_a_row_per_layer(folder):
    text = (folder / "README.md").read_text()
    assert "| RAM: the arena, with all scratch memory | 16 bytes |" in text
    assert "| 3 | RELU 1x6 -> 1x6 | `lookup_1` | 256 | 0 |" in text


def test_the_readme_names_the_model_s_file_without_its_folder(tmp_path):
    file = tmp_path / "residual.tflite"
    file.write_bytes(write(residual()))
    export(file, tmp_path / "m", target=None)
    text = (tmp_path / "m" / "README.md").read_text()
    assert "`residual.tflite`" in text
    assert str(tmp_path) not in text


def test_a_folder_with_assembly_is_for_cortex_m_and_says_where_others_get_plain_c(tmp_path):
    export(residual(), tmp_path / "m", name="m", emulate=False)
    arduino = (tmp_path / "m" / "library.properties").read_text()
    assert "architectures=*" not in arduino
    assert "idf_component_register" not in (tmp_path / "m" / "CMakeLists.txt").read_text()
    assert "--target host" in (tmp_path / "m" / "CMakeLists.txt").read_text()
    readme = (tmp_path / "m" / "README.md").read_text()
    assert "arenite export MODEL --target host" in readme
    assert "STM32CubeIDE" in readme


def test_a_folder_of_plain_c_is_for_everything(folder):
    assert "architectures=*" in (folder / "library.properties").read_text()
    assert "idf_component_register" in (folder / "CMakeLists.txt").read_text()
    assert "**ESP-IDF**: the folder is a component." in (folder / "README.md").read_text()


@pytest.mark.parametrize(
    "processor", [core.name for core in CORES.values() if core.family == "esp"]
)
def test_a_chip_of_esp_idf_gets_a_component_manifest(processor: str) -> None:
    files = project_files("kws", 1024, ["model.c"], processor)
    assert f"targets: [{processor}]" in files["idf_component.yml"].splitlines()
    more = files.keys() - project_files("kws", 1024, ["model.c"]).keys()
    assert more == {"idf_component.yml", "esphome/kws_model/__init__.py"}


def test_an_esphome_component_adds_the_folder_around_it(tmp_path: Path) -> None:
    """With stand-ins for the modules of ESPHome's that it imports."""
    made = project_files("Kws", 1024, ["model.c"], "esp32c3")["esphome/kws_model/__init__.py"]
    path = tmp_path / "folder" / "esphome" / "kws_model" / "__init__.py"
    path.parent.mkdir(parents=True)
    path.write_text(made)
    said: dict[str, object] = {}
    stubs = {"esphome": "", "esphome.components": ""}
    stubs["esphome.codegen"] = "RawStatement = str\ndef add_global(text): SAID['line'] = text"
    stubs["esphome.config_validation"] = "All = Schema = lambda *_: None\nonly_on_esp32 = None"
    stubs["esphome.components.esp32"] = "def add_idf_component(**how): SAID.update(how)"
    with pytest.MonkeyPatch.context() as patch:
        for name, text in stubs.items():
            module = ModuleType(name)
            module.__dict__["SAID"] = said
            exec(text, module.__dict__)
            patch.setitem(sys.modules, name, module)
        component = runpy.run_path(str(path))
        asyncio.run(component["to_code"]({}))
    folder = str(tmp_path / "folder")
    assert said == {"name": "folder", "path": folder, "line": '#include "Kws_model.h"'}


def test_a_chip_of_esp_idf_gets_plain_c(tmp_path: Path) -> None:
    done = export(DIGITS, tmp_path / "out", target="esp32c3")
    assert not [name for name in done.files if name.endswith(".S")]
    assert "idf_component.yml" in done.files
