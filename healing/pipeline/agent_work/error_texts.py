"""A run's errors as models may see them, where the repository has files that are closed to models.

Checks run on whole trees, so their output can contain lines of such a file. Before an agent's fix is accepted, all code
that ran was written by people, so literal lines of the file are masked. Afterwards code from a model ran too, which
could print a file in any form: then the errors are read from a run without these files.
"""

import asyncio
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

from ahocorasick_rs import AhoCorasick

from healing.logs.fingerprint import identity
from healing.model import CIError, Related
from healing.pipeline.remaining import on_head
from healing.verify.verifier import Verifier

LEAST = 8  # characters of a masked line or value; shorter ones occur in too many other texts
MAX_BYTES = 1 << 20  # of one file
VALUE = re.compile(r"[=:]\s*(.+)")
MASKED = "(withheld: shows a file that is closed to models)"


@dataclass
class ErrorTexts:
    """The errors of one run."""

    verifier: Verifier
    _first: dict[str, CIError] = field(default_factory=dict)  # by id, masked: from before any agent's fix

    async def shown(self, errors: tuple[CIError, ...]) -> tuple[CIError, ...]:
        """The errors as models may read them. Errors that show only since an agent's fix, and only with files that are
        closed to models, are left out."""
        if not self.verifier.closes_files:
            return errors
        if not any(text.source.startswith("agent:") for text in self.verifier.accepted):
            masked = await asyncio.to_thread(lambda: tuple(self._masked(error) for error in errors))
            self._first.update((error.id, error) for error in masked)
            return masked
        without = await self._without_closed_files()
        pairs = ((error, without.get(identity(error)) or self._first.get(error.id)) for error in errors)
        return tuple(text.model_copy(update={"id": error.id}) for error, text in pairs if text is not None)

    async def _without_closed_files(self) -> dict[str, CIError]:
        """The errors, by identity, that the checks show on the integration tree without these files."""
        verifier, head = self.verifier, self.verifier.integration
        built = await verifier.built(head)
        checker, tree = await verifier.for_models(built)
        results = await asyncio.gather(*(checker.run(check, tree) for check in verifier.checks))
        return {
            identity(error): on_head(verifier.git, error, built, head) for result in results for error in result.errors
        }

    def _masked(self, error: CIError) -> CIError:
        texts = ("message", "excerpt", "expected", "actual", "suggestion")
        clean = {name: self._mask(getattr(error, name)) for name in texts if getattr(error, name)}
        related = tuple(Related.model_validate({**vars(r), "message": self._mask(r.message)}) for r in error.related)
        return error.model_copy(update={**clean, "related": related})

    def _mask(self, text: str) -> str:
        return "\n".join(MASKED if self._words.find_matches_as_indexes(line) else line for line in text.split("\n"))

    @cached_property
    def _words(self) -> AhoCorasick:
        verifier = self.verifier
        views = [verifier.git.view(tree) for tree in {verifier.trees.head, verifier.trees.built}]
        files = {view.read(path) for view in views for path in view.paths() if path in verifier.unsent}
        return AhoCorasick(sorted(set(_words(file for file in files if file))))


def _words(files: Iterable[bytes]) -> Iterator[str]:
    """The lines of the files, and the values after `=` or `:` in them."""
    for data in files:
        if b"\0" in data[:8000] or len(data) > MAX_BYTES:
            continue
        for line in data.decode("utf-8", "replace").splitlines():
            value = VALUE.search(line)
            for word in (line.strip(), value[1].strip(" \t\"',;") if value else ""):
                if len(word) >= LEAST:
                    yield word
