"""`heal doctor`: what this machine can do, and the command that mends what it can't."""

from bot.cli.shell import EXIT_HEALTHY, EXIT_USAGE, JSON_OPTION, print_json, wait_for


def doctor(as_json: bool = JSON_OPTION) -> int:
    """Look at everything that Heal needs on this machine."""
    return wait_for(_doctor(as_json))


async def _doctor(as_json: bool) -> int:
    from bot.settings import read_settings
    from healing.sandbox.doctor import machine_report

    settings = read_settings()
    findings = await machine_report(settings.data.resolve())
    for one in findings:
        if as_json:
            print_json({"name": one.name, "ok": one.ok, "detail": one.detail, "mend": one.mend})
        else:
            print(
                f"{'ok ' if one.ok else 'NO '} {one.name}: {one.detail}"
                + (f"\n      mend: {one.mend}" if one.mend else "")
            )
    key = bool(settings.anthropic_api_key.get_secret_value())
    detail = "set" if key else "not set: Heal works with autofix, fixers and memory, and says what agents would cost"
    if as_json:
        print_json({"name": "model key", "ok": True, "detail": detail, "mend": ""})
    else:
        print(f"ok  model key: {detail}")
    return EXIT_HEALTHY if all(one.ok for one in findings) else EXIT_USAGE
