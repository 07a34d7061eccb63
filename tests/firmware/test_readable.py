"""Generated C and assembly as a person would write it."""

from __future__ import annotations

import re

import pytest

from arenite.firmware import export
from arenite.firmware.text.assembly import BLOCKS, commented
from tests.firmware.kernels.cortex_m.held_out import NETWORKS, held_out
from tests.firmware.networks import wild
from tests.firmware.streaming.models import tower
from tests.shared import DIGITS

MODELS = {
    **{name: held_out(name) for name in NETWORKS},
    **{f"wild {seed}": wild(seed) for seed in range(3)},
    "digits": DIGITS,
    "digits in Thumb-1": DIGITS,
    "by rows": tower(residual=True),
}
ONCE = re.compile(r"for \(\w+ (\w+) = 0; \1 < 1; ")
COMMA = re.compile(
    r"for \([^;]*;[^;]*;[^;()]*, |^ +[^\"/*(]*[^ \"(] [-+*|&<>]*= [^,;(]*, (?:\+\+|--)"
)


@pytest.fixture(scope="module", params=MODELS)
def folder(request, tmp_path_factory):
    place = tmp_path_factory.mktemp("m") / "m"
    least = "ram" if request.param == "by rows" else None
    target = "cortex-m0plus" if request.param.endswith("Thumb-1") else "cortex-m4"
    export(MODELS[request.param], place, target=target, least=least, emulate=False)
    return place


def test_no_loop_runs_once_and_no_comma_joins_statements(folder):
    for file in sorted((folder / "src").glob("*.[ch]")):
        for number, line in enumerate(file.read_text("utf-8").split("\n"), 1):
            assert not ONCE.search(line), f"{file.name}:{number}: {line}"
            assert not COMMA.search(line), f"{file.name}:{number}: {line}"


def test_every_function_and_block_of_assembly_has_a_comment(folder):
    lines = (folder / "src" / "kernels.S").read_text("utf-8").split("\n")
    labels = [n for n, line in enumerate(lines) if line.startswith(".L") and line.endswith(":")]
    assert labels
    for number in labels:
        assert lines[number - 1].removeprefix("@ ") in BLOCKS.values(), lines[number]
    heads = [n for n, line in enumerate(lines) if line == ".balign 4"]
    assert all(re.match(r"@ \w+: .+; r0 \w+", lines[number - 1]) for number in heads)


def test_a_comment_says_what_registers_hold():
    text = ".balign 4\nf:\n.Lf_rows:\n    bx lr\n"
    said = commented(text, "f", "sums of rows", ["const int8_t *x", "int32_t rows"])
    assert said == (
        "@ f: sums of rows; r0 x, r1 rows\n.balign 4\nf:\n@ the next row\n.Lf_rows:\n    bx lr\n"
    )
