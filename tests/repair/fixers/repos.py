"""Small repos for fixers: what was there before, what is there now, what CI said."""

from dataclasses import dataclass, field

from healing.causes import find_causes
from healing.edits.exact import apply_edits
from healing.graph import import_graph
from healing.graph.names import NameIndex
from healing.model import Candidate, Category, CIError, Related
from healing.repair.fixers import FIXERS, Repo
from healing.view import DictView


@dataclass
class Broken:
    """A repo whose CI is red. `before` is its tree before the pull request; None: not known."""

    files: dict[str, str]
    before: dict[str, str] | None = None
    errors: list[CIError] = field(default_factory=list)

    def said(self, message: str, *places: tuple[str, int], category: Category = Category.RUNTIME) -> "Broken":
        """One more error: `places` are its frames, the outermost first."""
        file, line = places[-1]
        self.errors.append(
            CIError(
                id=f"E{len(self.errors)}",
                tool="pytest",
                category=category,
                file=file,
                line=line,
                message=message,
                related=tuple(Related(file=f, line=n) for f, n in places[:-1]),
            )
        )
        return self

    def candidates(self) -> list[Candidate]:
        """What all fixers propose, in their order."""
        view = DictView({name: text.encode() for name, text in self.files.items()})
        old = self.before and DictView({name: text.encode() for name, text in self.before.items()})
        repo = Repo(view, NameIndex(view), import_graph(view), old or None)
        causes = find_causes(self.errors, view)
        return [c for fixer in FIXERS for cause in causes for c in fixer.propose(cause, tuple(self.errors), repo)]

    def after(self, candidate: Candidate) -> dict[str, str]:
        """The files that a candidate changes."""
        changes = apply_edits(candidate.edits, lambda path: self.files[path].encode() if path in self.files else None)
        return {path: (data or b"").decode() for path, data in changes.items()}

    def top(self) -> tuple[str, dict[str, str]]:
        """(source, changed files) of the first candidate."""
        candidates = self.candidates()
        assert candidates, "no fixer had anything to propose"
        return candidates[0].source, self.after(candidates[0])
