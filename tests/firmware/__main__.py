"""``python -m tests.firmware``: many random layers of every exported operator, or networks.

As C on this machine under sanitizers, or on an emulated core; prints what was equal.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator
from pathlib import Path

from arenite.firmware.kernels.portable import exported_names
from tests.firmware.boards import CORES, compared_on, stands_alone
from tests.firmware.bulk import Case, Tally, cases_of, compared, exported_of
from tests.firmware.networks import networks_compared


def main() -> int:
    """Exit code 1 if anything differs."""
    parser = argparse.ArgumentParser(prog="python -m tests.firmware", description=__doc__)
    parser.add_argument("--count", type=int, default=5, help="models of every operator")
    parser.add_argument("--seed", type=int, help="other models than the same ones every time")
    parser.add_argument("--on", choices=["host", *CORES], default="host")
    parser.add_argument("--operators", help="names, with commas between them")
    parser.add_argument("--together", type=int, default=100, help="layers in one program of a core")
    parser.add_argument(
        "--networks", type=int, default=0, metavar="N", help="so many networks, and no layers"
    )
    options = parser.parse_args()
    names = options.operators.split(",") if options.operators else exported_names()
    done = Tally()
    for part in _parts(options, names):
        done.equal += part.equal
        done.stack = max(done.stack, part.stack)
        done.different += part.different
        for why, count in part.refused.items():
            done.refused[why] = done.refused.get(why, 0) + count
    for why, count in sorted(done.refused.items()):
        print(f"  refused {count}: {why}")
    for text in done.different:
        print(f"  DIFFERENT {text}")
    refused = sum(done.refused.values())
    print(f"{done.equal} equal, {len(done.different)} different, {refused} refused, {options.on}")
    if done.stack:
        print(f"deepest stack of an inference: {done.stack} bytes")
    return 1 if done.different else 0


def _parts(options: argparse.Namespace, names: list[str]) -> Iterator[Tally]:
    if options.networks:
        return _networks(options)
    return _host(options, names) if options.on == "host" else _core(options, names)


def _networks(options: argparse.Namespace) -> Iterator[Tally]:
    equal = 0
    for tally in networks_compared(options.on, options.networks, options.seed or 0):
        before, equal = equal, equal + tally.equal
        for text in tally.different:
            print(f"  DIFFERENT {text}", flush=True)
        if equal // 20 > before // 20:
            print(f"{equal:5} networks equal", flush=True)
        yield tally


def _host(options: argparse.Namespace, names: list[str]) -> Iterator[Tally]:
    """Operator by operator, with sanitizers."""
    for name in names:
        with tempfile.TemporaryDirectory(prefix="arenite-") as folder:
            tally = compared(cases_of(name, options.count, options.seed), Path(folder))
        print(f"{name:36} {tally.equal:5} equal", flush=True)
        yield tally


def _core(options: argparse.Namespace, names: list[str]) -> Iterator[Tally]:
    """Many layers of all operators in one program."""
    waiting: list[Case] = []
    for name in names:
        found = exported_of(name, 2 * options.count + 10, options.count, options.seed)
        waiting += [case for case in found if stands_alone(case)]
        while len(waiting) >= options.together or (waiting and name == names[-1]):
            group = waiting[: options.together]
            waiting = waiting[options.together :]
            tally = compared_on(CORES[options.on], group)
            print(f"up to {name:32} {tally.equal:5} equal", flush=True)
            yield tally


if __name__ == "__main__":
    raise SystemExit(main())
