"""The models that recollect knows by name. Files are pinned by SHA-256, wherever they come from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Model(NamedTuple):
    """An embedding model: what its files must be, and how it is to be run."""

    name: str
    licence: str
    dimensions: int
    max_tokens: int
    query_prefix: str
    files: Mapping[str, str]
    """File name to SHA-256."""
    package: str
    """A registry package that carries the files, as pip would be asked for it."""
    members: Mapping[str, str]
    """File name to its path inside that package."""
    pooling: str = "cls"

    @property
    def key(self) -> str:
        """The name with the weights' hash: vectors of other weights are never mixed with it."""
        return f"{self.name}@{self.files['model.onnx'][:12]}"


ARCTIC_S = Model(
    name="arctic-embed-s",
    licence="Apache-2.0",
    dimensions=384,
    max_tokens=512,
    query_prefix="Represent this sentence for searching relevant passages: ",
    files={
        "model.onnx": "f93ff225320628d2e88baf2a395cae791b0e3b27edf5c70bf7b312a4d3260c14",
        "tokenizer.json": "87eb7217e03ca66a173ac8430e41d2b2edc5fd38ef2a0e01f86213e02c897a1b",
    },
    package="bot-brain==0.8.0",
    members={
        "model.onnx": "project_brain/model/int8/onnx/model.onnx",
        "tokenizer.json": "project_brain/model/int8/tokenizer.json",
    },
)

CATALOG: Mapping[str, Model] = {ARCTIC_S.name: ARCTIC_S}
