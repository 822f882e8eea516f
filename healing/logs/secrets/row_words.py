"""Which rows of a table can match a text at all: those of which a word stands in it."""

from collections.abc import Iterable

import re2  # type: ignore[import-untyped] # it has no types

from healing.logs.secrets.mask import encodable


class RowWords:
    """The words of each row; all of them are looked for in one pass."""

    def __init__(self, rows: Iterable[Iterable[str]]) -> None:
        self._set: re2.Set | None = None  # made when the first text comes
        self._words = [(index, word) for index, words in enumerate(rows) for word in words]

    def rows_for(self, text: str) -> list[int]:
        """The rows, in their order, of which `text` holds a word."""
        if self._set is None:
            self._set = self._compiled()
        return sorted({self._words[found][0] for found in self._set.Match(encodable(text)) or ()})

    def _compiled(self) -> "re2.Set":
        words = re2.Set.SearchSet()
        for _, word in self._words:
            words.Add(re2.escape(word))
        words.Compile()
        return words
