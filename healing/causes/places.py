"""Where in the repo an error is: its deepest frame there, and the function around it."""

from dataclasses import dataclass, field

from healing.causes.shapes import foreign
from healing.graph import is_test
from healing.graph.outlines import Outlines
from healing.model import CIError
from healing.view import TreeView

IN_PACKAGES = ("site-packages/", "dist-packages/", "node_modules/", "lib/python", "<")


@dataclass
class Places:
    """Without a view, paths alone decide which files are in the repo, and functions are unknown."""

    view: TreeView | None
    _known: frozenset[str] | None = field(default=None, init=False)
    _guessed: dict[str, bool] = field(default_factory=dict, init=False)
    _outlines: Outlines | None = field(default=None, init=False)

    def ours(self, file: str | None) -> bool:
        """Whether `file` is in the repo."""
        if not file:
            return False
        if self.view is not None:
            if self._known is None:
                self._known = frozenset(self.view.paths())
            return file in self._known
        if file not in self._guessed:
            away = file.startswith(("/", "\\")) or ":" in file or any(part in file for part in IN_PACKAGES)
            self._guessed[file] = not away
        return self._guessed[file]

    def frames(self, error: CIError) -> list[tuple[str, int]]:
        """(file, line) of the error's frames in the repo, the deepest first, each once."""
        if not error.related:
            return [(error.file, error.line or 0)] if error.file and self.ours(error.file) else []
        stack = [(r.file, r.line or 0) for r in error.related if r.file and self.ours(r.file)][::-1]
        own = [(error.file, error.line or 0)] if error.file and self.ours(error.file) else []
        # An error's own file that is also a frame may be the test that called; one that is not a frame is where it
        # crashed.
        ordered = stack + own if own and own[0][0] in {file for file, _ in stack} else own + stack
        return list(dict.fromkeys(ordered))

    def file(self, error: CIError) -> str:
        """The file of the deepest frame; the error's own file where no frame is in the repo."""
        frames = self.frames(error)
        return frames[0][0] if frames else error.file or ""

    def key(self, error: CIError) -> str:
        """The same file in a form that is equal on every machine: a file outside the repo without its leading
        folders."""
        frames = self.frames(error)
        return frames[0][0] if frames else foreign(error.file or "")

    def anchor(self, error: CIError) -> tuple[str, str]:
        """(file, function): a place that doesn't change when lines shift."""
        frames = self.frames(error)
        # A test's own name counts only in its file: a crash while a module loads is the same for all its tests.
        test = (error.test or "").partition("[")[0]
        if not frames:
            return (foreign(error.file or ""), test)
        file, line = frames[0]
        own = is_test(file) or test.startswith(f"{file}::")
        return (file, self.function(file, line) or (test if own else ""))

    def function(self, file: str, line: int) -> str:
        """The dotted name of the function around a line; empty where there is none or it isn't known."""
        if self.view is None or not line:
            return ""
        if self._outlines is None:
            self._outlines = Outlines(self.view)
        return self._outlines.around(file, line)
