"""``python -m tests.firmware``: many random layers, networks or streams as firmware.

``layers`` of every exported operator; ``networks`` with any activations and scales, some of them in
random groups; the whole ``chain`` from optimising to the run; ``streams`` that remember rows; the
models beside the repository (``shared``). As C on this machine under sanitizers, or on an emulated
core; prints what was equal.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from arenite.firmware.kernels.portable import exported_names
from tests.firmware import chain
from tests.firmware.boards import CORES, compared_on, stands_alone
from tests.firmware.bulk import Case, Tally, cases_of, compared, exported_of
from tests.firmware.networks import networks_compared
from tests.firmware.streams import on_board, streamed


def main() -> int:
    """Exit code 1 if anything differs."""
    parser = argparse.ArgumentParser(prog="python -m tests.firmware", description=__doc__)
    parser.add_argument("what", nargs="?", choices=WHAT, default="layers")
    parser.add_argument("--count", type=int, default=5, help="models; of every operator layers")
    parser.add_argument("--seed", type=int, help="other models than the same ones every time")
    parser.add_argument("--on", choices=["host", *CORES], default="host")
    parser.add_argument("--operators", help="names, with commas between them")
    parser.add_argument("--together", type=int, default=100, help="layers in one program of a core")
    parser.add_argument("--slow", action="store_true", help="shared models of floats too")
    options = parser.parse_args()
    done = Tally()
    for part in WHAT[options.what](options):
        done.add(part)
        for text in part.different:
            print(f"  DIFFERENT {text}", flush=True)
        print(f"{done.equal:5} equal so far", flush=True)
    for why, count in sorted(done.refused.items()):
        print(f"  refused {count}: {why}")
    different, refused = len(done.different), done.refused.total()
    print(f"{done.equal} equal, {different} different, {refused} refused, {options.on}")
    if done.stack:
        print(f"deepest stack of an inference: {done.stack} bytes")
    return 1 if done.different else 0


def _layers(options: argparse.Namespace) -> Iterator[Tally]:
    names = options.operators.split(",") if options.operators else exported_names()
    return _host(options, names) if options.on == "host" else _core(options, names)


def _host(options: argparse.Namespace, names: list[str]) -> Iterator[Tally]:
    """Operator by operator, with sanitizers."""
    for name in names:
        print(name)
        with tempfile.TemporaryDirectory(prefix="arenite-") as folder:
            yield compared(cases_of(name, options.count, options.seed), Path(folder))


def _core(options: argparse.Namespace, names: list[str]) -> Iterator[Tally]:
    """Many layers of all operators in one program."""
    waiting: list[Case] = []
    for name in names:
        found = exported_of(name, 2 * options.count + 10, options.count, options.seed)
        waiting += [case for case in found if stands_alone(case)]
        while len(waiting) >= options.together or (waiting and name == names[-1]):
            group = waiting[: options.together]
            waiting = waiting[options.together :]
            print(f"up to {name}")
            yield compared_on(CORES[options.on], group)


def _networks(options: argparse.Namespace) -> Iterator[Tally]:
    return networks_compared(options.on, options.count, options.seed or 0)


def _chain(options: argparse.Namespace) -> Iterator[Tally]:
    """Half of them networks and half single operators; on a core networks."""
    first, half = options.seed or 0, options.count // 2
    if options.on != "host":
        yield from chain.boards(options.count, first, CORES[options.on])
        return
    yield from chain.networks(options.count - half, first)
    yield from chain.operators(half, first)


def _streams(options: argparse.Namespace) -> Iterator[Tally]:
    cases = streamed(options.count, options.seed or 0)
    if options.on == "host":
        with tempfile.TemporaryDirectory(prefix="arenite-") as folder:
            yield compared(cases, Path(folder))
        return
    for case in cases:
        yield on_board(case, CORES[options.on])


def _shared(options: argparse.Namespace) -> Iterator[Tally]:
    return chain.shared(CORES.get(options.on, "cortex-m4"), slow=options.slow)


WHAT: dict[str, Callable[[argparse.Namespace], Iterator[Tally]]] = {
    **{"layers": _layers, "networks": _networks, "chain": _chain},
    **{"streams": _streams, "shared": _shared},
}

if __name__ == "__main__":
    raise SystemExit(main())
