"""What the model is shown, each under a number: sections of memory, and pages of the web."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from recollect.named_tuple import NamedTuple
from recollect.nouns.web import WebResult
from recollect.reading.gather import Section
from recollect.text.fence import Fence, inside
from recollect.text.tokens import clip_tokens

WEB_PAGES = 5
WEB_TOKENS = 800
"""Of each page."""


class ShownSource(NamedTuple):
    number: int
    origin: Literal["memory", "web"]
    title: str
    text: str
    """As it is shown: what a quote has to be from."""
    section: Section | None = None
    url: str = ""

    @property
    def about(self) -> str:
        """What is told of it besides its text."""
        about = [self.title]
        if self.section is not None:
            date = self.section.date
            about += [self.section.kind, f"{date:%Y-%m-%d}" if date else ""]
        return " · ".join(filter(None, about))

    def fenced(self, fence: Fence) -> str:
        """A title was written by somebody too, so it stands inside."""
        heading = " · ".join(filter(None, [self.about, self.url]))
        label = "web page" if self.origin == "web" else "source"
        return fence.around(f"{label} {self.number}", f"({heading})\n{self.text}")


def shown(sections: Sequence[Section], web: Iterable[WebResult]) -> tuple[ShownSource, ...]:
    made = [
        ShownSource(
            number, "memory", section.title or section.document, inside(section.text), section
        )
        for number, section in enumerate(sections, 1)
    ]
    for page in list(web)[:WEB_PAGES]:
        text = inside(clip_tokens(page.text.strip(), WEB_TOKENS))
        if text:
            made.append(ShownSource(len(made) + 1, "web", page.title, text, url=page.url))
    return tuple(made)
