"""A text that the encoder has read for another purpose is not read again to be embedded."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from conftest import EMBED_HOME
from recollect.models import network
from recollect.models.catalog import EMBED
from recollect.models.onnx import OnnxEmbedder

FACT = "We can leave the present provider on 30 June at the earliest."
LONG = "The clocks are in the attic of Mr. Haddad. " * 20


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts that were embedded, as they are."""
    texts: list[str] = []
    embed = network.Network.embed

    def counted(self: network.Network, some: list[str]) -> Any:
        texts.extend(some)
        return embed(self, some)

    monkeypatch.setattr(network.Network, "embed", counted)
    return texts


def test_a_text_that_was_compared_has_the_vector_of_its_own(read: list[str]) -> None:
    (meant,) = OnnxEmbedder(EMBED, EMBED_HOME).embed_passages([FACT])
    assert read == [FACT]
    compared = OnnxEmbedder(EMBED, EMBED_HOME)
    compared.token_states(FACT, 96)
    (found,) = compared.embed_passages([FACT])
    assert read == [FACT]
    assert np.allclose(found, meant, atol=1e-5)


def test_a_text_that_was_compared_by_its_beginning_is_read_whole(read: list[str]) -> None:
    compared = OnnxEmbedder(EMBED, EMBED_HOME)
    assert compared.token_states(LONG, 96).cut
    compared.embed_passages([LONG])
    assert read == [LONG]
