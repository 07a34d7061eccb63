"""Models for the NPU: digits, compiled and kept here, and others that Vela compiles for a test.

``python -m tests.npu.vela`` compiles the kept ones again.
"""

from __future__ import annotations

import contextlib
import io
import warnings
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.shared import DIGITS

HERE = Path(__file__).parent / "models"
#: The project's own model, as Vela 5.2.0 compiles it.
KEPT = {
    "ethos-u55-128": HERE / "digits_u55_128.tflite",
    "ethos-u65-256": HERE / "digits_u65_256.tflite",
}
#: Vela's options for the configurations of the arenas that were measured.
SHARED_SRAM = ("--config", "Arm/vela.ini", "--system-config", "Ethos_U55_High_End_Embedded")
SRAM_ONLY = (*SHARED_SRAM, "--memory-mode", "Sram_Only")


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


if __name__ == "__main__":
    for name, path in KEPT.items():
        path.write_bytes(compiled(DIGITS, name))
