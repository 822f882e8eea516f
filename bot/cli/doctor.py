"""`heal doctor`: what this machine can do, and the command that mends what it can't."""

import shutil

from bot.cli.options import AsJson
from bot.cli.shell import EXIT_HEALTHY, EXIT_USAGE, put, put_json, wait_for


def doctor(as_json: AsJson = False) -> int:
    """Look at everything that Heal needs on this machine, and say how to mend what is missing.

    Example: heal doctor
    """
    return wait_for(_doctor(as_json))


async def _doctor(as_json: bool) -> int:
    from bot.models import Models
    from bot.settings import Settings, read_settings
    from handlers.errors import UserError
    from healing.gitio import GitError
    from healing.sandbox.doctor import Finding, machine_report
    from healing.sandbox.owner import sandbox_owner
    from healing.worktrees import Worktrees

    def folder(settings: Settings) -> Finding:
        try:
            Worktrees(settings.data, sandbox_owner()).close()
        except (GitError, OSError, ValueError) as error:
            mend = "name another data folder (HEAL_DATA), or mend the rights of this one"
            return Finding("data folder", False, f"{settings.data}: {error}", mend)
        return Finding("data folder", True, str(settings.data))

    def model(settings: Settings) -> Finding:
        models = Models(settings)
        try:
            ladder = models.ladder()
        except UserError as error:
            return Finding("model key", False, str(error), "name a model that has a price (HEAL_MODEL, HEAL_PRICES)")
        if ladder is not None:
            beside = {rung.model.name: f" beside {rung.rival.name}" for rung in ladder.rungs if rung.rival}
            names = ", then ".join(f"{r.model.name}{beside.get(r.model.name, '')}" for r in ladder.rungs)
            return Finding("model key", True, f"set for {names}; a run may spend ${settings.budget_dollars:.2f}")
        without = "autofix and fixers work without, and runs say what agents would cost"
        return Finding("model key", True, f"not set ({models.missing_key}): {without}")

    settings = read_settings()
    data = folder(settings)
    machine = await machine_report(settings.data) if data.ok else ()
    docker = Finding("docker", True, f"{'here, but ' if shutil.which('docker') else ''}not needed")
    findings = (data, *machine, model(settings), docker)
    for one in findings:
        if as_json:
            put_json({"name": one.name, "ok": one.ok, "detail": one.detail, "mend": "" if one.ok else one.mend})
        else:
            put(f"{'ok ' if one.ok else 'NO '} {one.name}: {one.detail}", "" if one.ok else "31")
            if one.mend and not one.ok:
                put(f"      mend: {one.mend}")
    return EXIT_HEALTHY if all(one.ok for one in findings) else EXIT_USAGE
