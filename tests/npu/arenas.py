"""The smallest arenas of models that Vela compiled, as TFLM takes them on an emulated Cortex-M4.

``python -m tests.npu.arenas --tflm PATH`` measures them again, into ``arenas.csv``: TFLM's
interpreter with ``kernels/ethos_u/ethosu.cc`` and a driver that does nothing has to allocate in the
arena that Arenite states, and not in 16 bytes less. Where that is so, the row has the number; else
none.
"""

import argparse
import csv
import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np

import arenite as ar
from arenite.emulator.machine import Machine
from arenite.errors import BoardError
from arenite.firmware.stock import board
from arenite.formats import tflite
from arenite.model import Model
from arenite.model.offline_plan import OFFLINE_METADATA
from tests.npu.vela import CONFIGURATIONS as RUN
from tests.npu.vela import SRAM_ONLY, compiled
from tests.shared import shared_model

DATA = Path(__file__).with_name("arenas.csv")
CORE = "cortex-m4"
MODELS = ("kws_int8", "vww_int8", "ic_int8", "ad_int8", "sww_int8", "person_detect")
CONFIGURATIONS = RUN | {
    "u55-128-sram": ("ethos-u55-128", SRAM_ONLY),
}
#: What is left on the CPU by Vela: SVDF; here: the last layer.
MIXED = "keyword_scrambled_8bit"
SOFTMAX = "u55-128, SOFTMAX on the CPU"
CASES = (
    *((model, name) for model in MODELS for name in CONFIGURATIONS),
    *((MIXED, name) for name in ("u55-128", "u65-256")),
    *((model, SOFTMAX) for model in ("kws_int8", "vww_int8", "ic_int8", "person_detect")),
)
#: The header of a driver that does nothing.
_DRIVER = """#pragma once
#include <cstddef>
#include <cstdint>
struct ethosu_driver;
inline ethosu_driver* ethosu_reserve_driver() { return nullptr; }
inline void ethosu_release_driver(ethosu_driver*) {}
inline int ethosu_invoke_v3(ethosu_driver*, const void*, int, const uint64_t*, const size_t*, int,
                            void*) {
  return 0;
}
"""


def case(model: str, configuration: str) -> Model:
    """A compiled model."""
    if configuration == SOFTMAX:
        return with_softmax_on_the_cpu(shared_model(model))
    return ar.load(compiled(shared_model(model), *CONFIGURATIONS[configuration]))


def with_softmax_on_the_cpu(original: Path) -> Model:
    """What Vela makes of all layers but the last, which is a SOFTMAX, and that one behind it."""
    model = ar.load(original)
    *layers, last = model.main.operators
    assert last.name == "SOFTMAX"
    cut = replace(model.main, operators=tuple(layers), outputs=last.inputs[:1])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "cut.tflite"
        path.write_bytes(tflite.write(replace(model, subgraphs=(cut,))))
        found = ar.load(compiled.__wrapped__(path, *CONFIGURATIONS["u55-128"]))
    main, index = found.main, len(found.main.tensors)
    plan = np.frombuffer(found.metadata[OFFLINE_METADATA], np.int32).copy()
    plan[2] += 1  # tensors; where the new one lies is left to the planner
    whole = replace(
        main,
        tensors=(*main.tensors, model.main.tensors[last.outputs[0]]),
        operators=(*main.operators, replace(last, inputs=main.outputs, outputs=(index,))),
        outputs=(index,),
    )
    metadata = found.metadata | {OFFLINE_METADATA: np.append(plan, np.int32(-1)).tobytes()}
    return replace(found, subgraphs=(whole,), metadata=metadata)


def is_smallest(model: Model, arena: int, tflm: str) -> bool:
    """Whether TFLM allocates a model's tensors in an arena, and not in a smaller one."""
    built = board.StockBoard(model, tflm, CORE, arena=arena)

    def fits(size: int) -> bool:
        built._machine = Machine(built.image, CORE, None)
        try:
            built._call("begin", size)
        except BoardError:
            return False
        return True

    return fits(arena) and not fits(arena - 16)


def use_ethos_u(folder: Path) -> None:
    """Let boards have TFLM's kernel for the NPU, and take the arena's size when they begin."""
    (folder / "ethosu_driver.h").write_text(_DRIVER)
    sources, flags = board.sources_for, board.core_flags
    board.sources_for = lambda *given: [
        Path(str(one).replace("kernels/ethosu.cc", "kernels/ethos_u/ethosu.cc"))
        for one in sources(*given)
    ]
    board.core_flags = lambda core: [*flags(core), f"-I{folder}"]
    board.MAIN = board.MAIN.replace("stock_begin(void)", "stock_begin(int size)").replace(
        "Create(arena, sizeof(arena))", "Create(arena, size)"
    )


def main() -> None:
    """Measure all, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tflm", required=True)
    given = parser.parse_args()
    rows: list[tuple[str, str, int | str]] = []
    with tempfile.TemporaryDirectory() as folder:
        use_ethos_u(Path(folder))
        for model, configuration in CASES:
            found = case(model, configuration)
            arena = ar.smallest_arena(found, target=CORE)
            rows.append(
                (model, configuration, arena if is_smallest(found, arena, given.tflm) else "")
            )
            print(*rows[-1], flush=True)
    with DATA.open("w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(
            (("model", "configuration", "arena"), *rows)
        )


if __name__ == "__main__":
    main()
