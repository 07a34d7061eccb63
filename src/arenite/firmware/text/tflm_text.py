"""The texts of a folder for TFLM."""

from __future__ import annotations

from arenite.c_text import text_file

HEADER = text_file(__name__, "tflm_model.h")

MAIN = text_file(__name__, "tflm_main.cc")

SELFTEST = text_file(__name__, "tflm_selftest.cc")

README = """\
# $name

A model$source for firmware with TensorFlow Lite Micro, written by Arenite.

| | |
|---|--:|
| RAM: the arena on $target | $arena bytes |
| flash: the model | $bytes bytes |
| operators in the resolver | $operators |

| file | what is in it |
|---|---|
| `src/${name}_model.h` | the arena's size, the resolver's type and lines, the functions below |
| `src/${name}_model.cc` | the model, `alignas(16)` |
| `src/${name}_selftest.cc` | golden outputs of $target, as Arenite's interpreter gives them |
| `src/main.cc` | a program to begin with: it prints PASS, or FAIL and where |

Compile `src/*.cc` with TFLM's folders on the include path and its flags (`-std=c++17`,
`-DTF_LITE_STATIC_MEMORY`), and link TFLM's library. Outputs of integers are compared bit for bit:
where TFLM is built otherwise (other kernels, another compiler's option for rounding), they may be
others. `arenite explain --target` says what a target means.
"""
