"""Models for the NPU: digits, compiled and kept here, and others that Vela compiles for a test.

``python -m tests.npu.vela`` compiles the kept ones again.
"""

import contextlib
import io
import subprocess
import sys
import warnings
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from arenite.formats.tflite import write
from arenite.model import Model
from tests.shared import DIGITS

HERE = Path(__file__).parent / "models"
#: The project's own model, as Vela 5.2.0 compiles it.
KEPT = {
    "ethos-u55-128": HERE / "digits_u55_128.tflite",
    "ethos-u65-256": HERE / "digits_u65_256.tflite",
    "ethos-u85-256": HERE / "digits_u85_256.tflite",
}
#: Vela's options for the configurations of the arenas that were measured.
SHARED_SRAM = ("--config", "Arm/vela.ini", "--system-config", "Ethos_U55_High_End_Embedded")
SRAM_ONLY = (*SHARED_SRAM, "--memory-mode", "Sram_Only")

#: Shared models that are compiled.
MODELS = (
    *("kws_int8", "vww_int8", "ic_int8", "ad_int8", "sww_int8"),
    *("person_detect", "micro_speech_quantized", "hello_world_int8", "keyword_scrambled_8bit"),
)
#: A kernel in parts, weights that are copied first, two memories, several streams of weights.
CONFIGURATIONS = {
    "u55-32": ("ethos-u55-32", ()),
    "u55-64": ("ethos-u55-64", ()),
    "u55-128": ("ethos-u55-128", (*SHARED_SRAM, "--memory-mode", "Shared_Sram")),
    "u55-128-sram": ("ethos-u55-128", (*SRAM_ONLY, "--optimise", "Size")),
    "u55-256": ("ethos-u55-256", ()),
    "u65-256": ("ethos-u65-256", ()),
    "u65-512": ("ethos-u65-512", ()),
    "u85-128": ("ethos-u85-128", ()),
    "u85-256": ("ethos-u85-256", ()),
}
#: Whose arenas were not measured.
LARGE = {f"u85-{macs}": (f"ethos-u85-{macs}", ()) for macs in (512, 1024, 2048)}


@cache
def compiled(original: Path, accelerator: str, options: tuple[str, ...] = ()) -> bytes:
    """The file that Vela makes of a model; skips the test where there is no Vela."""
    vela = pytest.importorskip("ethosu.vela.vela", reason="Vela is not installed")
    with TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        arguments = [str(original), "--accelerator-config", accelerator, "--output-dir", folder]
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            vela.main([*arguments, *options])
        return next(Path(folder).glob("*.tflite")).read_bytes()


def compiled_apart(model: Model, accelerator: str) -> bytes | None:
    """The same of any model in a process of its own, which some end; None where Vela makes none."""
    pytest.importorskip("ethosu.vela", reason="Vela is not installed")
    with TemporaryDirectory() as folder:
        original = Path(folder) / "model.tflite"
        original.write_bytes(write(model))
        command = [sys.executable, "-W", "ignore", "-m", "ethosu.vela", str(original)]
        command += ["--accelerator-config", accelerator, "--output-dir", folder]
        subprocess.run(command, capture_output=True, timeout=120, check=False)
        found = next(Path(folder).glob("*_vela.tflite"), None)
        return None if found is None else found.read_bytes()


if __name__ == "__main__":
    for name, path in KEPT.items():
        path.write_bytes(compiled(DIGITS, name))
