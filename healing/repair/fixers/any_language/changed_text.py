"""A text that this pull request worded otherwise in the product, while a test still expects the old words."""

from collections.abc import Iterator
from dataclasses import dataclass

from healing.graph import is_test
from healing.model import Candidate, Category, CIError, RootCause
from healing.repair.fixers.fixer import Case, Repo, limited
from healing.repair.fixers.losses import MAX_FILES
from healing.verify.retold import retellings

TEXT = 20_000  # characters of an error that are read


@dataclass(frozen=True)
class ChangedText:
    """The failing tests follow, where they got the new words: a person has to say whether these are meant. Other texts
    of the tests stay."""

    name: str = "changed_text"
    certainty: int = 65

    def propose(self, cause: RootCause, errors: tuple[CIError, ...], repo: Repo) -> Iterator[Candidate]:
        case = Case.of(cause, errors, repo)
        failed = [error for error in case.errors if error.category is Category.TEST]
        if repo.before is not None and failed and len(repo.changed) <= MAX_FILES:
            yield from limited(self._candidates(case, failed))

    def _candidates(self, case: Case, failed: list[CIError]) -> Iterator[Candidate | None]:
        assert case.repo.before is not None
        got = "\n".join(f"{e.message}\n{e.actual or ''}\n{e.excerpt[:TEXT]}" for e in failed)
        files = sorted({file for e in failed for file in (e.file, (e.test or "").partition("::")[0]) if file})
        for old, new in retellings(case.repo.before, case.repo.view):
            if new.strip() not in got:
                continue
            texts = {file: case.repo.view.read(file) or b"" for file in files if is_test(file)}
            changes = {f: data.replace(old.encode(), new.encode()) for f, data in texts.items() if old.encode() in data}
            why = "This pull request worded it so in the product. If that isn't meant, reject this, and undo it there."
            title = f"Expect `{_shown(new)}` for `{_shown(old)}` in the tests"
            yield case.candidate(self, changes, title, why, with_tests=True) if changes else None


def _shown(text: str) -> str:
    return text.strip().replace("`", "'")[:50]
