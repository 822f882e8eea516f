"""`heal doctor`: reports what Heal needs on this machine, and the commands that install what is missing."""

from pathlib import Path
from typing import TYPE_CHECKING

from bot.cli.options import HERE, AsJson, Where
from bot.cli.shell import EXIT_HEALTHY, EXIT_USAGE, put, put_json, wait_for

if TYPE_CHECKING:
    from healing.environment.doctor import DoctorFinding


def doctor(path: Where = HERE, as_json: AsJson = False) -> int:
    """Report what Heal needs on this machine and on GitHub, and how to get what is missing.

    `ok`: it is there. `--`: it is not, and nothing is wrong without it. `NO`: it is missing. In a clone it also reports
    which interpreter and tools a check would get there, inside the sandbox. GitHub is asked only where an App is named.
    Exit code 2: something is missing.

    Example: heal doctor
    """
    return wait_for(_doctor(path, as_json))


async def _doctor(path: Path, as_json: bool) -> int:
    from bot.laptop.environment_report import environment_report
    from bot.settings import read_settings
    from bot.watching.checkup import findings

    settings = read_settings()
    all_ok = True
    async for one in findings(settings):
        all_ok &= one.ok
        _put(one, as_json)
    if any((folder / ".git").exists() for folder in (path.resolve(), *path.resolve().parents)):
        async for one in environment_report(path, settings):
            all_ok &= one.ok
            _put(one, as_json)
    return EXIT_HEALTHY if all_ok else EXIT_USAGE


def _put(finding: "DoctorFinding", as_json: bool) -> None:
    if as_json:
        here = finding.ok and finding.here
        row = {"name": finding.name, "ok": finding.ok, "here": here, "detail": finding.detail}
        put_json({**row, "fix": "" if here else finding.remedy})
        return
    word = "NO" if not finding.ok else "ok" if finding.here else "--"
    put(f"{word}  {finding.name}: {finding.detail}", "" if finding.ok else "31")
    if finding.remedy and not finding.ok:
        put(f"      fix: {finding.remedy}")
    elif finding.remedy and not finding.here:
        put(f"      if you need it: {finding.remedy}")
