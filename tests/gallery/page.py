"""docs/texts.md: every posted text, rendered as GitHub would. `python -m tests.gallery.page` writes it."""

import re
from pathlib import Path

from lab.localhub.pages import markup
from tests.gallery.catalogue import catalogue

PAGE = Path(__file__).parents[2] / "docs" / "texts.md"
HEAD = """# Every text that Heal posts

<!-- written by `make gallery`; a test compares it with the functions that make the texts -->

What reviewers and maintainers read on GitHub, with sample values: one pull request with an import that is missing, a
test that fails, and three fixes. A text that depends on what happened is shown once for each thing that can happen.
As pictures, at both widths and in both themes, they are in the [gallery](gallery.md#every-posted-text).
"""


def page() -> str:
    """The page."""
    parts = [HEAD]
    for heading, texts in catalogue().items():
        parts.append(f"## {heading}\n")
        for where, text in texts:
            parts.append(f"### {where[0].upper()}{where[1:]}\n\n<blockquote>\n{_rendered(text)}</blockquote>\n")
    return "\n".join(parts)


def _rendered(text: str) -> str:
    """As HTML on lines of its own; a patch's bytes differ with the version of zlib."""
    steady = re.sub(r"printf %s '[0-9A-Za-z+/=]+'", "printf %s '…'", text)
    return f"{markup.render(steady)}\n"


def write() -> None:
    """Writes the page."""
    PAGE.write_text(page())


if __name__ == "__main__":
    write()
