"""Looks for vector accumulators that live on the stack in the hot loops of the engine.

``python csrc/check_spills.py FILE ...`` disassembles shared objects or object files with objdump
and lists every innermost loop of a hot function that multiplies vectors and, while it does,
moves vectors to or from the stack. Such code gives right results at half the speed; compilers
differ in whether they produce it. Exit code 1 if there are any.
"""

from __future__ import annotations

import itertools
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from typing import NamedTuple

#: The functions of csrc/kernels whose time is an inference's time.
HOT = re.compile(r"(tile|taps|slide|row|groups|any)_\d+\w*$")
PRODUCT = re.compile(r"v(pdpbusd|pmaddwd|fmadd)")
_FUNCTION = re.compile(r"^[0-9a-f]+ <(.+)>:$")
_INSTRUCTION = re.compile(r"^\s*([0-9a-f]+):\s+(?:\{\w+\}\s+)?(\S+)\s*(.*)$")
_TARGET = re.compile(r"^(?:0x)?([0-9a-f]+)\b")
_VECTOR = re.compile(r"%[xyz]mm\d")


class Instruction(NamedTuple):
    """One line of a disassembly."""

    address: int
    mnemonic: str
    operands: str


class Loop(NamedTuple):
    """An innermost loop with products."""

    function: str
    body: list[Instruction]
    spills: list[Instruction]


def objdump() -> str | None:
    """The disassembler of this machine, if there is one."""
    return shutil.which("objdump") or shutil.which("llvm-objdump")


def functions(disassembly: str) -> Iterator[tuple[str, list[Instruction]]]:
    """The functions of ``objdump -d --no-show-raw-insn``, with their instructions."""
    name, body = "", list[Instruction]()
    for line in disassembly.splitlines():
        if start := _FUNCTION.match(line):
            if body:
                yield name, body
            name, body = start[1], []
        elif instruction := _INSTRUCTION.match(line):
            body.append(Instruction(int(instruction[1], 16), instruction[2], instruction[3]))
    if body:
        yield name, body


def _blocks(body: list[Instruction]) -> list[tuple[list[Instruction], list[int]]]:
    """Basic blocks in the order of the code, each with the numbers of its successors."""
    targets = [_jump(i) for i in body]
    starts = {body[0].address} | {t for t in targets if t is not None}
    starts |= {n.address for i, n in itertools.pairwise(body) if _ends_block(i)}
    blocks = list[list[Instruction]]()
    for instruction in body:
        if instruction.address in starts:
            blocks.append([])
        blocks[-1].append(instruction)
    number = {block[0].address: i for i, block in enumerate(blocks)}
    graph = []
    for i, block in enumerate(blocks):
        last, target = block[-1], _jump(block[-1])
        after = [number[target]] if target in number else []
        if not last.mnemonic.startswith(("jmp", "ret", "ud2")) and i + 1 < len(blocks):
            after.append(i + 1)
        graph.append((block, after))
    reached, todo = {0}, [0]
    while todo:
        fresh = set(graph[todo.pop()][1]) - reached
        reached |= fresh
        todo += fresh
    # Padding after a jump leads into the next block, but nothing leads into padding.
    return [(block, after if i in reached else []) for i, (block, after) in enumerate(graph)]


def _ends_block(instruction: Instruction) -> bool:
    return instruction.mnemonic.startswith(("j", "ret", "ud2"))


def _jump(instruction: Instruction) -> int | None:
    target = _TARGET.match(instruction.operands) if instruction.mnemonic[0] == "j" else None
    return int(target[1], 16) if target else None


def _dominators(after: list[list[int]]) -> list[int]:
    """For each block a bit set of the blocks that every way to it passes; block 0 is first."""
    everything = (1 << len(after)) - 1
    dominators = [1] + [everything] * (len(after) - 1)
    changed = True
    while changed:
        changed = False
        incoming = [everything] * len(after)
        for block, successors in enumerate(after):
            for successor in successors:
                incoming[successor] &= dominators[block]
        for block in range(1, len(after)):
            new = incoming[block] | 1 << block
            changed |= new != dominators[block]
            dominators[block] = new
    return dominators


def _natural_loops(after: list[list[int]]) -> list[set[int]]:
    """The innermost loops: blocks that lead back to one that dominates them."""
    dominators = _dominators(after)
    before = [
        [b for b, successors in enumerate(after) if i in successors] for i in range(len(after))
    ]
    found = dict[int, set[int]]()
    for tail, successors in enumerate(after):
        for head in (s for s in successors if dominators[tail] >> s & 1):
            inside, todo = found.setdefault(head, {head}), [tail]
            while todo:
                block = todo.pop()
                if block not in inside:
                    inside.add(block)
                    todo += before[block]
    return [loop for loop in found.values() if not any(other < loop for other in found.values())]


def loops(name: str, body: list[Instruction]) -> Iterator[Loop]:
    """The innermost loops of a function that multiply vectors."""
    stack = ["%rsp"]
    if any(i.mnemonic == "mov" and i.operands == "%rsp,%rbp" for i in body[:20]):
        stack.append("%rbp")
    blocks = _blocks(body)
    for numbers in _natural_loops([after for _, after in blocks]):
        inside = [i for number in sorted(numbers) for i in blocks[number][0]]
        if any(PRODUCT.match(i.mnemonic) for i in inside):
            spills = [i for i in inside if _VECTOR.search(i.operands) and _uses(i.operands, stack)]
            yield Loop(name, inside, spills)


def _uses(operands: str, stack: list[str]) -> bool:
    return any(f"({register}" in operands for register in stack)


def hot_loops(path: str) -> list[Loop]:
    """The innermost loops with products in the hot functions of a file that has symbols.

    Raises:
        FileNotFoundError: There is no objdump.
    """
    tool = objdump()
    if tool is None:
        raise FileNotFoundError("objdump or llvm-objdump is needed to disassemble")
    command = [tool, "-d", "--no-show-raw-insn", path]
    disassembly = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return [
        loop
        for name, body in functions(disassembly)
        if HOT.match(name)
        for loop in loops(name, body)
    ]


def main(paths: list[str]) -> int:
    """Check files; print what was found."""
    found = [loop for path in paths for loop in hot_loops(path)]
    bad = [loop for loop in found if loop.spills]
    for loop in bad:
        print(f"{loop.function}: {len(loop.spills)} of {len(loop.body)} instructions, such as")
        spill = loop.spills[0]
        print(f"  {spill.address:x}: {spill.mnemonic} {spill.operands}")
    print(f"{len(found)} hot loops, {len(bad)} with vectors on the stack")
    return 1 if bad or not found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
