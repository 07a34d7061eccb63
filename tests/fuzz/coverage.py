"""Coverage-guided fuzzing of one target, in this process: ``tools/fuzz.py`` starts it.

    python -m tests.fuzz.coverage tflite -max_total_time=60 FOLDER

What follows the target's name goes to libFuzzer. A bug ends the process, and its bytes are in
the file that libFuzzer names.
"""

from __future__ import annotations

import gc
import sys
import warnings

import atheris

with atheris.instrument_imports(include=["arenite"]):
    import arenite
    from arenite import ops
    from arenite.ops.registry import builtin_names, mnn_names
    from tests.fuzz import targets, trial

    for name in (*builtin_names(), *mnn_names()):
        ops.builtin(name)


class FoundBug(Exception):  # noqa: N818 - read by tools/fuzz.py
    """What a target says of a bug."""


def main() -> None:
    """Fuzz until libFuzzer's options say that it is enough."""
    name, arguments = sys.argv[1], [sys.argv[0], *sys.argv[2:]]
    target = targets.TARGETS[name]
    warnings.simplefilter("ignore")

    def once(data: bytes) -> None:
        outcome = target(data)
        if outcome.startswith(trial.BUGS):
            raise FoundBug(outcome)

    def mutate(data: bytes, limit: int, seed: int) -> bytes:
        changed = targets.mutated(data, seed) if seed % 2 else None
        if changed is None or len(changed) > limit:
            return bytes(atheris.Mutate(data, limit))
        return changed

    structured = name in ("tflite", "mnn")
    atheris.Setup(arguments, once, custom_mutator=mutate if structured else None)
    gc.freeze()
    atheris.Fuzz()


if __name__ == "__main__":
    assert arenite
    main()
