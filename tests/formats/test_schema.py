"""``docs/schema.md``: what LiteRT, TFLM and Arenite make of every field, asked one by one."""

import re
import warnings
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import arenite as ar
from arenite.errors import AreniteError
from arenite.formats.tflite import write
from arenite.peers import ask, is_installed
from tests.cli.models import classifier
from tests.formats.edited import behind, edited, schema

pytestmark = pytest.mark.skipif(
    not (is_installed("litert") and is_installed("tflm")), reason="LiteRT or TFLM is not installed"
)
PAGE = (Path(__file__).parents[2] / "docs" / "schema.md").read_text(encoding="utf-8")
#: Rows of the page: field, what a file may have there, LiteRT, TFLM, Arenite.
ROWS = {
    (cells[0].strip("` "), cells[1].strip()): [one.strip() for one in cells[2:5]]
    for line in PAGE.splitlines()
    if line.startswith("| `") and len(cells := line.strip("| ").split(" | ")) == 5
}
#: Tables of the schema whose fields have a row each; the parts of a refused one have none.
TABLES = {
    "Model": "ModelT",
    "OperatorCode": "OperatorCodeT",
    "SubGraph": "SubGraphT",
    "Tensor": "TensorT",
    "QuantizationParameters": "QuantizationParametersT",
    "Operator": "OperatorT",
    "Buffer": "BufferT",
    "Metadata": "MetadataT",
    "TensorMap": "TensorMapT",
    "SignatureDef": "SignatureDefT",
}


def weights(model):
    """The filter of the first convolution, with three scales."""
    return model.subgraphs[0].tensors[1]


def scaling(model):
    return weights(model).quantization


def image(model):
    return model.subgraphs[0].tensors[0]


def first(model):
    """The first convolution."""
    return model.subgraphs[0].operators[0]


def put(place, **fields):
    """An edit that sets fields of what ``place`` finds."""

    def edit(model):
        for name, value in fields.items():
            assert hasattr(place(model), name), name
            setattr(place(model), name, value)

    return edit


def made(place, name, kind, **fields):
    """An edit that puts a new table, of a class of the schema's, into a field; or a list of one."""

    def edit(model):
        table = getattr(schema(), kind)()
        for key, value in fields.items():
            setattr(table, key, value)
        is_list = name in ("signatureDefs", "variantTensors")
        setattr(place(model), name, [table] if is_list else table)

    return edit


def metadata(name, data):
    def edit(model):
        buffer, entry = schema().BufferT(), schema().MetadataT()
        buffer.data = np.frombuffer(data, np.uint8)
        model.buffers.append(buffer)
        entry.name, entry.buffer = name, len(model.buffers) - 1
        model.metadata = [entry]

    return edit


def constants_without_buffer(model):
    """Buffer 0, which stands for none, has data."""
    model.buffers[0].data = np.zeros(4096, np.uint8)


def no_data(model):
    model.buffers.append(schema().BufferT())
    model.buffers[-1].data = np.zeros(0, np.uint8)
    image(model).buffer = len(model.buffers) - 1


def quantized(kind, **fields):
    def edit(model):
        made(scaling, "details", kind, **fields)(model)
        number = {"CustomQuantizationT": 1, "BlockwiseQuantizationT": 2}[kind]
        scaling(model).detailsType = number

    return edit


def second_options(model):
    first(model).builtinOptions2Type = schema().BuiltinOptions2.StablehloConcatenateOptions
    first(model).builtinOptions2 = schema().StablehloConcatenateOptionsT()


def whole(model):
    return model


def code(model):
    return model.operatorCodes[0]


PLAN = np.array([1, 0, 2, -1, -1], "<i4").tobytes()
SIGNATURE = {"inputs": [], "outputs": [], "subgraphIndex": 0}
EDITS = {
    ("Model.version", "4"): put(whole, version=4),
    ("Model.description", "a text"): put(whole, description="Y"),
    ("Model.metadata_buffer", "an index"): put(whole, metadataBuffer=[1]),
    ("Model.metadata", "a name that nobody knows"): metadata("x", b"123"),
    ("Model.metadata", "`OfflineMemoryAllocation` for other tensors"): metadata(
        "OfflineMemoryAllocation", PLAN
    ),
    ("Model.metadata", "`COMPRESSION_METADATA`"): metadata("COMPRESSION_METADATA", b"12345678"),
    ("Model.metadata", "`min_runtime_version` 99"): metadata("min_runtime_version", b"99.0.0"),
    ("Model.signature_defs", "one without inputs"): made(
        whole, "signatureDefs", "SignatureDefT", signatureKey="s", **SIGNATURE
    ),
    ("SignatureDef.signature_key", "nothing"): made(
        whole, "signatureDefs", "SignatureDefT", signatureKey=None, **SIGNATURE
    ),
    ("OperatorCode.deprecated_builtin_code", "less than `builtin_code`"): put(
        code, deprecatedBuiltinCode=0
    ),
    ("OperatorCode.custom_code", "a name, of a builtin"): put(code, customCode="X"),
    ("OperatorCode.version", "99"): put(code, version=99),
    ("SubGraph.name", "another"): put(lambda model: model.subgraphs[0], name="q"),
    ("Tensor.buffer", "0, which has data"): constants_without_buffer,
    ("Tensor.name", "another"): put(weights, name="zz"),
    ("Tensor.is_variable", "true, of a constant"): put(weights, isVariable=True),
    ("Tensor.sparsity", "a table"): made(
        weights, "sparsity", "SparsityParametersT", traversalOrder=[0, 1, 2, 3], dimMetadata=[]
    ),
    ("Tensor.shape_signature", "-1 for every dimension"): put(image, shapeSignature=[-1] * 4),
    ("Tensor.has_rank", "true"): put(weights, hasRank=True),
    ("Tensor.variant_tensors", "a table"): made(
        weights, "variantTensors", "VariantSubTypeT", shape=[1]
    ),
    ("Tensor.external_buffer", "1, beside a buffer"): put(weights, externalBuffer=1),
    ("QuantizationParameters.min", "0"): put(scaling, min=[0.0]),
    ("QuantizationParameters.max", "1"): put(scaling, max=[1.0]),
    ("QuantizationParameters.scale", "nothing"): put(scaling, scale=None),
    ("QuantizationParameters.scale", "2 for 3 channels"): put(
        scaling, scale=[0.01, 0.01], zeroPoint=[0, 0]
    ),
    ("QuantizationParameters.zero_point", "nothing"): put(scaling, zeroPoint=None),
    ("QuantizationParameters.zero_point", "1 for 3 scales"): put(scaling, zeroPoint=[0]),
    ("QuantizationParameters.details", "`CustomQuantization`"): quantized(
        "CustomQuantizationT", custom=[1]
    ),
    ("QuantizationParameters.details", "`BlockwiseQuantization`"): quantized(
        "BlockwiseQuantizationT", scales=1, blockSize=3
    ),
    ("QuantizationParameters.quantized_dimension", "5"): put(scaling, quantizedDimension=5),
    ("QuantizationParameters.quantized_dimension", "1 instead of 0"): put(
        scaling, quantizedDimension=1
    ),
    ("Operator.custom_options", "bytes, of a builtin"): put(first, customOptions=[1, 2]),
    ("Operator.custom_options_format", "1"): put(first, customOptionsFormat=1),
    ("Operator.mutating_variable_inputs", "true"): put(first, mutatingVariableInputs=[True] * 3),
    ("Operator.intermediates", "a tensor with a size"): put(first, intermediates=[0]),
    ("Operator.large_custom_options_offset", "a place, of a builtin"): put(
        first, largeCustomOptionsOffset=16, largeCustomOptionsSize=4
    ),
    ("Operator.builtin_options_2", "a table"): second_options,
    ("Buffer.data", "an empty vector, of an input"): no_data,
}
BEHIND = ("Buffer.offset", "a place behind the FlatBuffer")
X = np.random.default_rng(0).integers(-128, 128, classifier().inputs[0].shape).astype(np.int8)


def outcome(answer, expected):
    """A word for an answer: ``same``, ``other`` or ``refused``."""
    if answer is None:
        return "refused"
    return "same" if np.array_equal(answer.reshape(-1), expected.reshape(-1)) else "other"


def ours(file):
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            return ar.Interpreter(file)(X)
    except AreniteError:
        return None


def files():
    data = write(classifier())
    found = {row: edited(data, edit) for row, edit in EDITS.items()}
    return {**found, BEHIND: behind(data)}


@cache
def outcomes():
    """Outcomes of all rows: LiteRT, TFLM, Arenite; and Arenite's and TFLM's numbers."""
    made_files = files()
    base = ours(write(classifier()))
    sides = []
    for peer in ("litert-reference", "tflm"):
        answers = ask(peer, list(made_files.values()), [[X]], 1)
        sides.append([one.outputs[0][0] if not one.reason else None for one in answers])
    found = {}
    for (row, file), theirs, tflm in zip(made_files.items(), *sides, strict=True):
        mine = ours(file)
        found[row] = [outcome(one, base) for one in (theirs, tflm, mine)], mine, tflm
    return found


def test_every_field_of_the_schema_has_a_row():
    fields = {
        f"{table}.{re.sub('(?<!^)(?=[A-Z0-9])', '_', name).lower()}"
        for table, kind in TABLES.items()
        for name in vars(getattr(schema(), kind)())
        if not name.endswith("Type")  # a union's, which goes with it
    }
    named = set(re.findall(r"`(\w+\.\w+)`", PAGE))
    assert sorted(fields - named) == []


def test_the_page_has_the_rows_that_are_asked_for():
    assert sorted(ROWS) == sorted(files())


@pytest.mark.parametrize("row", [*EDITS, BEHIND], ids=str)
def test_a_row_says_what_becomes_of_the_field(row):
    (litert, tflm, arenite), mine, theirs = outcomes()[row]
    assert ROWS[row] == [litert, tflm, arenite]
    # Where it does not refuse, Arenite has TFLM's numbers, or TFLM has none.
    if mine is not None and theirs is not None:
        assert np.array_equal(mine.reshape(-1), theirs.reshape(-1))
    assert (mine is None) or (theirs is not None)
