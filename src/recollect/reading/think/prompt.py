"""What the model is asked: to answer in lines that can be checked one by one as they come."""

from __future__ import annotations

from collections.abc import Sequence

from recollect.ports import LlmMessage, LlmRequest
from recollect.reading.think.sources import ShownSource
from recollect.text.fence import Fence
from recollect.text.tokens import clip_tokens

MOST_TOKENS = 2_000
"""Of the answer."""
_QUESTION = 1_000
_SYSTEM = """\
You answer a question from sources, and from nothing else: neither from what you know nor by \
guessing.

Write JSON objects, one a line, and nothing besides. First the answer, an object for each sentence:
{{"sentence": "…", "support": [{{"source": 1, "quote": "…"}}]}}
- A quote is several words in a row, copied from that source letter by letter, without an \
ellipsis, that show the sentence to be true. Every sentence has one at least.
- Answer in the language of the question, in as few sentences as will do, each of which can be \
understood alone.
- If sources contradict each other, say what each says, with its date.
- If the sources do not answer the question, write no sentence.

Last, an object that grades what you wrote:
{{"relevant": true, "supported": true, "useful": true, "look_for": ""}}
relevant: the sources are about the question. supported: every sentence follows from its quotes. \
useful: it is all that was asked for. If one of these is false, look_for has a few words to search \
the memory for what is missing.

{rule}"""
_GRAMMAR = r"""
root ::= (sentence "\n"){0,12} grade
sentence ::= "{\"sentence\": " text ", \"support\": [" support (", " support){0,3} "]}"
support ::= "{\"source\": " [1-9] [0-9]? ", \"quote\": " text "}"
grade ::= "{\"relevant\": " bool ", \"supported\": " bool ", \"useful\": " bool other
other ::= ", \"look_for\": \"" char{0,80} "\"}"
bool ::= "true" | "false"
text ::= "\"" char{8,400} "\""
char ::= [^"\\\x00-\x1f] | "\\" ["\\/bfnrt]
"""
"""The lines that are asked for, for a server that can be held to them: a small model would not keep
to them by itself."""


def request(question: str, sources: Sequence[ShownSource]) -> LlmRequest:
    fence = Fence()
    parts = [fence.around("question", clip_tokens(question, _QUESTION))]
    parts += [source.fenced(fence) for source in sources]
    return LlmRequest(
        (LlmMessage("user", "\n\n".join(parts)),),
        system=_SYSTEM.format(rule=fence.rule),
        max_tokens=MOST_TOKENS,
        grammar=_GRAMMAR,
    )
