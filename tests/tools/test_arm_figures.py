"""What is made of the words of a plugin and of an analyser, before anything is emulated."""

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def figures() -> Iterator[tuple[ModuleType, ModuleType]]:
    """``benchmarks/arm_instructions.py`` and ``benchmarks/arm_loops.py``."""
    pytest.importorskip("packaging")
    with pytest.MonkeyPatch.context() as monkeypatch:
        for folder in ("tools", "benchmarks"):
            monkeypatch.syspath_prepend(str(ROOT / folder))
        yield import_module("arm_instructions"), import_module("arm_loops")


@pytest.fixture
def instructions(figures: tuple[ModuleType, ModuleType]) -> ModuleType:
    return figures[0]


@pytest.fixture
def loops(figures: tuple[ModuleType, ModuleType]) -> ModuleType:
    return figures[1]


def test_what_lies_between_the_marks_is_no_part_of_an_inference(instructions: ModuleType) -> None:
    # 1,000 before; 20 inferences of 50 and 7 for the mark; 40 of them and 7.
    count = instructions.parse("1000\n2007\n4014\n", 20)
    assert count.all == 50


def test_blocks_are_those_of_the_last_inferences(instructions: ModuleType) -> None:
    count = instructions.parse("1\n a0 9\n2\n a0 20\n b0 5\n4\n a0 60\n b0 5\n", 20)
    assert count.blocks == {0xA0: 1.0}


def test_a_program_that_ended_early_is_no_figure(instructions: ModuleType) -> None:
    with pytest.raises(ValueError, match="expected three marks of the plugin, got 2"):
        instructions.parse("1000\n2007\n", 20)


def test_blocks_belong_to_the_function_that_begins_before_them(instructions: ModuleType) -> None:
    functions = [(0x10, "first"), (0x40, "second")]
    blocks = {0x1010: 1.0, 0x103C: 2.0, 0x1040: 4.0, 0x1000: 8.0, 0xFF: 16.0}
    assert instructions.by_symbol(blocks, 0x1000, functions) == {
        "first": 3.0,
        "second": 4.0,
        "(not in the engine)": 24.0,
    }


def test_operators_are_what_lies_between_two_marks_in_the_engine(
    instructions: ModuleType,
) -> None:
    lines = ["1", " 1010 100", "9", " 1010 130", " 9999999 7", "9", " 1010 140", "9", " 1020 2"]
    text = "\n".join([*lines, " 1010 141"])
    assert instructions.of_operators(text, 0x1000) == [30, 3]


def test_instructions_become_a_table(instructions: ModuleType) -> None:
    rows = {"kws": {"max": {"arenite": 50_000.0, "litert": 100_000.0}}}
    assert instructions.table(rows, ["max"]).splitlines() == [
        "| | max: Arenite | LiteRT | LiteRT / Arenite |",
        "|---|--:|--:|--:|",
        "| kws | 50.0 k | 100 k | 2.00 |",
    ]


def test_a_missing_model_is_said(instructions: ModuleType) -> None:
    with pytest.raises(SystemExit, match=r"no nobody\.tflite in .*: expected a file"):
        instructions.path_of("nobody")


ASSEMBLY = """\
tile_1x1:                               // @tile_1x1
// %bb.0:
	smull	x3, w1, w2
.LBB1_1:                                // =>This Inner Loop Header: Depth=1
	.loc	1 2 3
	ldr	q1, [x1], #16
	sdot	v2.4s, v1.16b, v0.4b[0]
	sdot	v3.4s, v1.16b, v0.4b[1]
	smull	x3, w1, w2
	subs	x4, x4, #1
	b.ne	.LBB1_1
// %bb.2:
	ret
"""


def test_an_innermost_loop_is_found_with_its_products(loops: ModuleType) -> None:
    (loop,) = loops.loops_of("gemm_dot", ASSEMBLY)
    assert (loop.function, loop.kind, loop.products) == ("tile_1x1", "sdot", 32)
    assert [line.split()[0] for line in loop.code] == [
        "ldr",
        "sdot",
        "sdot",
        "smull",
        "subs",
        "b.ne",
    ]
    assert [line.split()[0] for line in loop.multiplies] == ["sdot", "sdot"]


@pytest.mark.parametrize(
    ("line", "kind", "products"),
    [
        ("\tsmmla\tv0.4s, v1.16b, v2.16b", "smmla", 32),
        ("\tsmull\tv0.8h, v1.8b, v2.8b", "smull", 8),
        ("\tsmlal2\tv0.8h, v1.16b, v2.16b", "smull", 8),
        ("\tfmla\tv0.4s, v1.4s, v2.s[0]", "fmla", 4),
        ("\tfmla\tv0.4s, v1.4s, v2.s[0]", "sdot", 0),
        ("\tsmull\tx0, w1, w2", "smull", 0),
    ],
)
def test_products_of_an_instruction(loops: ModuleType, line: str, kind: str, products: int) -> None:
    assert loops.products_of(line, kind) == products


def test_lengthened_sums_belong_to_their_multiplications(loops: ModuleType) -> None:
    lines = ["\tsmull\tv0.8h, v1.8b, v2.8b", "\tsadalp\tv3.4s, v0.8h", "\tadd\tx0, x0, #1"]
    loop = loops.Loop("gemm", "tile_1x1", "smull", lines, 8)
    assert loop.multiplies == lines[:2]


def test_loops_become_a_table(loops: ModuleType) -> None:
    loop = loops.Loop("gemm_dot", "tile_1x1", "sdot", [""] * 4, 32)
    rows = [(loop, {"cortex-a53": None, "neoverse-n1": (30.0, 32.0)})]
    assert loops.table(rows).splitlines()[2] == (
        "| gemm_dot tile_1x1 (SDOT) | 32 | 0.125 | - | 30.0 of 32 |"
    )
