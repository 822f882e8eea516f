"""Selects the patterns of a table that can match a text: those of which a literal word is in the text."""

from collections.abc import Iterable

import re2  # type: ignore[import-untyped] # it has no types

from healing.logs.secrets.mask import encodable


class RowWords:
    """The literal words of each row of a table; one pass over a text finds all of them."""

    def __init__(self, rows: Iterable[Iterable[str]]) -> None:
        self._set: re2.Set | None = None  # compiled for the first text
        self._words = [(index, word) for index, words in enumerate(rows) for word in words]

    def rows_for(self, text: str) -> list[int]:
        """The indices of the rows, in ascending order, of which `text` contains a word."""
        if self._set is None:
            self._set = re2.Set.SearchSet()
            for _, word in self._words:
                self._set.Add(re2.escape(word))
            self._set.Compile()
        return sorted({self._words[found][0] for found in self._set.Match(encodable(text)) or ()})
