"""The program around TFLM's interpreter, and how it is linked."""

from __future__ import annotations

from arenite.c_text import text_file
from arenite.emulator import qemu

#: Only what is reached from the program's own functions stays.
LINK = text_file(__name__, "stock.ld")

#: Compiled with ``-fno-access-control``: where tensors are, the interpreter keeps to itself.
MAIN = text_file(__name__, "stock.cc")

MODEL = text_file(__name__, "stock_model.s")

#: What starts a core in QEMU.
QEMU_BOARD = f"#include <stdint.h>\n\n{qemu.PROGRAM}"
