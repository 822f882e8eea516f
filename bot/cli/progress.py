"""Shows progress on stderr: a bar on a terminal, plain lines elsewhere, nothing with --quiet."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import TYPE_CHECKING

from bot.cli.shell import note, shown

if TYPE_CHECKING:
    from rich.progress import Progress as Bar


class Progress:
    """A context manager; `await progress.say("…")` shows the next step."""

    def __init__(self, quiet: bool) -> None:
        self._quiet = quiet
        self._bar: Bar | None = None
        if not quiet and sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

            columns = (
                SpinnerColumn(),
                TextColumn("{task.description}", markup=False),
                BarColumn(20),
                TimeElapsedColumn(),
            )
            # Standard output is not redirected, so that files and pipes get its bytes unchanged.
            console = Console(stderr=True)
            self._bar = Progress(*columns, console=console, transient=True, redirect_stdout=False)
            self._task = self._bar.add_task("", total=None)

    def __enter__(self) -> "Progress":
        if self._bar:
            self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar:
            self._bar.stop()

    async def say(self, sentence: str) -> None:
        """Shows the step that begins now."""
        if self._bar:
            self._bar.update(self._task, description=shown(sentence).partition("\n")[0])
        elif not self._quiet:
            print(f"· {shown(sentence)}", file=sys.stderr, flush=True)

    def reached(self, done: int, total: int) -> None:
        """Shows that `done` of `total` parts are finished."""
        if self._bar:
            self._bar.update(self._task, completed=done, total=total)

    def note(self, text: str) -> None:
        """Prints a line that stays on the screen."""
        if not self._quiet:
            with self.aside():
                note(text)

    @contextmanager
    def aside(self) -> Iterator[None]:
        """Hides the bar while something else is printed."""
        if self._bar:
            self._bar.stop()
        yield
        if self._bar:
            self._bar.start()
