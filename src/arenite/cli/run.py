"""``arenite run``: one inference, on files or on random numbers."""

from __future__ import annotations

import time
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arenite.cli.common import (
    AsJson,
    ModelPath,
    bar,
    progress,
    require_other,
    require_suffix,
    show,
)
from arenite.cli.device import RESULTS, DeviceOptions
from arenite.cli.engine import EngineOptions
from arenite.cli.operators import Ops, load_model
from arenite.cli.quantity import file_or_names, read_step

if TYPE_CHECKING:
    from arenite import Interpreter, Model
    from arenite.analysis.engines.listening import Listening
    from arenite.analysis.evaluation.data import Reading
    from arenite.analysis.inputs.values import Input, Pixels
    from arenite.analysis.outcome import Inference
    from arenite.cli.listen import Wishes
    from arenite.model.model import Array
    from arenite.runtime.interpreter_config import Setup


_LONGEST_NAME = 200

InputFiles = Annotated[
    list[Path] | None,
    typer.Option(
        "--input",
        "-i",
        metavar="FILE",
        help="A .npy, .csv, .png, .bmp, .jpg or .wav file, once per model input in their order, "
        "or one .npz for all. Random numbers by default. Models that remember, or have a front "
        "end, listen to a .wav of any length window by window.",
    ),
]
OutputFile = Annotated[
    Path | None,
    typer.Option("--output", "-o", metavar="FILE", help="Write the outputs to this .npz."),
]
LabelNames = Annotated[
    Any,
    typer.Option(
        parser=file_or_names,
        metavar="FILE|A,B,...",
        help="Classes in the order of the outputs: a text file with one per line, or names "
        "separated by commas.",
    ),
]
Repeat = Annotated[
    int, typer.Option(min=1, metavar="N", help="Inferences to time, after the first one.")
]
Seed = Annotated[int, typer.Option(min=0, metavar="S", help="Seed of random inputs.")]
Top = Annotated[int, typer.Option(min=1, metavar="N", help="Results to show.")]
PixelRange = Annotated[
    tuple[float, float] | None,
    typer.Option(
        metavar="LOW HIGH",
        help="Real numbers that pixels 0 and 255 stand for. By default the whole range of a "
        "quantised input, 0 and 1 for a float one.",
    ),
]
Samples = Annotated[str | None, typer.Option("--x", help="Array of samples, or column of paths.")]
Labels = Annotated[str | None, typer.Option("--y", help="Array or column of labels.")]
RawPixels = Annotated[
    bool,
    typer.Option(
        "--raw-pixels",
        help="Take an image's bytes as an int8 or uint8 input's values, as TFLM's tests do.",
    ),
]
FrontEnd = Annotated[
    Path | None,
    typer.Option(
        "--frontend",
        metavar="MODEL",
        help="A model that makes features of each window of a .wav, such as "
        "audio_preprocessor_int8.tflite. The model gets as many windows' features as its input "
        "holds.",
    ),
]
Step = Annotated[
    float | None,
    typer.Option(
        parser=read_step,
        metavar="MS",
        help="Time from one window of a .wav to the next, such as 20ms. By default two thirds of a "
        "front end's window (20 of 30), a whole one without.",
    ),
]


@dataclass(frozen=True)
class ReadingOptions:
    """The options that say how files become inputs; a command has some of them."""

    x: Samples = None
    y: Labels = None
    pixel_range: PixelRange = None
    raw_pixels: RawPixels = False
    frontend: FrontEnd = None
    step: Step = None

    def pixels(self) -> Pixels:
        """Meaning of pixels.

        Raises:
            typer.BadParameter: Both options say so.
        """
        from arenite.analysis.inputs.values import Pixels

        if self.raw_pixels and self.pixel_range is not None:
            raise typer.BadParameter("expected one of --raw-pixels and --pixel-range, got both")
        return Pixels(self.pixel_range, self.raw_pixels)

    def reading(self, limit: int | None, seed: int) -> Reading:
        """Way to read so many samples.

        Raises:
            typer.BadParameter: Both options say what pixels stand for.
        """
        from arenite.analysis.evaluation.data import Reading

        return Reading(self.pixels(), self.step, self.x, self.y, limit, seed)


Threshold = Annotated[
    float | None,
    typer.Option(
        metavar="SCORE",
        help="The lowest score of what is heard in a .wav. By default the largest of several "
        "scores counts, and a single one from 0.5 on.",
    ),
]


def run(
    model: ModelPath,
    *,
    inputs: InputFiles = None,
    output: OutputFile = None,
    labels: LabelNames = None,
    repeat: Repeat = 1,
    seed: Seed = 0,
    top: Top = 5,
    fed_as: Annotated[ReadingOptions, ("pixel_range", "raw_pixels", "frontend", "step")],
    threshold: Threshold = None,
    firmware: Annotated[DeviceOptions, RESULTS],
    engine: EngineOptions,
    ops: Ops = None,
    as_json: AsJson = False,
) -> None:
    """Run a model once and show its results; time it with --repeat.

    Example: arenite run model.tflite --input photo.jpg --labels labels.txt

    Example: arenite run speech.tflite --frontend preprocessor.tflite --input words.wav
    """
    from arenite.analysis.engines.listening import listening_facts
    from arenite.analysis.inputs.arrays import check_labels, read_labels
    from arenite.analysis.inputs.files import random_inputs, read_inputs
    from arenite.analysis.outcome import inference_facts
    from arenite.cli.listen import Wishes, wants_to_listen
    from arenite.report.inference import render_inference
    from arenite.report.listening import render_listening

    pixels = fed_as.pixels()
    require_suffix(output, ".npz", "--output")
    files = [file for file in (labels, fed_as.frontend) if isinstance(file, Path)]
    read = [Path(model), *(inputs or []), *files]
    require_other(output, "--output", read)
    firmware.check()
    loaded = load_model(model, ops)
    device = firmware.chosen(None, loaded)
    words = device.note("these are the results of")
    texts = read_labels(labels) if isinstance(labels, Path) else list(labels or ())
    check_labels(texts, loaded.outputs)
    setup = engine.setup(device.target)
    front_end = load_model(fed_as.frontend, ops) if fed_as.frontend else None
    wishes = Wishes(front_end, fed_as.step, threshold, texts)
    if wants_to_listen(loaded, inputs or [], wishes):
        heard = _listen(loaded, (inputs or [])[0], setup, wishes, output)
        show(heard, listening_facts, render_listening, words, as_json=as_json)
        return
    fed = read_inputs(loaded, inputs, pixels) if inputs else random_inputs(loaded, seed)
    inference = _infer(loaded, setup, fed, repeat, texts)
    if output:
        save_npz(output, [t.name for t in loaded.outputs], inference.arrays)
    facts, drawn = (
        partial(inference_facts, count=top),
        partial(render_inference, count=top, bar=bar()),
    )
    show(inference, facts, drawn, words, as_json=as_json)


def _listen(
    model: Model, sound: Path, setup: Setup, wishes: Wishes, output: Path | None
) -> Listening:
    import numpy as np

    from arenite.cli.listen import listen

    heard, outputs = listen(model, sound, setup, wishes)
    if output:
        save_npz(
            output,
            [t.name for t in model.outputs],
            [np.stack(o) for o in zip(*outputs, strict=True)],
        )
    return heard


def _infer(
    model: Model, setup: Setup, fed: Sequence[Input], repeat: int, labels: Sequence[str]
) -> Inference:
    import numpy as np

    from arenite import Interpreter
    from arenite.analysis.outcome import Inference

    with np.errstate(all="ignore"):  # as on the device, NaN and overflow are results
        interpreter = Interpreter(model, **setup.options)
        arrays, seconds = _measure(interpreter, [i.array for i in fed], repeat)
    return Inference(
        file=model.source,
        target=setup.target,
        engine=interpreter.engine,
        inputs=model.inputs,
        origins=tuple(i.origin for i in fed),
        outputs=model.outputs,
        arrays=tuple(arrays),
        seconds=tuple(seconds),
        labels=tuple(labels),
    )


def _measure(
    interpreter: Interpreter, inputs: Sequence[Array], repeat: int
) -> tuple[list[Array], list[float]]:
    """The outputs of the first inference, and the times in seconds of ``repeat`` more.

    Memory of an input is used for other tensors once it was read, so every inference gets
    its inputs anew.
    """
    first = _invoke(interpreter, inputs)
    outputs = [interpreter.output(i).copy() for i in range(len(interpreter.model.outputs))]
    seconds = []
    with progress("timing", repeat, expected_seconds=first * repeat) as advance:
        for _ in range(repeat):
            seconds.append(_invoke(interpreter, inputs))
            advance()
    return outputs, seconds


def _invoke(interpreter: Interpreter, inputs: Sequence[Array]) -> float:
    for index, array in enumerate(inputs):
        interpreter.input(index)[...] = array
    start = time.perf_counter()
    interpreter.invoke()
    return time.perf_counter() - start


def save_npz(path: Path, names: Sequence[str], arrays: Sequence[Any]) -> None:
    """Write arrays under their tensors' names, or as ``output_N``; see :func:`member_names`."""
    import numpy as np

    from arenite.files import replacing

    with replacing(path) as target, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, array in zip(member_names(names), arrays, strict=True):
            with archive.open(f"{name}.npy", "w") as file:
                np.lib.format.write_array(file, np.asarray(array), allow_pickle=False)


def member_names(names: Sequence[str]) -> list[str]:
    """The names of an archive's members, each once and safe to unpack.

    A tensor's name that is empty, repeated, over 200 characters long, leads to another folder
    (``../x``, ``/x``) or has characters that are not shown becomes ``output_N``.
    """
    members: list[str] = []
    for index, name in enumerate(names):
        number = index
        member = name if _is_plain_path(name) else f"output_{number}"
        while member in members:
            member = f"output_{number}"
            number += 1
        members.append(member)
    return members


def _is_plain_path(name: str) -> bool:
    parts = name.split("/")
    plain = name.isprintable() and "\\" not in name and len(name) <= _LONGEST_NAME
    return plain and not any(part.strip(". ") == "" for part in parts)
