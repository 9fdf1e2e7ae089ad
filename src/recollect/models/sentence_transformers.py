"""The manifest of a folder as sentence-transformers writes it, where nobody has written ours.

Such a folder has it all: ``config.json`` the dimensions and the longest text,
``1_Pooling/config.json`` how vectors are made of tokens, ``config_sentence_transformers.json`` what
stands before questions and passages. What it does not say is not guessed: a wrong pooling gives
vectors that look like any others.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from recollect.errors import ModelError
from recollect.nouns import of_type

WEIGHTS = ("model.onnx", "onnx/model.onnx", "onnx/model_quantized.onnx", "onnx/model_int8.onnx")
"""Where the weights may be; the first that is there counts."""
_QUERY, _PASSAGE = ("query", "search_query"), ("document", "passage", "search_document")
_POOLINGS: dict[tuple[str, ...], str] = {
    ("pooling_mode_cls_token",): "cls",
    ("pooling_mode_mean_tokens",): "mean",
}
"""The switches of a pooling that are on, and what it is."""
_LONGEST = 8192


def weights_in(folder: Path) -> str:
    return next((name for name in WEIGHTS if (folder / name).is_file()), WEIGHTS[0])


def manifest(folder: Path) -> dict[str, Any] | None:
    """Returns the manifest that the folder's own files amount to; None where there are none."""
    if not (folder / "config.json").is_file():
        return None
    config = _read(folder / "config.json")
    pooling = _read(folder / "1_Pooling" / "config.json")
    if "SequenceClassification" in str(config.get("architectures")):
        return {**_common(folder, config), "job": "rerank", "dimensions": 1}
    if not (folder / "1_Pooling" / "config.json").is_file():
        raise ModelError(
            f"{folder} has a config.json and does not say how its vectors are pooled",
            hint="copy 1_Pooling/config.json from where the model is from, or write a "
            'recollect-model.json: {"name": "mine", "dimensions": 384, "pooling": "mean"}',
        )
    prompts = _read(folder / "config_sentence_transformers.json").get("prompts")
    return {
        **_common(folder, config),
        "dimensions": _dimensions(folder, config, pooling),
        "pooling": _pooling(folder, pooling),
        "query_prefix": _prompt(prompts, _QUERY),
        "passage_prefix": _prompt(prompts, _PASSAGE),
    }


def _common(folder: Path, config: dict[str, Any]) -> dict[str, Any]:
    said = str(config.get("_name_or_path") or "").rstrip("/").rpartition("/")[2]
    longest = _read(folder / "sentence_bert_config.json").get("max_seq_length")
    most = _positive(longest or config.get("max_position_embeddings")) or 512
    return {"name": said or folder.name, "max_tokens": min(most, _LONGEST)}


def _positive(said: Any) -> int:
    return said if isinstance(said, int) and said > 0 else 0


def _dimensions(folder: Path, config: dict[str, Any], pooling: dict[str, Any]) -> int:
    own = _positive(pooling.get("word_embedding_dimension"))
    dimensions = own or _positive(config.get("hidden_size"))
    if not dimensions:
        raise ModelError(
            f"{folder} does not say how many dimensions its vectors have",
            hint="write a recollect-model.json beside it",
        )
    return dimensions


def _pooling(folder: Path, pooling: dict[str, Any]) -> str:
    on = sorted(name for name in pooling if name.startswith("pooling_mode") and pooling[name])
    known = _POOLINGS.get(tuple(on), pooling.get("pooling_mode"))
    if known in ("cls", "mean"):
        return str(known)
    raise ModelError(
        f"{folder} pools its vectors by {', '.join(on) or 'nothing'}",
        hint="cls and mean are understood",
    )


def _prompt(prompts: Any, names: tuple[str, ...]) -> str:
    found = map(prompts.get, names) if isinstance(prompts, dict) else ()
    return next(iter(of_type(found, str)), "")


def _read(path: Path) -> dict[str, Any]:
    """Returns what a file of JSON says; nothing where there is no such file."""
    try:
        said = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise ModelError(f"{path} cannot be read: {error}") from error
    if not isinstance(said, dict):
        raise ModelError(f"{path} is no object of JSON")
    return said
