"""Pictures of every text that Heal posts, as the local GitHub shows them: comments on a pull request, suggestions on
its diff, and check runs. A few texts share a picture, each under its name in the catalogue."""

import base64
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from playwright.async_api import Page

from lab.localhub import checks, pulls, pushes, reviews
from lab.localhub.state import Pull
from tests.gallery.catalogue import Texts, catalogue
from tests.pages.conftest import Stage

IN_A_PICTURE = 10  # texts
QUALITY, SCALE = 20, 0.7  # about the width at which the documents show them
TALLEST = 16_000  # pixels; WebP ends at 16,383
ON_THE_CHECK_RUN = ("The check run", "Why Heal did nothing")
# What the suggestions of the catalogue are about: a word in one → the file and line that it replaces.
FILES = {
    "calc.py": "def area(r):\n    return math.pi * r * r\n",
    "shop.py": "import os\n\n\ndef total(price, tax):\n    total = price + tax\n    return total\n",
    "tests/test_calc.py": "from calc import area\n\n\ndef test_area():\n    assert area(2) == 12.57\n",
}
PLACES = {
    "import math\n": ("calc.py", 1), "total = (": ("shop.py", 5), "assert area": ("tests/test_calc.py", 5),
    "Delete these lines": ("shop.py", 1), "return 12.57 if": ("calc.py", 2),
}  # fmt: skip
# Puts each text below its name, in the catalogue's order, and takes everything else off the conversation.
CAPTIONS = """names => {
  const timeline = document.querySelector('.timeline');
  const entries = names.map(([anchor]) => document.getElementById(anchor).closest('.entry'));
  timeline.replaceChildren();
  names.forEach(([_, name], at) => {
    const caption = document.createElement('h3');
    caption.textContent = name;
    timeline.append(caption, entries[at]);
  });
}"""


class TextPicture(NamedTuple):
    """`name` is the file's, `heading` the catalogue's."""

    name: str
    heading: str
    title: str
    texts: Texts


def text_pictures() -> Iterator[TextPicture]:
    """All of them, in the catalogue's order."""
    for heading, texts in catalogue().items():
        parts = [texts[at : at + IN_A_PICTURE] for at in range(0, len(texts), IN_A_PICTURE)]
        for number, part in enumerate(parts, 1):
            slug = heading.lower().replace(" ", "-").replace("'", "")
            more = f", {number} of {len(parts)}" if len(parts) > 1 else ""
            yield TextPicture(f"text-{slug}-{number}", heading, f"{heading}{more}", part)


class Posted(NamedTuple):
    """Where a picture's texts stand: the page's path, and for comments the element of each with its caption."""

    path: str
    captions: tuple[tuple[str, str], ...] = ()


def post(stage: Stage, picture: TextPicture) -> Posted:
    """Posts a picture's texts."""
    captions = [f"{where[0].upper()}{where[1:]}" for where, _ in picture.texts]
    if picture.heading in ON_THE_CHECK_RUN:
        named = zip(captions, picture.texts, strict=True)
        summary = "\n\n".join(f"#### {caption}\n\n{text}" for caption, (_, text) in named)
        output = {"title": picture.title, "summary": summary}
        fields = {"name": "Heal", "head_sha": stage.pull.head_sha, "conclusion": "neutral", "output": output}
        run = checks.create_run(stage.hub, stage.repo, stage.app.slug, stage.app.bot, fields)
        return Posted(f"/{stage.repo.full_name}/checks/{run.id}")
    pushes.commit(stage.hub, "noor", stage.repo, picture.name, FILES, "Add totals")
    pull = pulls.open_pull(stage.hub, "noor", stage.repo, picture.name, title=picture.title, body="")
    anchors = [_comment(stage, pull, text) for _, text in picture.texts]
    path = f"/{stage.repo.full_name}/pull/{pull.number}"
    return Posted(path, tuple(zip(anchors, captions, strict=True)))


def _comment(stage: Stage, pull: Pull, text: str) -> str:
    """Posts one text, a suggestion on the lines that it replaces; the id of its element."""
    bot = stage.app.bot.login
    if "```suggestion" not in text:
        return f"issuecomment-{pulls.comment(stage.hub, bot, pull, text).id}"
    path, line = next(place for word, place in PLACES.items() if word in text)
    reviews.create_review(stage.hub, bot, pull, "", drafts=(reviews.Draft(path, text, line=line),), app_id=stage.app.id)
    return f"discussion_r{stage.hub.review_comments_of(pull)[-1].id}"


async def take(window: Page, address: str, posted: Posted, file: Path) -> None:
    """The texts alone, from the first caption to the last text, as WebP."""
    await window.goto(f"{address}{posted.path}")
    if posted.captions:
        await window.evaluate(CAPTIONS, [list(one) for one in posted.captions])
    box = await window.locator(".timeline" if posted.captions else "main").first.bounding_box()
    assert box is not None, posted.path
    assert box["height"] < TALLEST, f"{file.name} is {box['height']} pixels tall: put fewer texts in a picture"
    asked = await window.context.new_cdp_session(window)
    options = {"format": "webp", "quality": QUALITY, "captureBeyondViewport": True, "clip": {**box, "scale": SCALE}}
    made = await asked.send("Page.captureScreenshot", options)
    file.write_bytes(base64.b64decode(made["data"]))
