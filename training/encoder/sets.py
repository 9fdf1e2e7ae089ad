"""The sets of the data folder: what may be trained on, what is only read, and the domains.

``USE`` says for each set which questions a model may learn from: "all" of them, or those of the
*fit* half. A set of ``READ_ONLY`` is never trained on, fitted on or chosen by.
"""

from __future__ import annotations

from typing import NamedTuple

PREFIX = "Represent this sentence for searching relevant passages: "
CLS, SEP = 101, 102
TOKENS, ASKED = 384, 96
"""The most tokens of a passage and of a question."""
FROZEN = 6
"""Layers that stay as they are: the pair model's head reads the states after them."""
WHOLE = 0xFFFF
"""Stands for a sentence where the whole passage is the evidence."""


class Source(NamedTuple):
    """Where the documents, questions and pieces of evidence of a set are."""

    domain: str
    use: str
    documents: str
    questions: str
    evidence: str = ""


def _chats(folder: str, domain: str, use: str, evidence: bool = False) -> Source:
    more = f"{folder}/evidence.jsonl" if evidence else ""
    return Source(domain, use, f"{folder}/sessions.jsonl.xz", f"{folder}/queries.jsonl", more)


def _texts(folder: str, domain: str, use: str, evidence: bool = False) -> Source:
    more = f"{folder}/evidence.jsonl" if evidence else ""
    return Source(domain, use, f"{folder}/docs.jsonl.xz", f"{folder}/queries.jsonl", more)


def _languages(code: str, use: str) -> Source:
    at = f"xquad/{code}"
    return Source(
        "encyclopedia", use, f"{at}.docs.jsonl.xz", f"{at}.queries.jsonl.xz",
        f"{at}.evidence.jsonl.xz",
    )  # fmt: skip


TRAINABLE = {
    "friends": _chats("friends", "conversation", "all"),
    "meetings": _chats("meetings", "conversation", "all"),
    "mentor-sessions": _chats("mentor-sessions", "conversation", "all"),
    "longmemeval": _chats("longmemeval", "personal", "fit", evidence=True),
    "personas": _chats("personas", "personal", "fit", evidence=True),
    "2wiki": _texts("2wiki", "encyclopedia", "fit", evidence=True),
    "timeqa": _texts("timeqa", "encyclopedia", "fit", evidence=True),
    "web-questions": _texts("web-questions", "encyclopedia", "all"),
    "xquad-en": _languages("en", "fit"),
    "xquad-de": _languages("de", "fit"),
    "xquad-es": _languages("es", "fit"),
    "xquad-zh": _languages("zh", "none"),
    "xquad-ru": _languages("ru", "none"),
    "xquad-ar": _languages("ar", "none"),
    "scifact": _texts("scifact", "science", "fit", evidence=True),
    "covid": _texts("covid", "medicine", "all"),
    "policies": _texts("policies", "law", "all"),
    "shell": _texts("shell", "code", "all"),
    "support-faq": _texts("support-faq", "support", "all"),
    "notes": _texts("notes", "records", "fit", evidence=True),
}
READ_ONLY = {
    "ubuntu-chat": _chats("ubuntu-chat", "conversation", "never"),
    "preferences": _texts("preferences", "personal", "never"),
    "reminders": _texts("reminders", "personal", "never"),
    "android-snippets": _texts("android-snippets", "code", "never"),
    "filings": _texts("filings", "finance", "never"),
    "news": _texts("news", "news", "never"),
    "kubernetes-docs": _texts("kubernetes-docs", "docs", "never"),
    **{
        name: Source(
            "science", "never", f"classics/{name}.docs.jsonl.xz", f"classics/{name}.queries.jsonl"
        )
        for name in ("cranfield", "cisi", "cacm")
    },
}
PLAIN = {"til": 6000, "agents": 5000, "gitlog": 8000, "debian": 8000, "peps": 6000}
"""Texts without questions, and how many of their passages are used."""

FOLDS = {
    1: ("conversation", "personal", "agents"),
    2: ("encyclopedia", "science"),
    3: ("law", "medicine", "code", "support", "records", "til", "agents", "gitlog", "debian",
        "peps", "docs"),
}  # fmt: skip
"""What each fold leaves out: domains, and texts without questions that are near to them."""


WRITTEN = "written"
"""Texts with questions that a language model wrote; ``written DOMAIN``: real ones of a domain."""
OF_FILES = "written files"
"""Passages of long files, with questions and the sentence that answers each."""
NEAR, CHANGES = "near", "changes"
"""Groups of texts that answer and texts that do not; ``near DOMAIN``: of a domain's kind."""


def domain(name: str) -> str:
    """The domain of a set; a text without questions is its own."""
    name = name.rpartition(" ")[2]
    if name in TRAINABLE:
        return TRAINABLE[name].domain
    return READ_ONLY[name].domain if name in READ_ONLY else name


def fold_of(name: str) -> int:
    """The fold whose model has not seen the set."""
    return next(fold for fold, out in FOLDS.items() if domain(name) in out)
