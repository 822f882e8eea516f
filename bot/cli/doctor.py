"""`heal doctor`: what this machine can do, and the command that mends what it can't."""

from bot.cli.options import AsJson
from bot.cli.shell import EXIT_HEALTHY, EXIT_USAGE, put, put_json, wait_for


def doctor(as_json: AsJson = False) -> int:
    """Look at everything that Heal needs on this machine and on GitHub, and say how to mend what is missing.

    GitHub is asked only where an App is named. Exit code 2: something is missing.

    Example: heal doctor
    """
    return wait_for(_doctor(as_json))


async def _doctor(as_json: bool) -> int:
    from bot.settings import read_settings
    from bot.watching.checkup import findings

    well = True
    async for one in findings(read_settings()):
        well &= one.ok
        if as_json:
            put_json({"name": one.name, "ok": one.ok, "detail": one.detail, "mend": "" if one.ok else one.mend})
            continue
        put(f"{'ok ' if one.ok else 'NO '} {one.name}: {one.detail}", "" if one.ok else "31")
        if one.mend and not one.ok:
            put(f"      mend: {one.mend}")
    return EXIT_HEALTHY if well else EXIT_USAGE
