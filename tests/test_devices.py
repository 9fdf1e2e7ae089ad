"""Where models run: a device that is not there is named, and the processor takes its place."""

from __future__ import annotations

import numpy as np
import pytest

from conftest import EMBED_HOME
from recollect.models import devices
from recollect.models.catalog import EMBED
from recollect.models.onnx import OnnxEmbedder


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
