"""Clean: what nothing needs goes, and what is there twice is shared."""

from __future__ import annotations

from dataclasses import replace

from arenite.model import Model, Operator, Subgraph, Tensor, TensorType
from arenite.ops import builtin
from arenite.ops.registry import traits_of
from arenite.optimize.outcome import Note, Outcome
from arenite.optimize.rewrite import Edit, edited, why_fixed
from arenite.optimize.settings import Settings

#: A constant's meaning: type, shape, quantisation and content.
Key = tuple[object, ...]


def clean(model: Model, settings: Settings) -> Outcome:
    """Take out operators without effect and unused tensors; share equal constants."""
    fixed = why_fixed(model)
    if fixed:
        return Outcome(model, declined=(Note("$", fixed),))
    model, without_effect = drop_operators(model)
    model, merged = merge_constants(model)
    model, unused = drop_tensors(model)
    model, shared = number_buffers(model)
    return Outcome(model, (*without_effect, *merged, *unused, *shared))


# -- operators -----------------------------------------------------------------------------


def drop_operators(model: Model) -> tuple[Model, tuple[Note, ...]]:
    """Take out operators that compute what nobody reads."""
    edits = [Edit(model, number) for number in range(len(model.subgraphs))]
    notes = []
    for edit in edits:
        for position in reversed(range(len(edit.operators))):
            operator = edit.operator(position)
            if is_pure(edit, operator) and not any(map(edit.readers, operator.outputs)):
                edit.put(position, None)
                notes.append(
                    Note(edit.place(position), f"{operator.name}: nobody reads its output")
                )
    return edited(model, edits), tuple(notes)


def is_pure(edit: Edit, operator: Operator) -> bool:
    """Whether an operator does nothing but compute outputs that are known in its subgraph only.

    So it is with all that makes complex numbers, whether Arenite has the operator or not.
    """
    kinds = {edit.tensors[index].type for index in operator.outputs if index >= 0}
    is_known = builtin(operator.name) is not None or kinds == {TensorType.COMPLEX64}
    if operator.is_custom or traits_of(operator.name).effect or not is_known:
        return False
    inputs = [edit.tensors[i] for i in operator.inputs if i >= 0]
    if any(tensor.is_variable for tensor in inputs) or any(operator.mutating_variable_inputs):
        return False
    return bool(operator.outputs) and all(map(edit.is_inner, operator.outputs))


# -- tensors -------------------------------------------------------------------------------


def merge_constants(model: Model) -> tuple[Model, tuple[Note, ...]]:
    """Read one of several equal constants of a subgraph in the place of all of them."""
    edits = [Edit(model, number) for number in range(len(model.subgraphs))]
    notes = []
    for edit in edits:
        first: dict[Key, int] = {}
        for index, tensor in enumerate(edit.tensors):
            if tensor.data is None or tensor.is_variable or not edit.is_inner(index):
                continue
            there = first.setdefault(key_of(tensor), index)
            if there != index and edit.readers(index):
                edit.redirect(index, there)
                name = edit.tensors[there].name
                notes.append(Note(tensor.name, f"equal to {name!r}, which is read in its place"))
    return edited(model, edits), tuple(notes)


def key_of(tensor: Tensor) -> Key:
    """The key on which two constants must agree to be merged."""
    q = tensor.quantization
    means = None
    if q is not None:
        means = (q.scale.tobytes(), q.zero_point.tobytes(), q.quantized_dimension)
    assert tensor.data is not None
    return tensor.type, tensor.shape, means, tensor.data[: tensor.nbytes].tobytes()


def drop_tensors(model: Model) -> tuple[Model, tuple[Note, ...]]:
    """Take out tensors that no operator, port or signature knows. Variables stay."""
    subgraphs, notes = [], []
    numbers: list[dict[int, int]] = []
    for number, subgraph in enumerate(model.subgraphs):
        used = _used(model, number)
        kept = [i for i, t in enumerate(subgraph.tensors) if i in used or t.is_variable]
        numbers.append({old: new for new, old in enumerate(kept)} | {-1: -1})
        subgraphs.append(_renumbered(subgraph, kept, numbers[-1]))
        gone = len(subgraph.tensors) - len(kept)
        if gone:
            notes.append(Note(f"$.subgraphs[{number}].tensors", f"{gone} unused, taken out"))
    if not notes:
        return model, ()
    signatures = tuple(
        replace(
            signature,
            inputs={k: numbers[signature.subgraph][i] for k, i in signature.inputs.items()},
            outputs={k: numbers[signature.subgraph][i] for k, i in signature.outputs.items()},
        )
        for signature in model.signatures
    )
    return replace(model, subgraphs=tuple(subgraphs), signatures=signatures), tuple(notes)


def _used(model: Model, number: int) -> set[int]:
    edit = Edit(model, number)
    used = set(edit.ports)
    for _, operator in edit:
        used.update(operator.inputs, operator.outputs, operator.intermediates)
    return used


def _renumbered(subgraph: Subgraph, kept: list[int], numbers: dict[int, int]) -> Subgraph:
    def all_of(indices: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(numbers[i] for i in indices)

    return replace(
        subgraph,
        tensors=tuple(subgraph.tensors[i] for i in kept),
        operators=tuple(
            replace(
                operator,
                inputs=all_of(operator.inputs),
                outputs=all_of(operator.outputs),
                intermediates=all_of(operator.intermediates),
            )
            for operator in subgraph.operators
        ),
        inputs=all_of(subgraph.inputs),
        outputs=all_of(subgraph.outputs),
    )


# -- buffers -------------------------------------------------------------------------------


def number_buffers(model: Model) -> tuple[Model, tuple[Note, ...]]:
    """Number buffers anew: one for all equal contents, none for tensors without."""
    numbers: dict[bytes, int] = {}
    before: set[int] = set()
    subgraphs, saved = [], 0
    for subgraph in model.subgraphs:
        tensors = []
        for tensor in subgraph.tensors:
            number = 0
            if tensor.data is not None:
                content = tensor.data.tobytes()
                is_new = content not in numbers
                number = numbers.setdefault(content, len(numbers) + 1)
                own = tensor.buffer == 0 or tensor.buffer not in before
                saved += len(content) if own and not is_new else 0
                before.add(tensor.buffer)
            tensors.append(tensor if tensor.buffer == number else replace(tensor, buffer=number))
        subgraphs.append(replace(subgraph, tensors=tuple(tensors)))
    pairs = zip(model.subgraphs, subgraphs, strict=True)
    if all(a is b for old, new in pairs for a, b in zip(old.tensors, new.tensors, strict=True)):
        return model, ()
    notes = (
        (Note("$.buffers", f"{saved:,} bytes were there twice, and are shared"),) if saved else ()
    )
    return replace(model, subgraphs=tuple(subgraphs)), notes
