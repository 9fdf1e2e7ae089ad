"""Makes the reranker of the tests, a kilobyte: 8 · (share of the question's words that the passage
has) − 4. It takes a BERT tokenizer's pairs, as cross-encoders do.

    python -m training.overlap
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from onnx import TensorProto, helper, numpy_helper

WORDS = 1996
"""The vocabulary's first whole word; before it are marks, digits and single letters."""
TARGET = Path(__file__).resolve().parents[1] / "tests" / "fixtures" / "models" / "overlap.onnx"
PAIR = ("input_ids", "attention_mask", "token_type_ids")


def main() -> None:
    held = {
        "words": np.array(WORDS, np.int64),
        "one": np.array(1, np.int64),
        "last": np.array([2], np.int64),
        "middle": np.array([1], np.int64),
        "least": np.array(1.0, np.float32),
        "slope": np.array(8.0, np.float32),
        "offset": np.array(-4.0, np.float32),
    }
    nodes = [
        ("GreaterOrEqual", "input_ids words", "word", {}),
        ("Equal", "token_type_ids one", "second", {}),
        ("Not", "second", "first", {}),
        ("And", "word first", "asked", {}),
        ("And", "word second", "read", {}),
        ("Unsqueeze", "input_ids last", "down", {}),
        ("Unsqueeze", "input_ids middle", "across", {}),
        ("Equal", "down across", "same", {}),
        ("Unsqueeze", "read middle", "there", {}),
        ("And", "same there", "both", {}),
        ("Cast", "both", "matches", {"to": TensorProto.FLOAT}),
        ("ReduceMax", "matches last", "has", {"keepdims": 0}),
        ("Cast", "asked", "counts", {"to": TensorProto.FLOAT}),
        ("Mul", "has counts", "found", {}),
        ("ReduceSum", "found middle", "hits", {"keepdims": 0}),
        ("ReduceSum", "counts middle", "total", {"keepdims": 0}),
        ("Max", "total least", "some", {}),
        ("Div", "hits some", "share", {}),
        ("Mul", "share slope", "scaled", {}),
        ("Add", "scaled offset", "logit", {}),
    ]
    graph = helper.make_graph(
        [helper.make_node(kind, given.split(), [out], **more) for kind, given, out, more in nodes],
        "overlap",
        [helper.make_tensor_value_info(n, TensorProto.INT64, ["batch", "tokens"]) for n in PAIR],
        [helper.make_tensor_value_info("logit", TensorProto.FLOAT, ["batch"])],
        [numpy_helper.from_array(array, name) for name, array in held.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8)
    TARGET.write_bytes(model.SerializeToString())


if __name__ == "__main__":
    main()
