"""Rule: flags a fix that searches for, cuts or replaces a piece of the very text that the failing test holds.

Correcting one text afterwards is no fix: `.replace("e--r", "e-r")` fits only "blue--room". It is recognised by words,
in every language: texts passed to new calls that search or change texts.
"""

import re
from collections.abc import Iterator

from healing.verify.guard.canned import tests_of
from healing.verify.guard.patch import GuardFinding, WholeChange
from healing.verify.guard.paths import is_test_data, is_test_file
from healing.verify.guard.reading.text import BIG, is_prose, plain
from healing.verify.guard.window import window

RULE = "pieces"
CALL = re.compile(
    r"\b(?:replace(?:All|_all|n|First|_first)?|subn?|gsub|translate|maketrans|[rR]?[sS]plit\w{0,12}|partition"
    r"|(?:starts|ends)_?[wW]ith|[hH]as(?:Prefix|Suffix)|[rR]emove_?(?:[pP]refix|[sS]uffix)|[tT]rim\w{0,12}|[lr]?strip\w{0,10}"
    r"|ToValidUTF8|Replace(?:All)?|[iI]ncludes|[cC]ontains|[iI]ndexOf|[fF]ind\w{0,8}|[mM]atch\w{0,8}|search|test|compile)"
    r"[ \t]{0,4}\((?P<given>[^\n]{1,200})"
)
TEXT = re.compile(r"\"([^\"\n]{1,80})\"|'([^'\n]{1,80})'|`([^`\n]{1,80})`|/([^/\n]{1,80})/[a-z]{0,6}(?!\w)")
LETTER = re.compile(r"[^\W\d_]")
LEAST = 3  # characters of an ASCII piece; one with other letters may be shorter
PIECES = 500  # that are searched for
LIMIT = 3  # times BIG; longer texts are left to another rule


def findings(patch: WholeChange) -> Iterator[GuardFinding]:
    """A flag for each file that searches or changes texts by new pieces of a test's text."""
    sources = [data for path in sorted(tests_of(patch)) if (data := patch.read(path)) and len(data) <= BIG]
    all_texts = "\n".join(text for data in sources for text in _texts(plain(data)))
    for file in patch.files:
        if (
            file.new is None
            or not all_texts
            or is_test_file(file.path)
            or is_test_data(file.path)
            or is_prose(file.path)
        ):
            continue
        old, new = window(file.old or b"", file.new)
        if len(new) > LIMIT * BIG:
            continue
        known = set(_texts(plain(old)))
        added = {piece for call in CALL.finditer(plain(new)) for piece in _texts(call["given"])} - known
        pieces = [piece for piece in sorted(added)[:PIECES] if _is_distinctive(piece) and piece.strip() in all_texts]
        if pieces:
            shown = ", ".join(repr(piece) for piece in pieces)[:80]
            yield GuardFinding(
                RULE, file.path, f"searches or changes text by a piece of the failing test's ({shown})", True
            )


def _texts(text: str) -> Iterator[str]:
    return (next(filter(None, groups)) for groups in TEXT.findall(text))


def _is_distinctive(piece: str) -> bool:
    bare = piece.strip()
    return bool(LETTER.search(bare)) and (len(bare) >= LEAST or not bare.isascii())
