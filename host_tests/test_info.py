# What a firmware says of operators: those that it lacks, and what it answers when it tests itself.

import tflite

import selftest_models
import targets
from builder import Model, Op, activation

SCRIPT = """
import microlite

try:
    microlite.Model("model.tflite")
except microlite.OpError as e:
    print(e)
    print(e.missing_ops)
    print(e.problems)
print(microlite.check("model.tflite"))
"""
FLEX = "Flex operators are TensorFlow's: convert without SELECT_TF_OPS"


def missing(*ops: str) -> list[str]:
    """What the firmware says of a model with these operators, custom ones where it is no name of
    the schema."""
    tensors = [activation([1], "float32") for _ in range(len(ops) + 1)]
    model = Model(tensors, inputs=[0], outputs=[len(ops)])
    for i, op in enumerate(ops):
        code = getattr(tflite.BuiltinOperator, op, tflite.BuiltinOperator.CUSTOM)
        custom = op if code == tflite.BuiltinOperator.CUSTOM else None
        model.ops.append(Op(code, [i], [i + 1], custom=custom))
    return targets.run("unix", SCRIPT, {"model.tflite": model.to_bytes()}).splitlines()


def test_missing_ops() -> None:
    ops = "LSTM", "MyOp", "ABS", "BUCKETIZE", "MyOp", "OtherOp"
    error, names, problems, *report = missing(*ops)
    text = "operators missing in this firmware: LSTM, MyOp, BUCKETIZE, OtherOp"
    assert error == f"model.tflite: {text}"
    assert names == "('LSTM', 'MyOp', 'BUCKETIZE', 'OtherOp')"
    assert problems == f"('{text}',)"
    assert f"  {text}" in report
    assert not any("Flex" in line for line in report)


def test_flex_ops() -> None:
    error, names, _, *report = missing("FlexErf", "LSTM", "FlexAddV2")
    text = "operators missing in this firmware: FlexErf, LSTM, FlexAddV2"
    assert error == f"model.tflite: {text}; {FLEX}"
    assert names == "('FlexErf', 'LSTM', 'FlexAddV2')"
    assert f"  {text}" in report and f"  {FLEX}" in report


def test_answers_are_those_of_the_oracle() -> None:
    assert selftest_models.TARGET.read_text() == selftest_models.source()
