"""Coverage-guided fuzzing of one target, in this process: ``tools/fuzz.py`` starts it.

    python tools/fuzz_target.py tflite -max_total_time=60 FOLDER

What follows the target's name goes to libFuzzer. A bug ends the process, and its bytes are in
the file that libFuzzer names. It is no module of ``tests.fuzz``: what atheris is to watch must not
be imported before.
"""

from __future__ import annotations

import gc
import shlex
import sys
import warnings
from pathlib import Path

import atheris

ROOT = Path(__file__).resolve().parent.parent
# Atheris knows Python's own importers only, and not that of an editable install.
sys.path[:1] = [str(ROOT), str(ROOT / "src")]
sys.meta_path[:] = [finder for finder in sys.meta_path if "editable" not in type(finder).__module__]
with atheris.instrument_imports(include=["arenite"]):
    from tests.fuzz import targets, trial

    from arenite import ops
    from arenite.ops.registry import builtin_names, custom_names, mnn_names

    for operator in (*builtin_names(), *custom_names(), *mnn_names()):
        ops.builtin(operator)


class FoundBug(Exception):  # noqa: N818 - read by tools/fuzz.py
    """What a target says of a bug."""


def main() -> None:
    """Fuzz until libFuzzer's options say that it is enough."""
    # With -merge=1, libFuzzer has a shell start its first argument, and its options behind it.
    name = sys.argv[1]
    arguments = [shlex.join([sys.executable, str(Path(__file__).resolve()), name]), *sys.argv[2:]]
    target, mutator = targets.TARGETS[name], targets.MUTATORS.get(name)
    warnings.simplefilter("ignore")

    def once(data: bytes) -> None:
        outcome = target(data)
        if outcome.startswith(trial.BUGS):
            raise FoundBug(outcome)

    def mutate(data: bytes, limit: int, seed: int) -> bytes:
        changed = mutator(data, seed) if mutator and seed % 2 else None
        if changed is None or len(changed) > limit:
            return bytes(atheris.Mutate(data, limit))
        return changed

    for data in targets.seeds(name)[:40]:  # what is made once takes longer than any run
        target(data)
    atheris.Setup(arguments, once, custom_mutator=mutate if mutator else None)
    gc.freeze()
    atheris.Fuzz()


if __name__ == "__main__":
    main()
