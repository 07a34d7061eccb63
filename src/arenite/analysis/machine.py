"""The machine that times were measured on, as far as they depend on it."""

from __future__ import annotations

import os
import platform
from pathlib import Path
from typing import Any

import numpy as np

#: Extensions of the instruction set that kernels are written for.
FLAGS = ("avx2", "fma", "avx512f", "avx512bw", "avx512_vnni", "avx_vnni", "asimd", "asimddp")


def machine() -> dict[str, Any]:
    """Processor, its vector instructions, system, versions. No names but the processor's."""
    facts = _cpuinfo()
    # On Linux and macOS platform.processor() would start a program.
    named = os.environ.get("PROCESSOR_IDENTIFIER") or platform.machine()
    have = set(facts.get("flags", facts.get("Features", "")).split())
    return {
        "cpu": facts.get("model name", named),
        "flags": [flag for flag in FLAGS if flag in have],
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "numpy": np.__version__,
    }


def _cpuinfo() -> dict[str, str]:
    path = Path("/proc/cpuinfo")
    if not path.exists():
        return {}
    pairs = (line.split(":", 1) for line in path.read_text().splitlines() if ":" in line)
    return {key.strip(): value.strip() for key, value in pairs}
