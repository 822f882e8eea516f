"""Shows progress on stderr: a bar on a terminal, plain lines elsewhere, nothing with --quiet."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from textwrap import shorten
from types import TracebackType
from typing import TYPE_CHECKING

from bot.cli.shell import note, shown

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

    from healing.checks.check import Check

TITLE = 80  # characters of a check's title
SILENT = 15.0  # seconds after which plain lines say what is running


class Progress:
    """A context manager; `await progress.say("…")` shows the next step. `clock` counts seconds."""

    def __init__(self, quiet: bool, clock: Callable[[], float] = time.monotonic) -> None:
        self._quiet, self._clock = quiet, clock
        self._step, self._checks, self._shown_at = "", 0, clock()
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
        self._step, self._checks = shown(sentence), 0
        self._show(self._step.partition("\n")[0], f"· {self._step}")

    def started(self, check: "Check") -> None:
        """Shows that a check of the step begins to run: always on a terminal, else where nothing was said lately."""
        self._checks += 1
        title = shorten(shown(check.title), TITLE, placeholder=" …")
        if self._bar or self._clock() - self._shown_at >= SILENT:
            step = self._step.partition("\n")[0]
            self._show(
                f"{step}: {title} (check run {self._checks})", f"  … {title} (check run {self._checks} of this step)"
            )

    def _show(self, description: str, line: str) -> None:
        self._shown_at = self._clock()
        if self._bar:
            self._bar.update(self._task, description=description)
        elif not self._quiet:
            print(line, file=sys.stderr, flush=True)

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
