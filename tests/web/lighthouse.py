"""What Lighthouse says of pages, at 390 px as a slow phone and at 1280 px as a desktop, in the light and dark theme."""

import asyncio
import json
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from tests.npm import LIGHTHOUSE, installed
from tests.pages.conftest import FLAGS

THEMES = ("light", "dark")
CATEGORIES = ("performance", "accessibility", "best-practices", "seo")


class PageToJudge(NamedTuple):
    """Where it is, and the cookie of who looks at it."""

    name: str
    url: str
    cookie: str = ""


class Judgement(NamedTuple):
    """Scores of 100 by category, None where Lighthouse recorded nothing; what it found wrong, in one line."""

    page: str
    theme: str
    width: int
    scores: dict[str, int | None]
    found: str


async def judged(pages: Iterable[PageToJudge], categories: Iterable[str] = CATEGORIES) -> list[Judgement]:
    """Each page in each theme and at each width. Raises FileNotFoundError without Chromium, NoNpmError, and
    RuntimeError where it fails."""
    chrome = shutil.which("chromium") or shutil.which("google-chrome")
    if chrome is None:
        raise FileNotFoundError("Lighthouse needs Chromium: install it (Debian: chromium)")
    wanted = [page._asdict() for page in pages]
    settings = {"chrome": chrome, "flags": FLAGS, "themes": THEMES, "categories": list(categories)}
    asked = json.dumps({**settings, "pages": wanted})
    argv = ["node", str(Path(__file__).with_name("lighthouse.mjs")), str(installed(LIGHTHOUSE))]
    done = await asyncio.to_thread(subprocess.run, argv, input=asked, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"Lighthouse failed: {done.stderr[-2000:]}")
    return [
        Judgement(one["page"], one["theme"], one["width"], one["scores"], one["error"] or "; ".join(one["failed"]))
        for one in json.loads(done.stdout)
    ]
