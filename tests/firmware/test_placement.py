"""Where an exported folder's parts lie, for a build to say by macros."""

import ctypes
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import arenite as ar
from arenite.emulator.elf import read_elf
from arenite.firmware import Export, export
from tests.firmware.built import LIBRARY, compile_files
from tests.firmware.models import residual, running_maximum

NO_ARENA = -1


class Placed:
    """A folder as a shared library whose arena its caller gives."""

    def __init__(self, made: Export) -> None:
        folder = Path(made.folder)
        macro = f"-D{made.name.upper()}_GIVEN_ARENA"
        library = folder / "model.so"
        compile_files([folder / one for one in LIBRARY], library, macro, "-shared", "-fPIC")
        self.name, self.bytes = made.name, made.arena_bytes
        self._library = ctypes.CDLL(str(library))
        for port in ("input", "output"):
            self.function(port).restype = ctypes.c_void_p

    def function(self, name: str) -> Any:
        return getattr(self._library, f"{self.name}_{name}")

    def use_arena(self, address: int, size: int) -> int:
        return int(self.function("use_arena")(ctypes.c_void_p(address), ctypes.c_size_t(size)))

    def __call__(self, x: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        ctypes.memmove(self.function("input")(0), x.ctypes.data, x.nbytes)
        assert self.function("invoke")() == 0
        data = ctypes.string_at(self.function("output")(0), x.nbytes)
        return np.frombuffer(data, np.int8).reshape(x.shape)


def aligned(size: int) -> tuple[Any, int]:
    """Memory, and the first address in it that is a multiple of 16."""
    memory = ctypes.create_string_buffer(size + 16)
    return memory, -(-ctypes.addressof(memory) // 16) * 16


def test_two_models_share_an_arena(tmp_path):
    models = [residual(1), residual(2)]
    made = [
        Placed(export(model, tmp_path / name, target="host", name=name))
        for model, name in zip(models, ("one", "two"), strict=True)
    ]
    size = max(one.bytes for one in made)
    memory, address = aligned(size)
    for one in made:
        assert one.use_arena(address, size) == 0
        assert one.function("init")() == 0
    rng = np.random.default_rng(3)
    for _ in range(3):
        for model, one in zip(models, made, strict=True):
            x = rng.integers(-128, 128, (1, 6)).astype(np.int8)
            assert np.array_equal(one(x), ar.Interpreter(model)(x))
    del memory


def test_without_an_arena_calls_say_so(tmp_path):
    one = Placed(export(residual(), tmp_path / "m", target="host"))
    assert one.function("init")() == NO_ARENA
    assert one.function("invoke")() == NO_ARENA
    assert one.function("input")(0) is None
    one.function("reset")()


def test_an_arena_that_cannot_do_is_refused(tmp_path):
    one = Placed(export(residual(), tmp_path / "m", target="host"))
    memory, address = aligned(one.bytes)
    assert one.use_arena(0, one.bytes) == NO_ARENA
    assert one.use_arena(address + 8, one.bytes) == NO_ARENA
    assert one.use_arena(address, one.bytes - 1) == NO_ARENA
    assert one.use_arena(address, one.bytes) == 0
    del memory


def test_the_header_says_whether_an_arena_can_be_shared(tmp_path):
    texts = []
    for model, name in ((residual(), "free"), (running_maximum(), "held")):
        export(model, tmp_path / name, target="host", name=name)
        texts.append((tmp_path / name / "src/model.h").read_text())
    assert "#define FREE_STATE_BYTES 0" in texts[0]
    assert "Others may use it between inferences" in texts[0]
    assert "#define HELD_STATE_BYTES 4" in texts[1]
    assert "nothing else may write to it" in texts[1]


def test_constants_kernels_and_the_arena_have_sections(tmp_path):
    pytest.importorskip("ziglang")
    export(residual(), tmp_path / "m", target="cortex-m4", name="m")
    macros = {
        "M_ARENA": '__attribute__((section(".bss.dtcm")))',
        "M_CONST_SECTION": '".qspi"',
        "M_CODE_SECTION": '".itcm"',
    }
    found = sizes(tmp_path / "m/src", [f"-D{name}={text}" for name, text in macros.items()])
    plain = sizes(tmp_path / "m/src", [])
    assert found[".bss.dtcm"] == plain[".bss"]
    assert found[".qspi"] == plain[".rodata"] - found[".rodata"]  # names of layers stay
    assert found[".itcm"] > 0
    assert plain.keys().isdisjoint({".bss.dtcm", ".qspi", ".itcm"})
    assert found.get(".text", 0) < plain[".text"]


def sizes(sources: Path, flags: list[str]) -> dict[str, int]:
    """Bytes of the sections of all objects."""
    total: dict[str, int] = {}
    core = ["--target=thumb-freestanding-eabi", "-mcpu=cortex_m4", "-Os", *flags]
    for source in sorted((*sources.glob("*.c"), *sources.glob("*.S"))):
        if source.name == "selftest.c":
            continue
        made = sources / "one.o"
        command = [sys.executable, "-m", "ziglang", "cc", *core, "-c", source, "-o", made]
        subprocess.run(command, check=True, capture_output=True)
        for section in read_elf(made.read_bytes()).sections:
            name = section.name
            for known in (".text", ".rodata"):
                name = known if name.startswith(known) else name
            total[name] = total.get(name, 0) + section.size
    return total


def test_the_header_has_the_model_s_digest(tmp_path):
    made = export(residual(), tmp_path / "m", target="host", name="m")
    assert made.model is not None
    text = (tmp_path / "m/src/model.h").read_text()
    assert f'#define M_MODEL_HASH "{made.model["sha256"]}"' in text


def test_every_source_says_whose_it_is(tmp_path):
    export(residual(), tmp_path / "m", target="cortex-m4", name="m")
    for path in (tmp_path / "m/src").iterdir():
        assert "under any licence" in path.read_text().splitlines()[0], path.name
