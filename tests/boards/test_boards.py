"""Boards as data: what every one has, how they are found, what a file may say."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arenite.accelerators import ACCELERATORS
from arenite.boards import Bank, Board, boards, find_board
from arenite.boards.board import Cache, FlashWaits, board_facts
from arenite.cores import CORES

MINE = 'name = "mine"\nprocessor = "cortex-m4"\nclock = 48\nflash = "64k"\n'
BANK = '[[banks]]\nname = "SRAM"\nsize = "8k"\n'


def test_there_are_many_with_names_of_their_own():
    names = [board.name for board in boards()]
    assert len(names) >= 50
    assert sorted(set(names)) == names


@pytest.mark.parametrize("board", boards(), ids=lambda board: board.name)
def test_each_has_a_core_ram_flash_and_a_source(board):
    assert board.processor in CORES
    assert board.source
    assert board.flash or "flash" in board.note or "program" in board.note
    assert board.region().size <= board.ram


@pytest.mark.parametrize("board", boards(), ids=lambda board: board.name)
def test_banks_do_not_overlap(board):
    placed = sorted((b.address, b.size) for b in board.banks if b.address is not None)
    assert all(a + size <= b for (a, size), (b, _) in itertools.pairwise(placed))


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("Nucleo_L4R5ZI", "nucleo-l4r5zi"),
        ("nRF52840", "nrf52840dk"),
        ("rp2040", "pico"),
        ("STM32H743", "nucleo-h743zi2"),
        ("esp32s3", "esp32-s3-devkitc"),
        ("ra6m4", "ek-ra6m4"),
        (" PICO ", "pico"),
        ("DISCO_F746NG", "stm32f746g-disco"),
        ("disco_f407vg", "stm32f4-discovery"),
    ],
)
def test_they_are_found_by_board_and_chip_without_case_and_dashes(name, found):
    assert find_board(name).name == found


@pytest.mark.parametrize("board", boards(), ids=lambda board: board.name)
def test_every_name_finds_its_board_and_its_chip(board):
    assert find_board(board.name) == board
    assert find_board(board.chip).chip == board.chip


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("STM32F4", "is it STM32F401RE or"),
        ("nucleo-l4r5", "is it nucleo-l4r5zi"),
        ("", "arenite boards"),
        ("-", "arenite boards"),
    ],
)
def test_another_name_is_refused_with_what_is_like_it(name, words):
    with pytest.raises(ValueError, match=words):
        find_board(name)


def test_the_arena_of_an_h743_has_512_kb():
    board = find_board("nucleo-h743zi2")
    assert board.region().name == "AXI"
    assert board.region().size == 512 * 1024


@pytest.mark.parametrize(
    ("name", "npus"),
    [
        ("ensemble-e7-devkit", {"ethos-u55-256"}),
        ("ensemble-e8-devkit", {"ethos-u55-256", "ethos-u85-256"}),
        ("we2", {"ethos-u55-64"}),
        ("kit-pse84-eval", {"ethos-u55-128"}),
        ("imx93-evk", {"ethos-u65-256"}),
        ("ra8p1", {f"ethos-u55-{macs}" for macs in (32, 64, 128, 256)}),
        ("corstone-320-fvp", {f"ethos-u85-{macs}" for macs in (128, 256, 512, 1024, 2048)}),
        ("pico", set()),
    ],
)
def test_a_board_has_an_npu_of_a_size_or_of_any_of_its_family(name, npus):
    board = find_board(name)
    assert {one for one in ACCELERATORS if board.has_npu(one)} == npus


def test_banks_without_a_gap_are_one_region():
    board = Board("b", "c", "cortex-m4", 1, (Bank("B", 4, 8), Bank("A", 4, 4), Bank("C", 4)), 1)
    assert [region.name for region in board.regions] == ["A+B", "C"]


def test_facts_have_all_that_a_board_is():
    facts = board_facts(find_board("pico"))
    assert facts["ram"] == 264 * 1024
    assert facts["banks"][0]["name"] == "SRAM0-3"


CACHE = '{ size = "1k", line = 16, ways = 64 }'


def from_text(folder, text):
    file = folder / "mine.toml"
    file.write_text(text)
    return find_board(str(file))


def test_a_file_describes_a_board(tmp_path):
    board = from_text(tmp_path, MINE + BANK)
    assert (board.name, board.clock, board.flash, board.ram) == ("mine", 48, 65536, 8192)


def test_a_file_says_which_npu_there_is(tmp_path):
    board = from_text(tmp_path, MINE + 'npus = ["U55-128"]\n' + BANK)
    assert board.npus == ("ethos-u55-128",)
    with pytest.raises(ValueError, match=r"mine.toml.*expected npus of ethos-u55-32.*'ethos-u54'"):
        from_text(tmp_path, MINE + 'npus = ["u54"]\n' + BANK)


def test_a_file_can_name_a_chip_of_the_list(tmp_path):
    board = from_text(tmp_path, 'name = "mine"\nchip = "STM32L4R5ZI"\nclock = 80\n')
    assert (board.processor, board.clock, board.ram) == ("cortex-m4", 80, 640 * 1024)


def test_a_file_says_what_flash_makes_wait(tmp_path):
    waits = from_text(
        tmp_path,
        MINE + f'waits = {{ cycles = 3, shared = {CACHE}, source = "my manual" }}\n' + BANK,
    ).waits
    assert waits == FlashWaits(3, Cache(1024, 16, 64), Cache(1024, 16, 64), True, "my manual")


def test_caches_of_flash_that_waits_need_not_be_known(tmp_path):
    waits = from_text(tmp_path, MINE + "waits = { cycles = 3, source = 'x' }\n" + BANK).waits
    assert (waits.cycles, waits.code, waits.data) == (3, None, None)


def test_all_lines_of_code_are_prefetched_or_none_and_none_of_data():
    waits = find_board("stm32f407vg").waits
    assert waits.beyond(1000, code=7, data=20) == (1000 + 5 * 20, 1000 + 5 * 20 + 5 * 7)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("name", "expected TOML"),
        (BANK, "expected name"),
        (MINE, r"expected \[\[banks\]\]"),
        (MINE + "weight = 3\n" + BANK, "got 'weight'"),
        (MINE.replace("48", '"fast"') + BANK, "clock: expected a clock"),
        (MINE + BANK.replace("8k", "0"), "a size above 0"),
        (MINE + BANK + "address = -1\n", "expected an address"),
        (MINE + BANK + 'holds = "water"\n', "expected holds to be one of data"),
        (MINE.replace("cortex-m4", "z80") + BANK, "expected a processor of cortex-m0"),
        ('name = "a"\nchip = "none"\n', "not in the list"),
        (MINE + 'energy = "none"\n' + BANK, "expected energy"),
        (MINE + "banks = 3\n", "a list of tables"),
        (MINE + f"waits = {{ cycles = 5, code = {CACHE} }}\n" + BANK, "waits: expected code and"),
        (MINE + f"waits = {{ cycles = -1, shared = {CACHE} }}\n" + BANK, "cycles from 0 to 10000"),
        (MINE + "waits = { cycles = 5, shared = 3, source = 'x' }\n" + BANK, "expected a table"),
        (
            MINE + "waits = { cycles = 5, shared = { size = 48, line = 16, ways = 2 } }\n" + BANK,
            "a cache of whole sets",
        ),
        (MINE + "aliases = 3\n" + BANK, "a list of texts"),
    ],
)
def test_a_file_that_is_no_board_is_refused_with_what_was_expected(tmp_path, text, words):
    with pytest.raises(ValueError, match=words):
        from_text(tmp_path, text)


@given(st.binary(max_size=200))
def test_no_bytes_do_more_than_be_refused(tmp_path_factory, data):
    file = tmp_path_factory.mktemp("boards") / "any.toml"
    file.write_bytes(data)
    with pytest.raises(ValueError, match="expected"):
        find_board(str(file))
