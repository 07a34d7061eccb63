"""Arenite on an emulated Arm processor: ``tools/arm.py [--cpu CPU] [-- ARGUMENT ...]``.

Makes a virtual environment for aarch64 in ``build/arm``, in which QEMU's user mode runs Debian's
Python: with the wheel of this tree, built and checked now, and the packages that
``requirements/test.txt`` names. Then runs that Python with the arguments, if there are any:
``-m tests.digests --check``. TFLM's package, which does not exist for aarch64, judges there too:
tests ask the Python that runs this, which is not emulated.

Needs Debian or Ubuntu on any processor, with apt; nothing is installed outside of ``build``. What
cannot be had is said, and the exit code is 1; or, with ``--optional``, 0 once the wheel is
good.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from debian import MissingError, own_architecture, program, unpack
from packaging.requirements import Requirement
from wheels import build

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "build" / "arm"
TAG = "manylinux_2_17_aarch64"
#: What wheels for aarch64 may ask for: pip takes these in turn.
PLATFORMS = [f"manylinux_2_{minor}_aarch64" for minor in (34, 28, 27, 17)]
GUEST, HOST = ("python3", "libstdc++6"), ("qemu-user",)
#: Large, and for tests of other things than kernels.
LEFT_OUT = {"ziglang", "unicorn", "onnx", "protobuf", "ml-dtypes", "pytest-randomly"}


@dataclass(frozen=True)
class Processor:
    """What ``/proc/cpuinfo`` says of a processor that QEMU emulates.

    Linux does not exist in QEMU's user mode: without that file LiteRT would read the real
    machine's, and crash. Facts: Arm's reference manuals (MIDR_EL1), Linux'
    ``Documentation/arch/arm64/elf_hwcaps.rst``. QEMU's ``max`` is none that was made: its
    part is that of a Neoverse N2, the first of Arm's with SVE2 and I8MM.
    """

    part: int
    features: str


_V8 = "fp asimd evtstrm aes pmull sha1 sha2 crc32 cpuid"
_N1 = f"{_V8} atomics fphp asimdhp asimdrdm lrcpc dcpop asimddp"
CPUS = {
    "cortex-a53": Processor(0xD03, _V8),
    "neoverse-n1": Processor(0xD0C, _N1),
    "max": Processor(0xD49, f"{_N1} sve sve2 i8mm bf16"),
}


@dataclass(frozen=True)
class Machine:
    """An emulated machine.

    Attributes:
        qemu: The command that runs a program of aarch64.
        root: Debian's files for aarch64.
        python: Its virtual environment's Python, a script that starts QEMU.
    """

    qemu: list[str]
    root: Path
    python: Path


def cpuinfo(processor: Processor) -> str:
    """What Linux writes for two of them."""
    lines = [f"Features\t: {processor.features}", "CPU implementer\t: 0x41", "CPU architecture: 8"]
    lines += ["CPU variant\t: 0x1", f"CPU part\t: {processor.part:#x}", "CPU revision\t: 0", ""]
    return "".join("\n".join([f"processor\t: {number}", *lines]) + "\n" for number in range(2))


def requirements(text: str, python: str) -> Iterator[str]:
    """Of a file of locked requirements, those of an aarch64 Python, with their hashes.

    pip itself, whatever it installs for, asks the marks of the Python that runs it.

    Args:
        text: The file: continued lines, marks behind ``;``, hashes.
        python: The version, ``"3.11.2"``.
    """
    there = {
        "python_full_version": python,
        "python_version": ".".join(python.split(".")[:2]),
        "implementation_name": "cpython",
        "platform_machine": "aarch64",
        "platform_system": "Linux",
        "sys_platform": "linux",
        "os_name": "posix",
    }
    for line in text.replace("\\\n", " ").splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        asked, *hashes = line.split("--hash=")
        one = Requirement(asked.strip())
        if one.name in LEFT_OUT or (one.marker and not one.marker.evaluate(there)):
            continue
        yield " ".join([f"{one.name}{one.specifier}", *(f"--hash={h.strip()}" for h in hashes)])


def emulator() -> list[str]:
    """The command that starts QEMU: Debian's, with its own C library.

    Raises:
        MissingError: It cannot be had.
    """
    root = unpack(FOLDER / "qemu", own_architecture(), HOST)
    return program(root, "usr/bin/qemu-aarch64")


def machine() -> Machine:
    """Debian's Python for aarch64 and its environment, without packages the first time.

    Raises:
        MissingError: They cannot be had.
    """
    qemu, root = emulator(), unpack(FOLDER / "debian", "arm64", GUEST)
    for name, processor in CPUS.items():
        prefix = FOLDER / "cpu" / name
        (prefix / "proc").mkdir(parents=True, exist_ok=True)
        (prefix / "proc/cpuinfo").write_text(cpuinfo(processor), "utf-8")
        for path in root.iterdir():
            link = prefix / path.name
            if not link.is_symlink():
                link.symlink_to(path)
    python = FOLDER / "bin" / "python"
    emulated = next(path for path in sorted(root.glob("usr/bin/python3.*")) if path.is_file())
    python.parent.mkdir(parents=True, exist_ok=True)
    (FOLDER / "pyvenv.cfg").write_text("home = /usr/bin\ninclude-system-site-packages = false\n")
    prefix_of_cpu = f"{FOLDER / 'cpu'}/${{QEMU_CPU:=max}}"
    words = [*qemu, "-L", prefix_of_cpu, "-U", "LD_LIBRARY_PATH", "-0", str(python), str(emulated)]
    quoted = " ".join(f'"{word}"' for word in words)
    python.write_text(f'#!/bin/sh\nexport QEMU_CPU\nexec {quoted} "$@"\n', "utf-8")
    python.chmod(0o755)
    return Machine(qemu, root, python)


def version_of(python: Path) -> str:
    """Of the emulated Python.

    Raises:
        MissingError: QEMU does not run it.
    """
    command = [str(python), "-c", "import platform; print(platform.python_version())"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise MissingError(f"QEMU does not run Python here (exit {done.returncode}): {done.stderr}")
    return done.stdout.strip()


def packages(there: Machine) -> Path:
    """The environment's folder of packages, with those that tests need.

    Raises:
        MissingError: They cannot be had.
    """
    version = version_of(there.python)
    minor = ".".join(version.split(".")[:2])
    site = FOLDER / "lib" / f"python{minor}" / "site-packages"
    locked = (ROOT / "requirements" / "test.txt").read_text("utf-8")
    wanted, noted = "\n".join(requirements(locked, version)) + "\n", FOLDER / "requirements.txt"
    if site.is_dir() and noted.is_file() and noted.read_text("utf-8") == wanted:
        return site
    noted.unlink(missing_ok=True)
    shutil.rmtree(site, ignore_errors=True)
    asked_for = FOLDER / "wanted.txt"
    asked_for.write_text(wanted, "utf-8")
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    command += ["--no-deps", "--only-binary=:all:", "--implementation=cp", "--target", str(site)]
    command += [f"--python-version={minor}", "--require-hashes", "--requirement", str(asked_for)]
    command += [f"--platform={name}" for name in PLATFORMS]
    done = subprocess.run(command, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        raise MissingError(f"pip finds no packages for aarch64 and Python {minor}:\n{done.stderr}")
    asked_for.rename(noted)
    return site


def wheel(*, quiet: bool = False) -> Path:
    """The wheel for aarch64, built from what the sources are now, and checked.

    Raises:
        SystemExit: It cannot be built, or something is to be said against it.
    """
    folder = FOLDER / "wheel"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    made = build(TAG, folder)
    check = [sys.executable, str(ROOT / "tools" / "check_wheels.py"), str(made)]
    said = subprocess.run(check, stdout=subprocess.PIPE, text=True, check=False)
    if said.returncode or not quiet:
        print(said.stdout, end="", flush=True)
    if said.returncode:
        sys.exit(1)
    return made


def install(made: Path, site: Path) -> None:
    """Arenite's files, in the place of those that were there, if they are others."""
    with zipfile.ZipFile(made) as archive:
        record = next(name for name in archive.namelist() if name.endswith(".dist-info/RECORD"))
        if (site / record).is_file() and (site / record).read_bytes() == archive.read(record):
            return
        for old in site.glob("arenite*"):
            shutil.rmtree(old)
        archive.extractall(site)


def environment(cpu: str) -> dict[str, str]:
    """Of the emulated Python: its processor, a C compiler for it, who has TFLM's package."""
    found = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    compiler = importlib.util.find_spec("ziglang")
    if compiler and compiler.origin:
        zig = Path(compiler.origin).with_name("zig")
        found["CC"] = f"{zig} cc -target aarch64-linux-gnu"
    if importlib.util.find_spec("tflite_micro"):
        found["ARENITE_ORACLE"] = sys.executable
    return {**found, "QEMU_CPU": cpu, "OPENBLAS_NUM_THREADS": "1"}


def ready(made: Path) -> Machine:
    """The machine, with the wheel and the packages that tests need.

    Raises:
        MissingError: Something cannot be had.
    """
    there = machine()
    install(made, packages(there))
    return there


def main(arguments: Sequence[str] | None = None) -> int:
    """Make the machine, and run what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cpu", choices=CPUS, default="neoverse-n1")
    parser.add_argument("--optional", action="store_true", help="0 if it cannot be had here")
    parser.add_argument("argument", nargs="*", help="of the emulated Python")
    asked = parser.parse_args(arguments)
    made = wheel()
    try:
        there = ready(made)
    except MissingError as error:
        print(f"aarch64: built, and not run, since {error}", file=sys.stderr)
        return 0 if asked.optional else 1
    command = [str(there.python), *(asked.argument or ["-m", "arenite", "--version"])]
    return subprocess.run(command, cwd=ROOT, env=environment(asked.cpu), check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
