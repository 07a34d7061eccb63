"""A model's table and its plan hold nothing that a terminal acts on."""

import arenite as ar


def test_names_are_escaped_where_a_model_and_its_plan_print_themselves() -> None:
    b = ar.ModelBuilder()
    x = b.input("\x1b[31mx\n", (4,), "float32")
    y = b.tensor("y\x1b]0;title\x07", (4,), "float32")
    b.operator("RELU", [x], [y])
    b.output(y)
    model = b.build(description="\x9b2J")
    for text in (repr(model), str(ar.Interpreter(model).plan)):
        assert all(line.isprintable() for line in text.split("\n"))
        assert r"\x1b[31mx\n" in text
