"""Put measured figures into the tables of three pages: ``python docs/make_exports.py``.

``firmware.md``, ``board.md`` and the README have those of ``benchmarks/results/firmware.json``,
which ``benchmarks/firmware.py`` measures: each is what ``arenite board`` or ``arenite fit`` prints.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from math import inf
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PAGE, BOARD, README = (ROOT / name for name in ("docs/firmware.md", "docs/board.md", "README.md"))
RESULTS = json.loads((ROOT / "benchmarks/results/firmware.json").read_text("utf-8"))
THEN = ROOT / "benchmarks/results/firmware_then.csv"
PUBLISHED = ROOT / "src/arenite/boards/data/published.csv"

#: What a page calls a model.
NAMES = {
    **{f"{name}_int8": name for name in ("kws", "vww", "ic", "ad", "sww", "digits", "hello_world")},
    "micro_speech_quantized": "micro_speech",
    "keyword_scrambled_8bit": "keyword_scrambled",
    "trained_lstm_int8": "LSTM for digits (TFLM's mnist_lstm)",
    "mobilenet_v2_0.35_96": "MobileNetV2 0.35, 96",
    "mobilenet_v2_1.0_96": "MobileNetV2 1.0, 96",
    "like_micro_wake_word": "like microWakeWord",
    "fomo_face_detection": "FOMO (OpenMV)",
    "yolo_lc_192": "yolo_lc, 192 (OpenMV)",
    "mnist_resnet_q": "mnist_resnet (TinyMaix)",
    "cnn_s_quantized": "cnn_s (Arm)",
    "fingerprint_signature_generator": "fingerprints (Silicon Labs)",
}
MLPERF = tuple(f"{name}_int8" for name in ("kws", "vww", "ic", "ad"))
#: Million cycles that others publish, measured on an STM32L4R5: Plumerai's engine (MLPerf Tiny
#: v1.1) and X-CUBE-AI 10.2 (v1.3).
PLUMERAI = dict(zip(MLPERF, ("5.73", "11.9", "20.1", "0.486"), strict=True))
X_CUBE_AI = dict(zip(MLPERF, ("5.21", "10.7", "19.9", "0.575"), strict=True))
FLASH = ("--flash 120k --ram 64k", "--flash 230k --ram 64k", "--flash 280k --ram 64k")
EXPORTS = (
    *(*MLPERF[:3], *(f"ic_int8 {how}" for how in (*FLASH, "--least time")), "ad_int8", "sww_int8"),
    *("person_detect", "micro_speech_quantized", "digits_int8", "mobilenet_v2_0.35_96"),
    *("mobilenet_v2_1.0_96", "trained_lstm_int8", "like_micro_wake_word"),
)
#: Boards whose caches are simulated, and their chips.
CHIPS = {
    **{"nucleo-l4r5zi": "STM32L4R5", "stm32f4-discovery": "STM32F407"},
    **{"nucleo-h743zi2": "STM32H743", "pico": "RP2040", "pico2": "RP2350"},
    "nrf52840.toml": "nRF52840, assumed",
}
L4R5 = "--board nucleo-l4r5zi"


def page() -> str:
    """``firmware.md`` with today's figures."""
    text = PAGE.read_text(encoding="utf-8")
    for name, lines in {
        "exports": exports(),
        "then and now": then_and_now(),
        "wake words": wake_words(),
        "row by row": row_by_row(),
        "least ram": least_ram(),
    }.items():
        text = between(name, lines, text)
    return text


def board() -> str:
    """``board.md`` with today's figures of flash."""
    text = BOARD.read_text(encoding="utf-8")
    for name, lines in {
        "published": published(),
        "ranges": ranges(),
        "caches": caches(),
        "unrolled": unrolled(),
    }.items():
        text = between(name, lines, text)
    return text


def readme() -> str:
    """The README with today's exports: RAM, constants with code, cycles."""
    text = README.read_text(encoding="utf-8")
    for name in MLPERF:
        if now := ran(name):
            flash = now["constant_bytes"] + now["code_bytes"]
            cells = f"{count(now['arena_bytes'])} | {count(flash)} | {million(now['cycles'])}"
            row = re.compile(rf"(?<=^\| {name} \|)(.*?)(?: [^|]+\|){{3}}$", re.MULTILINE)
            text = row.sub(rf"\1 {cells} |", text)
    return text


def between(name: str, lines: Iterable[str], text: str) -> str:
    """``text`` with other lines between two marks."""
    marks = re.compile(rf"(?<=<!-- {name} -->\n).*?(?=<!-- end of {name} -->)", re.DOTALL)
    return marks.sub("".join(f"{line}\n" for line in lines), text)


def table(head: str, rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """A table whose first column is text."""
    yield head
    yield "|---|" + "--:|" * (head.count("|") - 2)
    for row in rows:
        yield f"| {' | '.join(row)} |"


def ran(command: str) -> dict[str, Any]:
    """What was measured; nothing if a command was refused, or not run yet."""
    found: dict[str, Any] = RESULTS["runs"].get(command, {})
    return {} if "refused" in found else found


def label(command: str) -> str:
    """A row's first cell: a model, and options if there are any."""
    name, *options = command.split()
    return ", ".join([NAMES.get(name, name), *([f"`{' '.join(options)}`"] if options else [])])


def million(value: float | None) -> str:
    """Three digits of millions, four below 100."""
    if value is None:
        return ""
    number = value / 1e6
    digits = 0 if number >= 100 else 1 if number >= 10 else 2 if number >= 1 else 3
    return f"{number:.{digits}f}" if number >= 0.1 else f"{number:.4f}"


def thousand(value: float | None) -> str:
    """Thousands: one digit behind the point below 1,000."""
    if value is None:
        return ""
    return f"{value / 1e3:,.0f}" if value >= 1e6 else f"{value / 1e3:.1f}"


def count(value: int | None) -> str:
    """``22,832``, or nothing."""
    return "" if value is None else f"{value:,}"


def ratio(one: float | None, two: float | None) -> str:
    """One over the other."""
    return f"{one / two:.2f}" if one and two else ""


def arena(name: str) -> int:
    """TFLM's arena for a model on a Cortex-M4."""
    found: int = RESULTS["models"][name]["tflm_arena_bytes"]
    return found


def exports() -> Iterator[str]:
    """Exports next to TFLM with CMSIS-NN, built by GCC."""
    head = "| | instructions, M | CMSIS-NN | cycles, M | CMSIS-NN | Plumerai | RAM, bytes "
    head += "| TFLM's arena | stack | constants | code |"
    rows = []
    for command in EXPORTS:
        name, now = command.split()[0], ran(command)
        stock = ran(f"{name} --stock, GCC")
        pairs = (
            million(one.get(key)) for key in ("instructions", "cycles") for one in (now, stock)
        )
        sizes = (now.get(f"{key}_bytes") for key in ("stack", "constant", "code"))
        rows.append(
            [
                *(label(command), *pairs, PLUMERAI.get(name, "")),
                *(count(now.get("arena_bytes")), count(arena(name)), *map(count, sizes)),
            ]
        )
    return table(head, rows)


def then(compiler: str) -> dict[str, dict[str, float]]:
    """Figures of an earlier state by model: those that are there."""
    lines = [line for line in THEN.read_text("utf-8").splitlines() if not line.startswith("#")]
    return {
        row["model"]: {
            key: float(value) for key, value in row.items() if value and value[0].isdigit()
        }
        for row in csv.DictReader(lines)
        if row["compiler"] == compiler
    }


def then_and_now() -> Iterator[str]:
    """Exports of an earlier state and today's, next to TFLM with CMSIS-NN."""
    head = "| | then | now | CMSIS-NN then | now, GCC | now, clang | ratio then | now, GCC "
    head += "| now, clang | RAM then | now | TFLM's arena |"
    rows = []
    for name, old in then("gcc").items():
        now, gcc, clang = (ran(f"{name}{how}") for how in ("", " --stock, GCC", " --stock"))
        counts = [now, gcc, clang]
        here, by_gcc, by_clang = (one.get("instructions") for one in counts)
        theirs = old.get("cmsis_nn")
        rows.append(
            [
                *(label(name), thousand(old["instructions"]), thousand(here)),
                *(thousand(theirs), thousand(by_gcc), thousand(by_clang)),
                *(ratio(old["instructions"], theirs), ratio(here, by_gcc), ratio(here, by_clang)),
                *(count(int(old["ram"])), count(now.get("arena_bytes")), count(arena(name))),
            ]
        )
    return table(head, rows)


def wake_words() -> Iterator[str]:
    """Models of microWakeWord, built by zig's clang, as TFLM is."""
    head = "| | instructions, thousands: before | now | TFLM with CMSIS-NN | ratio "
    head += "| cycles, thousands: before | now | RAM before | now |"
    rows = []
    for name, old in then("clang").items():
        now, stock = ran(name), ran(f"{name} --stock")
        here, theirs = now.get("instructions"), stock.get("instructions")
        rows.append(
            [
                *(label(name), thousand(old["instructions"]), thousand(here), thousand(theirs)),
                *(ratio(here, theirs), thousand(old["cycles"]), thousand(now.get("cycles"))),
                *(count(int(old["ram"])), count(now.get("arena_bytes"))),
            ]
        )
    return table(head, rows)


def row_by_row() -> Iterator[str]:
    """Arenas of groups of layers that go row by row."""
    head = "| | TFLM's arena | plain | cycles | `--least ram` | cycles | code "
    head += "| and `--input rows` | cycles | code | and `kept` |"
    rows = []
    for name in (*MLPERF, "sww_int8", "person_detect"):
        ways = ("", " --least ram", " --least ram --input rows", " --least ram --input kept")
        plain, least, in_rows, kept = (ran(f"{name}{how}") for how in ways)
        cells = [count(arena(name)), count(plain.get("arena_bytes")), million(plain.get("cycles"))]
        for one in (least, in_rows):
            cells += [count(one.get("arena_bytes")) or "refused", million(one.get("cycles"))]
            cells.append(count(one.get("code_bytes")))
        rows.append([label(name), *cells, count(kept.get("arena_bytes"))])
    return table(head, rows)


def least_ram() -> Iterator[str]:
    """The same of small models."""
    names = (
        *("micro_speech_quantized", "hello_world_int8", "trained_lstm_int8"),
        *("keyword_scrambled_8bit", "fomo_face_detection", "digits_int8"),
    )
    rows = []
    for name in names:
        sizes = (ran(f"{name}{how}").get("arena_bytes") for how in ("", " --least ram"))
        rows.append([label(name), count(arena(name)), *map(count, sizes)])
    return table("| | TFLM's arena | plain | `--least ram` |", rows)


# -- boards ------------------------------------------------------------------------------


def span(cycles: Sequence[float] | None) -> str:
    """``4.110 to 4.136``: million cycles, or one number."""
    if cycles is None:
        return ""
    return " to ".join(dict.fromkeys(f"{one / 1e6:.{2 if one >= 1e7 else 3}f}" for one in cycles))


def published_rows() -> list[dict[str, str]]:
    """Times that boards published."""
    lines = [line for line in PUBLISHED.read_text("utf-8").splitlines() if line[0] != "#"]
    return list(csv.DictReader(lines))


def verdict(value: float, least: float, most: float) -> str:
    """Whether a value lies in a range, or how far it is away; ``most`` may be infinite."""
    if most == inf:
        return "above" if value >= least else "below"
    if least <= value <= most:
        return "inside"
    away = value / most - 1 if value > most else 1 - value / least
    return f"{100 * away:.1f} % {'more' if value > most else 'less'}"


def published() -> Iterator[str]:
    """TFLM with CMSIS-NN on the emulated board, next to a board that published times."""
    head = "| model | for memory that never waits | lines of code, constants | with flash "
    head += "| published | |"
    rows = []
    for row in published_rows():
        found = ran(f"{row['model']} {L4R5} --stock")
        if row["system"] == "NUCLEO-L4R5ZI" and found:
            megacycles = float(row["megacycles"])
            without = ran(f"{row['model']} --stock")["cycles"]
            rows.append(
                [
                    *(row["model"], f"{without / 1e6:.3f}"),
                    *(f"{found['code']:,}, {found['data']:,}", span(found["cycles"])),
                    *(row["megacycles"], verdict(megacycles * 1e6, *found["cycles"])),
                ]
            )
    return table(head, rows)


def ranges() -> Iterator[str]:
    """What ``arenite fit`` says, next to all published times."""
    rows = []
    for row in published_rows():
        board_name = row["board"]
        found = ran(f"fit {row['model']} --board {board_name}")
        if found:
            clock = float(row["megahertz"])
            least, most = found["milliseconds"]
            low = least * found["megahertz"] / 1e3
            high = inf if most is None else most * found["megahertz"] / 1e3
            said = "not known" if most is None else f"{low:.3g} to {high:.3g}"
            rows.append(
                [
                    *(f"{board_name}, {row['source']}", row["model"], f"{clock:g}"),
                    *(row["megacycles"], said, verdict(float(row["megacycles"]), low, high)),
                ]
            )
    return table("| board | model | MHz | published, M cycles | said | |", rows)


def caches() -> Iterator[str]:
    """One model, kws, on every chip whose caches are simulated."""
    head = "| chip | instructions | lines of code missing | of constants | M cycles "
    head += "| RAM | stack | code |"
    rows = []
    for board_name, chip in CHIPS.items():
        found = ran(f"kws_int8 --board {board_name}")
        sizes = (found.get(f"{key}_bytes") for key in ("arena", "stack", "code"))
        lines = (found.get(key) for key in ("instructions", "code", "data"))
        cells = (*map(count, lines), span(found.get("cycles")), *map(count, sizes))
        rows.append([f"{chip} (`{board_name}`)", *cells])
    return table(head, rows)


def unrolled() -> Iterator[str]:
    """Loops of any size and loops that fit, next to the fastest published."""
    head = "| model | any unrolling | within 1 KB | instructions | X-CUBE-AI 10.2 (v1.3) "
    head += "| Plumerai (v1.1) |"
    rows = []
    for name in MLPERF:
        wide, fits = ran(f"{name} {L4R5} --icache 1m"), ran(f"{name} {L4R5}")
        more = 100 * (fits["instructions"] / wide["instructions"] - 1) if wide and fits else 0
        cells = [span(wide.get("cycles")), span(fits.get("cycles")), f"{more:+.1f} %"]
        rows.append([name, *cells, X_CUBE_AI[name], PLUMERAI[name]])
    fast = ran(f"ic_int8 {L4R5} --least time")
    rows.insert(3, ["ic_int8, `--least time`", "", span(fast.get("cycles")), "", "", ""])
    return table(head, rows)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    BOARD.write_text(board(), encoding="utf-8")
    README.write_text(readme(), encoding="utf-8")
