"""Random models of operators' own tests as firmware, many in one program, next to the reference.

Programs are built with sanitizers where the compiler has them. Every inference of a model, and
what comes after a reset, is compared: integers bit for bit, floats within 1e-5.
"""

from __future__ import annotations

import subprocess
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import settings

from arenite.errors import AreniteError, UndefinedWarning
from arenite.firmware.kernels.portable import portable_work
from arenite.firmware.network.names import identifier
from arenite.firmware.plan.program import Program, program_of
from arenite.firmware.text.arithmetic import FUNCTIONS, arithmetic_h
from arenite.firmware.text.source import sources
from arenite.formats import tflite
from arenite.model import Model
from arenite.ops.registry import mnn_names
from tests.compiler import compiler
from tests.firmware.built import sanitizers
from tests.firmware.mnn_cases import drawn
from tests.native.strategies import steps_of
from tests.ops.differential import assert_same, drawing, judge_with, run_arenite
from tests.steps import Step

Array = np.ndarray[Any, Any]

#: Inferences of a model at least.
INVOKES = 3
#: Models that are compiled in one go.
_UNIT = 40
_STRICT = ("-std=c11", "-O0", "-Wall", "-Wextra", "-Werror", "-pedantic", "-Wconversion")


@dataclass(frozen=True)
class Case:
    """A model, what it is fed, and what the reference gives."""

    operator: str
    number: int
    model: Model
    steps: list[Step]
    outputs: list[list[Array]]

    @property
    def name(self) -> str:
        """What names in C begin with."""
        return identifier(f"{self.operator}_{self.number}")

    def program(self) -> Program:
        """The model as plain C.

        Raises:
            AreniteError: It cannot be exported.
        """
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UndefinedWarning)
            return program_of(self.model, portable_work, self.name)


@dataclass
class Tally:
    """What became of random models: how many, why not exported, where different.

    ``stack`` is the deepest of an inference, on an emulated core.
    """

    equal: int = 0
    stack: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    different: list[str] = field(default_factory=list)

    def add(self, part: Tally) -> None:
        """Count other models too."""
        self.equal += part.equal
        self.stack = max(self.stack, part.stack)
        self.refused += part.refused
        self.different += part.different

    def refuse(self, error: AreniteError) -> None:
        """Count a model that cannot be exported."""
        self.refused[str(error).splitlines()[-1].strip()[:120]] += 1


def cases_of(operator: str, count: int, seed: int | None = None) -> Iterator[Case]:
    """Those of an operator's random models that the reference runs: the same ones every time, or
    those of a seed.
    """
    for number, (model, steps) in enumerate(_drawn(operator, count, seed)):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UndefinedWarning)
                outputs = run_arenite(model, steps)
        except AreniteError:
            continue
        yield Case(operator, number, model, steps, outputs)


def _drawn(operator: str, count: int, seed: int | None) -> Iterator[tuple[Model, list[Step]]]:
    """Models as files have them; those of MNN's operators are in no ``.tflite`` file."""
    if operator in mnn_names():
        yield from drawn(operator, count, seed, INVOKES)
        return
    for model, steps in _drawn_for_tflm(operator, count, seed):
        yield tflite.read(tflite.write(model)), steps


def _drawn_for_tflm(operator: str, count: int, seed: int | None) -> list[tuple[Model, list[Step]]]:
    """What the operator's own test would compare with TFLM."""
    found: list[tuple[Model, list[Step]]] = []

    def take(oracle: object, model: Model, seed: int, **more: Any) -> Any:
        more["invokes"] = max(more.get("invokes", 1), INVOKES)
        found.append((model, steps_of(model, seed, **more)))

    how = settings(drawing, max_examples=count, derandomize=seed is None)
    judge_with(operator, take, how, seed)
    return found


def exported_of(operator: str, drawn: int, wanted: int, seed: int | None = None) -> list[Case]:
    """The first that can be exported."""
    found: list[Case] = []
    for case in cases_of(operator, drawn, seed):
        try:
            case.program()
        except AreniteError:
            continue
        found.append(case)
        if len(found) == wanted:
            break
    return found


def compared(cases: Iterable[Case], folder: Path) -> Tally:
    """Export, build, run and compare."""
    tally, exported = Tally(), []
    for case in cases:
        try:
            exported.append((case, case.program()))
        except AreniteError as error:
            tally.refuse(error)
    if exported:
        program = _build([program for _, program in exported], folder)
        for number, (case, _) in enumerate(exported):
            why = _difference(program, number, case, folder)
            if why:
                tally.different.append(f"{case.name}: {why}")
            else:
                tally.equal += 1
    return tally


# -- one program of many models ---------------------------------------------------------

_MAIN = """\
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
$prototypes
typedef struct {
  void (*init)(void), (*reset)(void), (*invoke)(void);
  void *(*input)(int);
  const void *(*output)(int);
  int inputs, outputs;
  const size_t *bytes;
} model;
$sizes
static const model models[] = {
$models
};
/* main NUMBER < steps > outputs: a step is 'r', or 'i' and the bytes of all inputs. */
int main(int count, char **arguments) {
  const model *m = &models[count > 1 ? atoi(arguments[1]) : 0];
  m->init();
  for (int step; (step = getchar()) != EOF;) {
    if (step == 'r') {
      m->reset();
      continue;
    }
    for (int i = 0; i < m->inputs; ++i)
      if (fread(m->input(i), 1, m->bytes[i], stdin) != m->bytes[i]) return 2;
    m->invoke();
    for (int i = 0; i < m->outputs; ++i)
      fwrite(m->output(i), 1, m->bytes[m->inputs + i], stdout);
  }
  return 0;
}
"""


def _build(programs: list[Program], folder: Path) -> Path:
    (folder / "main.c").write_text(_main(programs))
    objects = [_compiled(folder / "main.c")]
    for start in range(0, len(programs), _UNIT):
        unit = folder / f"unit{start}.c"
        unit.write_text("\n".join(map(_text, programs[start : start + _UNIT])))
        objects.append(_compiled(unit))
    program = folder / "main"
    _run([*compiler(), *_sanitizers(folder), *map(str, objects), "-o", str(program)])
    return program


def _compiled(file: Path) -> Path:
    out = file.with_suffix(".o")
    flags = [*_STRICT, *_sanitizers(file.parent), "-c", str(file), "-o", str(out)]
    _run([*compiler(), *flags])
    return out


def _sanitizers(folder: Path) -> list[str]:
    return [*sanitizers(folder), "-fsanitize=float-cast-overflow"]


def _run(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[:6000]


def _main(programs: list[Program]) -> str:
    prototypes, sizes, models = [], [], []
    for number, one in enumerate(programs):
        name, ports = one.name, (*one.network.inputs, *one.network.outputs)
        prototypes += [f"void {name}_{f}(void);" for f in ("init", "reset", "invoke")]
        prototypes += [f"void *{name}_input(int);", f"const void *{name}_output(int);"]
        every = ", ".join(str(value.nbytes) for value in ports) or "0"
        sizes.append(f"static const size_t bytes{number}[] = {{{every}}};")
        calls = ", ".join(f"{name}_{f}" for f in ("init", "reset", "invoke", "input", "output"))
        counts = f"{len(one.network.inputs)}, {len(one.network.outputs)}"
        models.append(f"  {{{calls}, {counts}, bytes{number}}},")
    text = _MAIN
    for word, lines in (("prototypes", prototypes), ("sizes", sizes), ("models", models)):
        text = text.replace(f"${word}", "\n".join(lines))
    return text


def _text(program: Program) -> str:
    """A program's files as one; only the arena's name is the same in all."""
    files, done = sources(program), set[str]()
    files["arithmetic.h"] = arithmetic_h(" ".join(FUNCTIONS))  # that of all programs

    def whole(name: str) -> str:
        if name in done:
            return ""
        done.add(name)
        lines = []
        for line in files[name].splitlines():
            other = line.removeprefix('#include "').removesuffix('"')
            lines.append(whole(other) if other in files else line)
        return "\n".join(lines)

    text = "\n".join(whole(name) for name in sorted(files) if name.endswith(".c"))
    return f"#define arena {program.name}_arena\n{text}\n#undef arena\n#undef AT\n#undef DONE"


# -- one model of it --------------------------------------------------------------------


def _difference(program: Path, number: int, case: Case, folder: Path) -> str:
    fed = b"".join(_step(step) for step in case.steps)
    done = subprocess.run(
        [str(program), str(number)], input=fed, capture_output=True, check=False, timeout=60
    )
    if done.returncode:
        return f"exit code {done.returncode}: {done.stderr.decode()[:1500]}"
    data, at = done.stdout, 0
    for inference, wanted in enumerate(case.outputs):
        for array in wanted:
            got = np.frombuffer(data[at : at + array.nbytes], array.dtype).reshape(array.shape)
            at += array.nbytes
            try:
                assert_same(got, array, case.model, inference)
            except AssertionError as error:
                return str(error)[:1500]
    return "" if at == len(data) else f"expected {at} bytes, got {len(data)}"


def _step(step: Step) -> bytes:
    if isinstance(step, str):
        return b"r"
    return b"i" + b"".join(np.ascontiguousarray(array).tobytes() for array in step)
