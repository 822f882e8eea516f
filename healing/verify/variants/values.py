"""Ways to change a text or a number of a test, independent of its language."""

import re
from collections.abc import Callable
from functools import partial
from typing import NamedTuple
from zlib import crc32

LETTER = re.compile(r"[A-Za-z]")
WORD = re.compile(r"[A-Za-z]+")
DIGITS = re.compile(r"\d+")
PARTS = ("&", ";", ",", " ", "/", "-", "_", ".")  # separators between the parts of a text
Number = int | float


class TextWay(NamedTuple):
    """`crashes`: a correct result may not follow the changed text, so only an exception is meaningful; `compared`: it
    is meaningful only beside the results of code that is known to be right."""

    words: str
    change: Callable[[str], str]
    crashes: bool = False
    compared: bool = False


class NumberWay(NamedTuple):
    """`compared` as for texts. `change` returns None for a number that can't be changed this way."""

    words: str
    change: Callable[[Number], Number | None]
    compared: bool = False


def _next_letter(found: re.Match[str]) -> str:
    letter = found.group()
    return {"z": "a", "Z": "A"}.get(letter) or chr(ord(letter) + 1)


def _with_longer_words(text: str) -> str:
    return WORD.sub(lambda found: found.group() + 2 * found.group()[-1], text)


def _other_case(text: str) -> str:
    return text.lower() if text.isupper() else text.upper()


def _separator(text: str) -> str:
    return next((sign for sign in PARTS if sign in text.strip()), "")


def _parts_moved(text: str) -> str:
    if not (sign := _separator(text)):
        return text
    first, _, rest = text.partition(sign)
    return f"{rest}{sign}{first}"


def _with_a_part(text: str) -> str:
    sign = _separator(text)
    return f"{text}{sign}Zz" if sign else text


def _half(number: Number) -> Number | None:
    if isinstance(number, float):
        return number / 2
    return number // 2 if number % 2 == 0 else None


def _other(round_: int, number: Number) -> Number | None:
    """A number of similar size that no formula gives: deterministic for a number, and different in each round."""
    if isinstance(number, float):
        return round(number * (0.5 + _share(round_, number)), 2)
    other = number // 2 + 1 + int(_share(round_, number) * (abs(number) + 3))
    return other if other != number else other + round_


def _share(round_: int, number: Number) -> float:
    return crc32(f"{round_}:{number}".encode()) / 2**32


def _other_numbers(round_: int, text: str) -> str:
    return DIGITS.sub(lambda found: str(_other(round_, int(found.group()[:12]))), text)


TEXTS = (
    TextWay("with other letters", lambda text: LETTER.sub(_next_letter, text)),
    TextWay(
        "with longer words",
        lambda text: WORD.sub(lambda found: found.group() + 2 * found.group()[-1], text),
        crashes=True,
    ),
    TextWay(
        "with longer numbers in its texts",
        lambda text: DIGITS.sub(lambda found: "1" + found.group(), text),
        crashes=True,
    ),
    TextWay("with one more part in its texts", _with_a_part),
    TextWay("with its texts in the other case", _other_case, compared=True),
    TextWay("with the parts of its texts in another order", _parts_moved, compared=True),
    TextWay("with other numbers in its texts", partial(_other_numbers, 1), compared=True),
    TextWay("with quite other numbers in its texts", partial(_other_numbers, 2), compared=True),
    TextWay("with its texts a character shorter", lambda text: text[:-1] or text, compared=True),
    TextWay("with its texts turned around", lambda text: text[::-1], compared=True),
    TextWay("with its texts twice", lambda text: text + text, compared=True),
)
NUMBERS = (
    NumberWay("with each number one higher", lambda number: number + 1),
    NumberWay("with each number seven higher", lambda number: number + 7),
    NumberWay("with doubled numbers", lambda number: number * 2),
    NumberWay("with halved numbers", _half),
    NumberWay("with each number a hundred higher", lambda number: number + 100, compared=True),
    NumberWay("with numbers about half as high", lambda n: n // 2 if isinstance(n, int) else n / 2, compared=True),
    NumberWay("with numbers more than three times as high", lambda number: number * 3 + 2, compared=True),
    NumberWay("with other numbers", partial(_other, 1), compared=True),
    NumberWay("with quite other numbers", partial(_other, 2), compared=True),
    NumberWay("with other numbers again", partial(_other, 3), compared=True),
)
