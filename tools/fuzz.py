"""Fuzzing on a build with AddressSanitizer and UndefinedBehaviorSanitizer.

``python tools/fuzz.py FOLDER --time 60`` guides mutations by coverage (atheris, libFuzzer): all
targets of ``tests/fuzz/targets.py`` in turn, for that many seconds in all. What was worth keeping
stays in FOLDER, and goes on from there the next time; ``--keep`` brings the smallest files that
reach as much to ``tests/fuzz/corpus``, for everybody.

``python tools/fuzz.py FOLDER --cases 10000`` runs ``python -m tests.fuzz`` instead, half of the
cases with each format; ``--npu 10000`` damages commands for an NPU (``tests/npu/damage.py``).
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import sanitize

ROOT = sanitize.ROOT
CORPUS = ROOT / "tests" / "fuzz" / "corpus"
TARGETS = ("tflite", "mnn", "options", "inputs", "archives", "manifests")
#: What is kept in the repository: files of at most so many bytes, and so much of each target.
MAX_FILE, MAX_CORPUS = 2048, 200_000
MAX_INPUT = 16384
FORMATS = ("tflite", "mnn")

Environment = dict[str, str]


def main() -> int:
    """Build, then fuzz; 1 if there was a bug."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--time", type=int, default=60, help="seconds for all targets")
    parser.add_argument("--targets", nargs="*", default=TARGETS, choices=TARGETS)
    parser.add_argument("--keep", action="store_true", help="add to tests/fuzz/corpus")
    parser.add_argument("--cases", type=int, help="so many cases of python -m tests.fuzz instead")
    parser.add_argument("--npu", type=int, help="so many of python -m tests.npu.damage instead")
    parser.add_argument("--first", type=int, default=0, help="the first of those")
    parser.add_argument("--models", type=Path, help="other files that Vela compiled, for --npu")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    asan = sanitize.runtime()
    if asan is None:
        print(f"fuzz: {sanitize.RUNTIME} of atheris is not installed (Linux on x86-64 has it)")
        return 1
    engine = sanitize.build((options.folder / "engine").resolve(), "-DARENITE_COVERAGE=ON")
    # Freed memory waits before it is used again, but not by the hundreds of megabytes.
    limits = ("quarantine_size_mb=16", "max_allocation_size_mb=4096", "handle_sigfpe=1")
    environment = sanitize.environment_of(asan, engine, *limits)
    environment["OPENBLAS_NUM_THREADS"] = "1"
    if options.cases is not None:
        return run_cases(options, environment)
    if options.npu is not None:
        # Arrays are the heap's in any case; Python's small objects take three times as long there.
        environment["PYTHONMALLOC"] = "pymalloc"
        numbers = {"--count": options.npu, "--first": options.first, "--seed": options.seed}
        arguments = [str(word) for pair in numbers.items() for word in pair]
        arguments += ["--models", str(options.models)] if options.models else []
        started = [sys.executable, "-m", "tests.npu.damage", *arguments]
        return subprocess.run(started, env=environment, cwd=ROOT, check=False).returncode
    seconds = max(1, options.time // len(options.targets))
    found = [fuzz(name, options.folder, seconds, environment) for name in options.targets]
    if options.keep:
        for name in options.targets:
            keep(name, options.folder, environment)
    return int(any(found))


def run_cases(options: argparse.Namespace, environment: Environment) -> int:
    """Cases by number, of both formats."""
    status = 0
    for corpus in FORMATS:
        print(f"-- {corpus}, seed {options.seed}", flush=True)
        count, seed = str(options.cases // len(FORMATS)), str(options.seed)
        command = ["--corpus", corpus, "--count", count, "--seed", seed]
        command += ["--save", str(options.folder / "bugs")]
        started = [sys.executable, "-m", "tests.fuzz", *command]
        status |= subprocess.run(started, env=environment, cwd=ROOT, check=False).returncode
    return status


def fuzz(name: str, folder: Path, seconds: int, environment: Environment) -> int:
    """Fuzz one target, past its bugs, until the time is up; how many bugs there were."""
    work, bugs = folder / name, folder / "bugs"
    for path in (work, bugs, CORPUS / name):
        path.mkdir(parents=True, exist_ok=True)
    seed(name, work, environment)
    end, runs, found, coverage = time.monotonic() + seconds, 0, 0, "nothing"
    while (left := int(end - time.monotonic())) > 0:
        limits = [f"-max_total_time={left}", "-timeout=20", "-rss_limit_mb=1536"]
        arguments = [*limits, f"-max_len={MAX_INPUT}", f"-artifact_prefix={bugs}/{name}-"]
        log = libfuzzer(name, [*arguments, str(work), str(CORPUS / name)], environment)
        runs += int(next(iter(re.findall(r"stat::number_of_executed_units: (\d+)", log)), 0))
        coverage = next(reversed(re.findall(r"cov: \d+ ft: \d+ corp: \S+", log)), coverage)
        if "Test unit written to" not in log:
            if "stat::" not in log:
                print(log[-2000:])
                return 1
            break
        found += 1
        print(f"{name}: {blame(log)}", flush=True)
    print(f"{name}: {runs} runs in {seconds} s, {coverage}, {found} bugs", flush=True)
    return found


def blame(log: str) -> str:
    """What libFuzzer says of a bug, and where its input is."""
    words = r"(FoundBug: .*|SUMMARY: .*|runtime error: .*)"
    what = re.findall(words, log) or ["unknown"]
    return f"{what[0]} {' '.join(re.findall(r'written to (.*)', log))}"


def seed(name: str, work: Path, environment: Environment) -> None:
    """Sound files to begin with, where there is nothing yet."""
    if any(work.iterdir()):
        return
    script = (
        "import sys, pathlib; from tests.fuzz.targets import seeds\n"
        f"for number, data in enumerate(seeds({name!r})):\n"
        f"    len(data) <= {MAX_INPUT} and "
        "(pathlib.Path(sys.argv[1]) / f'seed-{number}').write_bytes(data)"
    )
    command = [sys.executable, "-c", script, str(work.resolve())]
    subprocess.run(command, env=environment, cwd=ROOT, check=True)


def libfuzzer(name: str, arguments: list[str], environment: Environment) -> str:
    """Run libFuzzer; what it printed."""
    command = [sys.executable, "tools/fuzz_target.py", name, "-print_final_stats=1"]
    places = [str(Path(a).resolve()) if not a.startswith("-") else a for a in arguments]
    done = subprocess.run(
        [*command, *places],
        env=environment,
        cwd=ROOT,
        text=True,
        errors="replace",
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    return done.stdout


def keep(name: str, folder: Path, environment: Environment) -> None:
    """Add the smallest new files that reach more than those in the repository."""
    merged = folder / "merged"
    shutil.rmtree(merged, ignore_errors=True)
    shutil.copytree(CORPUS / name, merged)
    libfuzzer(
        name, ["-merge=1", f"-max_len={MAX_FILE}", str(merged), str(folder / name)], environment
    )
    room = MAX_CORPUS - sum(path.stat().st_size for path in (CORPUS / name).iterdir())
    have = {path.name for path in (CORPUS / name).iterdir()}
    new = sorted(
        (p for p in merged.iterdir() if p.name not in have), key=lambda p: p.stat().st_size
    )
    added = 0
    for path in sorted(new, key=lambda path: path.stat().st_size):
        size = path.stat().st_size
        if size > min(room, MAX_FILE):
            break
        # Half a hash is enough of a name.
        shutil.copy(path, CORPUS / name / f"{path.name[:16]}.bin")
        room, added = room - size, added + 1
    print(f"{name}: {added} of {len(new)} new files kept")


if __name__ == "__main__":
    sys.exit(main())
