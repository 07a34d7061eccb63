"""The faster forms of exported arithmetic, next to the plain ones."""

import pytest

from arenite.firmware.text.arithmetic import arithmetic_h
from tests.firmware.built import compile_files, run

_MAIN = """\
#include <stdio.h>
#include "arithmetic.h"

static uint32_t state = 20291;
static int32_t drawn(int bits) {
  state = state * 1664525u + 1013904223u;
  return ar_wrap(state) >> (32 - bits);
}

int main(void) {
  for (int i = 0; i < 2000000; ++i) {
    const int32_t a = drawn(1 + i % 32), b = drawn(1 + i / 32 % 32);
    if (ar_high_word(a, b) != (int32_t)(((int64_t)a * b) >> 32)) printf("%d * %d\\n", a, b);
    const int32_t x = drawn(30), m = b < 0 ? ~b : b, shift = (int32_t)((uint32_t)a % 31u);
    if (ar_rescale_small(x, m, shift) != ar_rescale(x, m, -1 - shift))
      printf("%d, %d, %d\\n", x, m, shift);
  }
  const int32_t ends[] = {-536870911, -3, -2, -1, 0, 1, 2, 3, 536870911};
  for (int i = 0; i < 9; ++i)
    for (int32_t shift = 0; shift < 31; ++shift)
      for (int k = 0; k < 3; ++k) {
        const int32_t m = k == 0 ? 0 : k == 1 ? 1 << 30 : INT32_MAX;
        if (ar_rescale_small(ends[i], m, shift) != ar_rescale(ends[i], m, -1 - shift))
          printf("%d, %d, %d\\n", ends[i], m, shift);
      }
  puts("done");
  return 0;
}
"""


@pytest.mark.parametrize("flags", [[], ["-D__ARM_ARCH_6M__"]], ids=["wide", "halves"])
def test_small_sums_are_rescaled_as_all_are(tmp_path, flags):
    (tmp_path / "arithmetic.h").write_text(arithmetic_h(_MAIN))
    (tmp_path / "main.c").write_text(_MAIN)
    compile_files([tmp_path / "main.c"], tmp_path / "main", *flags)
    assert run(tmp_path / "main") == "done\n"
