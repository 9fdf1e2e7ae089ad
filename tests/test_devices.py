"""Where models run: a device that is not there is named, and the processor takes its place."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from conftest import EMBED_HOME
from recollect.models import devices, graph, network
from recollect.models.catalog import EMBED
from recollect.models.onnx import OnnxEmbedder

_SESSION = devices.onnxruntime.InferenceSession


@pytest.mark.parametrize(
    ("name", "provider"),
    [
        ("cuda", "CUDAExecutionProvider"),
        ("coreml", "CoreMLExecutionProvider"),
        ("directml", "DmlExecutionProvider"),
    ],
)
def test_a_device_that_this_runtime_does_not_have_is_named_and_done_without(
    name: str, provider: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        devices.onnxruntime, "get_available_providers", lambda: ["CPUExecutionProvider"]
    )
    wanted = OnnxEmbedder(EMBED, EMBED_HOME, device=name)
    texts = ["an otter sleeps at noon " * 400]
    with pytest.warns(RuntimeWarning, match=f"device is {name}, .* has no {provider}"):
        made = wanted.embed_passages(texts)
    assert np.array_equal(made, OnnxEmbedder(EMBED, EMBED_HOME).embed_passages(texts))


def test_a_device_that_cannot_begin_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    both = ["CUDAExecutionProvider", "CPUExecutionProvider"]
    monkeypatch.setattr(devices.onnxruntime, "get_available_providers", lambda: both)
    assert devices.providers("cuda") == both
    assert devices.providers("cpu") == both[1:]
    assert devices.why_not("cuda", both) == ""
    assert "could not begin" in devices.why_not("cuda", both[1:])


def test_a_question_is_read_on_the_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(name: str) -> list[str]:
        assert name == devices.CPU
        return ["CPUExecutionProvider"]

    monkeypatch.setattr(devices, "providers", refuse)
    OnnxEmbedder(EMBED, EMBED_HOME, device="cuda").embed_query("where does the otter sleep?")


def test_what_an_accelerator_runs_multiplies_in_floats_and_gives_nearly_the_same_vectors() -> None:
    texts = ["an otter sleeps at noon", "the invoice is due on 3 March\n" * 20]
    weights = (EMBED_HOME / EMBED.weights).read_bytes()
    made = graph.in_floats(weights)
    in_bytes = b'"\x14MatMulIntegerToFloat'  # as an operator, not as part of a name
    assert in_bytes in weights
    assert in_bytes not in made
    whole = network.Network(EMBED, EMBED_HOME)
    before = whole.embed(texts)
    options = network._options(EMBED, EMBED_HOME, brief=False)
    whole._session = devices.onnxruntime.InferenceSession(
        made, options, providers=["CPUExecutionProvider"]
    )
    assert (whole.embed(texts) * before).sum(1).min() > 0.995


def test_a_device_that_cannot_begin_leaves_the_processor_its_own_graph(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    both = ["CUDAExecutionProvider", "CPUExecutionProvider"]
    monkeypatch.setattr(devices.onnxruntime, "get_available_providers", lambda: both)
    monkeypatch.setattr(devices.onnxruntime, "InferenceSession", _without_cuda)
    texts = ["an otter sleeps at noon " * 400]
    wanted = OnnxEmbedder(EMBED, EMBED_HOME, device="cuda")
    with pytest.warns(RuntimeWarning, match="could not begin"):
        made = wanted.embed_passages(texts)
    assert not wanted.is_accelerated
    monkeypatch.undo()
    assert np.array_equal(made, OnnxEmbedder(EMBED, EMBED_HOME).embed_passages(texts))


def _without_cuda(graph: bytes | str, options: Any, providers: list[str]) -> Any:
    """A session as the runtime makes it where the driver is missing."""
    return _SESSION(graph, options, providers=providers[-1:])


def test_an_accelerator_gets_large_batches() -> None:
    lengths = [10] * 100
    assert len(list(network.batches(lengths))) > 1
    assert len(list(network.batches(lengths, network.ACCELERATED))) == 1
