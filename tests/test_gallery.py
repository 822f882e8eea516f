"""The gallery shows every text that Heal posts, as the functions make it today."""

import importlib
import inspect
import pkgutil
import sys
from types import FrameType

import handlers.comments
from tests.gallery.catalogue import catalogue
from tests.gallery.page import PAGE, page
from tests.gallery.pictures import DASHBOARD, DOCS, MAX_BYTES, PAGES, PICTURES, SCHEMES, SIZES, TEXTS, file_of
from tests.gallery.pictures import page as gallery
from tests.web.windows import NOTHING
from tests.web.windows import PAGES as WINDOWS

NOT_FOR_PEOPLE = {"handlers.comments.hints.hint", "handlers.comments.muting.rejection_message"}  # models read these
# What the texts are written with, and what git gets.
TOOLS = tuple(f"handlers.comments.{name}." for name in ("marks", "clean", "trailers", "patch"))


def public_functions() -> set[str]:
    found = set()
    for module in pkgutil.iter_modules(handlers.comments.__path__, "handlers.comments."):
        for name, one in vars(importlib.import_module(module.name)).items():
            if inspect.isfunction(one) and one.__module__ == module.name and not name.startswith("_"):
                found.add(f"{module.name}.{name}")
    return {name for name in found if not name.startswith(TOOLS)}


def called_by_the_catalogue() -> set[str]:
    called = set()

    def note(frame: FrameType, event: str, _argument: object) -> None:
        if event == "call":
            called.add(f"{frame.f_globals.get('__name__')}.{frame.f_code.co_name}")

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        catalogue()
    finally:
        sys.setprofile(before)
    return called


# GH-2 GH-3 GH-4
def test_the_page_of_texts_is_what_the_functions_say_today() -> None:
    assert PAGE.read_text() == page(), "run `make gallery`"


# GH-2 GH-3 GH-4
def test_no_function_that_makes_a_text_is_missing_from_the_page() -> None:
    assert public_functions() - NOT_FOR_PEOPLE - called_by_the_catalogue() == set()


def test_no_place_is_shown_without_a_text() -> None:
    empty = [(heading, where) for heading, texts in catalogue().items() for where, text in texts if not text.strip()]
    assert empty == []


# OP-11
def test_the_gallery_shows_every_page_at_both_widths_in_both_themes_and_stays_small() -> None:
    wanted = {file_of(name, size, scheme).name for name in (*PAGES, *TEXTS) for size in SIZES for scheme in SCHEMES}
    there = list((DOCS / PICTURES).iterdir())
    assert {one.name for one in there} == wanted
    assert (DOCS / "gallery.md").read_text() == gallery(), "run `make gallery`"
    assert sum(one.stat().st_size for one in there) < MAX_BYTES
    assert {path for _, path in DASHBOARD.values()} >= {path for path in WINDOWS if "?" not in path} - {NOTHING}
