"""Exported firmware and TFLM with CMSIS-NN on emulated cores: what the tables of two pages say.

``python benchmarks/firmware.py --tflm TREE [--only WORD] [--missing] [--jobs N] [FOLDER ...]``

Every figure is what ``arenite board MODEL.tflite OPTIONS --json`` prints, and is kept under these
words in ``results/firmware.json``; ``docs/make_exports.py`` makes the tables of them. FOLDERs have
the models of :data:`MODELS` under their names, anywhere below; ``../shared`` has some. TREE has
TFLM's sources as ``arenite board --stock`` takes them; ``--gcc`` counts them as built by GCC with
the flags of TFLM's makefile as well. ``--only`` runs the commands that have a word in them,
``--missing`` those without a result; the others' results stay.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path += [str(ROOT), str(ROOT / "tools")]

from cost_firmware import Board, linked  # noqa: E402
from tests.optimize.architectures import mobilenet_v2  # noqa: E402
from tests.optimize.layers import Layers  # noqa: E402
from tests.runtime.wake_word import wake_word  # noqa: E402
from tests.shared import DIGITS  # noqa: E402
from tests.shared import ROOT as SHARED  # noqa: E402
from tflm_gcc import Build  # noqa: E402

from arenite.analysis.resolver_code import resolver  # noqa: E402
from arenite.formats import load  # noqa: E402
from arenite.formats.tflite_write import write  # noqa: E402
from arenite.kernels.tree import find_tree  # noqa: E402
from arenite.model import Model  # noqa: E402
from arenite.runtime.allocation import smallest_arena  # noqa: E402

HERE = ROOT / "benchmarks"
RESULTS = HERE / "results/firmware.json"
MLPERF = tuple(f"{name}_int8" for name in ("kws", "vww", "ic", "ad"))
#: Of these the least memory is asked for, of the first six in rows as well.
SMALLEST = (
    *(*MLPERF, "sww_int8", "person_detect", "micro_speech_quantized", "hello_world_int8"),
    *("trained_lstm_int8", "keyword_scrambled_8bit", "fomo_face_detection", "digits_int8"),
)
#: Streaming models of microWakeWord.
WAKE_WORDS = ("okay_nabu", "computer", "okay_computer", "hey_jarvis", "alexa", "hey_mycroft", "vad")
#: Those that MLPerf, TFLM, microWakeWord and other projects publish, by the name of their file.
MODELS = {
    **dict.fromkeys((*MLPERF, "sww_int8"), "MLPerf Tiny"),
    "person_detect": "TFLM's examples",
    "micro_speech_quantized": "TFLM's examples",
    "hello_world_int8": "TFLM's examples",
    "keyword_scrambled_8bit": "TFLM's tests",
    "trained_lstm_int8": "TFLM's examples, mnist_lstm",
    **dict.fromkeys(WAKE_WORDS, "esphome/micro-wake-word-models, models/v2"),
    "computer": "wsieber/microwakewords",
    "fomo_face_detection": "openmv/openmv, lib/models",
    "yolo_lc_192": "openmv/openmv, lib/models",
    "mnist_resnet_q": "sipeed/TinyMaix, tools/tflite",
    "cnn_s_quantized": "ARM-software/ML-examples at 9da709d9, tflu-kws-cortex-m/Pretrained_models",
    "fingerprint_signature_generator": "SiliconLabs/mltk, cpp/shared/apps",
}


def _mobilenet(width: float) -> Model:
    """MobileNetV2 for 96 x 96 pixels and ten classes."""
    net = Layers(1)
    net.output(mobilenet_v2(net, width, 96))
    return net.build()


#: Networks with random weights, made here.
MADE: dict[str, Callable[[], Model]] = {
    "mobilenet_v2_0.35_96": partial(_mobilenet, 0.35),
    "mobilenet_v2_1.0_96": partial(_mobilenet, 1.0),
    "like_micro_wake_word": wake_word,
}
#: Boards whose caches are simulated: the chips differ. A file lies beside this one.
BOARDS = (
    *("nucleo-l4r5zi", "stm32f4-discovery", "nucleo-h743zi2", "pico", "pico2", "nrf52840.toml"),
)
L4R5 = "--board nucleo-l4r5zi"
#: Times that boards published.
PUBLISHED = HERE.parent / "src/arenite/boards/data/published.csv"
#: What is kept of a report.
_FACTS = ("instructions", "cycles", "arena_bytes", "stack_bytes", "constant_bytes", "code_bytes")


def commands() -> Iterator[str]:
    """All that is run: a model's name and options of ``arenite board``, or ``fit`` before them."""
    lines = [one for one in PUBLISHED.read_text("utf-8").splitlines() if not one.startswith("#")]
    yield from (f"fit {row['model']} --board {row['board']}" for row in csv.DictReader(lines))
    for name in (*MODELS, *MADE, "digits_int8"):
        yield name
        yield f"{name} --stock"
    for name in SMALLEST:
        yield f"{name} --least ram"
    for options in ("--flash 120k --ram 64k", "--flash 230k --ram 64k", "--flash 280k --ram 64k"):
        yield f"ic_int8 {options}"
    yield "ic_int8 --least time"
    yield f"ic_int8 {L4R5} --least time"
    yield "kws_int8 --ram 5968"
    for name in SMALLEST[:6]:
        yield f"{name} --least ram --input rows"
        yield f"{name} --least ram --input kept"
    for name in MLPERF:
        yield from (f"{name} {how}" for how in (L4R5, f"{L4R5} --icache 1m", f"{L4R5} --stock"))
    for board in BOARDS:
        yield f"kws_int8 --board {board}"


def model_of(command: str) -> str:
    """The model's name in a command."""
    return command.removeprefix("fit ").split()[0]


def run(command: str, files: dict[str, Path], tflm: str) -> dict[str, Any]:
    """What ``arenite board`` says of a model with options, or why it refuses; or ``fit``."""
    is_fit = command.startswith("fit ")
    name, *options = command.split()[is_fit:]
    if "--stock" in options:
        options += ["--tflm", tflm]
    options = [str(HERE / one) if one.endswith(".toml") else one for one in options]
    words = ["fit"] if is_fit else ["board", "--runs", "2"]
    words = [sys.executable, "-m", "arenite", *words, str(files[name]), "--json", *options]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        words = re.sub("[│╭╮╰╯─]+", " ", done.stderr or done.stdout).split()
        return {"refused": " ".join(words).rpartition(" Error ")[2].replace(str(files[name]), name)}
    report = json.loads(done.stdout)
    if is_fit:
        (time,) = (one for one in report["needs"] if one["name"] == "time")
        return {"milliseconds": [time["low"], time["high"]], "megahertz": report["clock_mhz"]}
    facts = {key: report[key] for key in _FACTS}
    reads = report["reads"]
    return facts | ({key: reads[key] for key in ("code", "data", "cycles")} if reads else {})


def gcc_counts(files: dict[str, Path], tflm: str, jobs: int) -> dict[str, dict[str, int]]:
    """Instructions and cycles of TFLM with CMSIS-NN on a Cortex-M4, built by GCC."""
    models = {name: load(path) for name, path in files.items()}
    lines = sorted({line for model in models.values() for line in resolver(model).lines[1:]})
    build = Build(find_tree(tflm), "cortex-m4", ROOT / "build/costs")
    board = Board(linked(build, lines, jobs), build.processor)
    found = {}
    for name, model in models.items():
        ran = board.runs(model)
        cycles = round(sum(ran.cycles.values()))
        found[f"{name} --stock, GCC"] = {"instructions": sum(ran.times.values()), "cycles": cycles}
    return found


def files_of(folders: list[Path], made: Path) -> dict[str, Path]:
    """Models by name: those that are found, and those that are made."""
    found = {path.stem: path for folder in folders for path in sorted(folder.rglob("*.tflite"))}
    for name, make in MADE.items():
        found[name] = made / f"{name}.tflite"
        found[name].write_bytes(write(make()))
    known = {name: found[name] for name in (*MODELS, *MADE) if name in found}
    return {"digits_int8": DIGITS, **known}


def about(name: str, path: Path) -> dict[str, Any]:
    """Where a model is from, what file it is, and TFLM's arena for it."""
    model: Model = load(path)
    sources = {"digits_int8": "examples/digits", **MODELS}
    return {
        "source": sources.get(name, "made with random weights"),
        "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
        "tflm_arena_bytes": smallest_arena(model, target="cortex-m4"),
    }


def main() -> None:
    """Run what is asked for, and write results as they come."""
    options = _options()
    results = json.loads(RESULTS.read_text("utf-8")) if RESULTS.exists() else {}
    results = {"models": {}, "runs": {}, **results}
    with tempfile.TemporaryDirectory(prefix="arenite-") as folder:
        files = files_of([*options.folders, SHARED], Path(folder))
        missing = [name for name in MODELS if name not in files]
        if missing:
            print(f"not found, left as they were: {', '.join(missing)}")
        results["models"] |= {name: about(name, path) for name, path in files.items()}
        asked = [one for one in dict.fromkeys(commands()) if model_of(one) in files]
        asked = [one for one in asked if options.only in one]
        asked = [one for one in asked if not (options.missing and one in results["runs"])]
        with ThreadPoolExecutor(options.jobs) as pool:
            for command, facts in zip(
                asked, pool.map(lambda one: run(one, files, options.tflm), asked), strict=True
            ):
                print(command, facts, flush=True)
                results["runs"][command] = facts
                _write(results)
        if options.gcc:
            results["runs"] |= gcc_counts(files, options.tflm, options.jobs)
            _write(results)


def _write(results: dict[str, Any]) -> None:
    known = {command: results["runs"][command] for command in sorted(results["runs"])}
    RESULTS.write_text(json.dumps({**results, "runs": known}, indent=1) + "\n", encoding="utf-8")


def _options() -> argparse.Namespace:
    form = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=form)
    parser.add_argument("--tflm", required=True, help="a folder with TFLM's sources")
    parser.add_argument("--only", default="", metavar="WORD", help="commands with this in them")
    parser.add_argument("--missing", action="store_true", help="commands without a result")
    parser.add_argument("--gcc", action="store_true", help="count TFLM as built by GCC, too")
    parser.add_argument("--jobs", type=int, default=1, help="commands that run at once")
    parser.add_argument("folders", nargs="*", type=Path, metavar="FOLDER", help="with models")
    return parser.parse_args()


if __name__ == "__main__":
    main()
