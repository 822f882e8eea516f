"""Prints for each CI job whether Heal can reproduce it, why not, and the line of `.github/heal.yml` that fixes it."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from bot.cli.printing import error_line
from bot.cli.shell import EXIT_ERRORS_LEFT, EXIT_HEALTHY, CouldNotReproduce, put, put_json
from bot.repo_config import CONFIG_PATH
from healing.checks.own_environment import NOTE
from healing.checks.remedies import entry, file_of, network_line
from healing.checks.survey import WORKFLOWS

if TYPE_CHECKING:
    from healing.checks.reproducing import Reproduction
    from healing.checks.survey import State, SurveyedJob
    from healing.checks.trial import Survey

MARKS = {"reproducible": ("ok  ", "32"), "red": ("red ", "31"), "not reproducible": ("??? ", "33")}
MAX_ERRORS = 3
NAME_IT = f"name the command that judges the same under `checks:` in {CONFIG_PATH}"


def print_trial(trial: "Survey", as_json: bool) -> int:
    """Prints the result and returns the exit code. Raises CouldNotReproduce if not all checks were run and none of
    those that were run failed."""
    states = [job.state(trial.results) for job in trial.jobs]
    for job, state in zip(trial.jobs, states, strict=True):
        if as_json:
            put_json(_job_row(trial, job, state))
            continue
        mark, colour = MARKS.get(state, ("-   ", ""))
        put(f"{mark}{job.name}: {_headline(trial, job, state)} ({job.place})", colour)
        for line in _lines(trial, job):
            put(f"      {line}")
    if "not reproducible" in (*states, *(trial.state(one) for job in trial.jobs for one in job.checks)):
        _print_proposed_file(trial, as_json)
    if (named := _unnamed(trial)) and not as_json:
        listed = "\n".join(f"  - {command}" for command in named)
        put(f"\nNo file names what judges this repository. So that Heal knows, {CONFIG_PATH} needs:\n")
        put(f"checks:\n{listed}")
    if (line := network_line(trial.all_hosts())) and not as_json:
        put(f"\nSo that set-up can install where Heal runs as an App, {CONFIG_PATH} needs (not tried):\n\n{line}")
    return _code(trial, states)


def _unnamed(trial: "Survey") -> tuple[str, ...]:
    """Commands that are usual for such a repository, that no file names, and that could be run."""
    usual = [job for job in trial.jobs if not job.workflow.startswith(WORKFLOWS) and job.workflow != CONFIG_PATH]
    return tuple(
        one.step.script.run
        for job in usual
        for one in job.checks
        if one.step.script and (trial.checker is None or trial.state(one) != "not reproducible")
    )


def _headline(trial: "Survey", job: "SurveyedJob", state: "State") -> str:
    if state == "no checks":
        return "nothing in it that Heal knows as a check"
    if state == "reproducible" and trial.checker is None:
        return "can be run here, by its file"
    return job.skipped or state


def _lines(trial: "Survey", job: "SurveyedJob") -> Iterator[str]:
    for reason in job.reasons:
        yield str(reason)
        yield f"fix: {NAME_IT}"
    yield from (f"perhaps: {note}" for note in job.perhaps)
    for one in job.checks:
        yield from _check_lines(trial, one)


def _check_lines(trial: "Survey", reproduction: "Reproduction") -> Iterator[str]:
    result, state, why = trial.result(reproduction), trial.state(reproduction), trial.why(reproduction)
    if result is not None and not why:
        yield f"{reproduction.step.name}: exit code {result.exit_code} after {result.seconds:.1f} s"
    else:
        yield f"{reproduction.step.name}: {'; '.join(why) or 'not run'}"
    if state == "red" and result is not None:
        yield from (f"  {error_line(error)}" for error in result.errors[:MAX_ERRORS])
        differs = (
            "what differs here is the reason"
            if _notes(reproduction)
            else "something on this machine differs (versions, locale, services)"
        )
        yield f"  where CI is green on this code, {differs}"
    yield from (f"  differs: {note}" for note in _notes(reproduction))
    if state == "not reproducible":
        remedy = trial.remedy(reproduction)
        before = f"{remedy.first}; then " if remedy.first else ""
        under = f"under `checks:` in {CONFIG_PATH} ({remedy.result}):"
        yield f"  fix: {before}{under}" if remedy.entry else f"  fix: {NAME_IT}"
        yield from (f"    {line}" for line in remedy.entry.splitlines())


def _notes(reproduction: "Reproduction") -> list[str]:
    return [str(note) for note in reproduction.notes if note.spoils == "note"]


def _job_row(trial: "Survey", job: "SurveyedJob", state: "State") -> dict[str, object]:
    """A job's JSON object."""
    return {
        "workflow": job.workflow,
        "job": job.name,
        "place": job.place,
        "state": state,
        "ran": trial.checker is not None,
        "skipped": job.skipped,
        "reasons": [str(reason) for reason in job.reasons],
        "perhaps": [str(note) for note in job.perhaps],
        "checks": [_check_row(trial, one) for one in job.checks],
    }


def _check_row(trial: "Survey", reproduction: "Reproduction") -> dict[str, object]:
    result, state = trial.result(reproduction), trial.state(reproduction)
    remedy = trial.remedy(reproduction) if state == "not reproducible" else None
    return {
        "step": reproduction.step.name,
        "state": state,
        "exit_code": result.exit_code if result else None,
        "seconds": result.seconds if result else None,
        "reasons": trial.why(reproduction),
        "differs": _notes(reproduction),
        "fix": remedy.entry if remedy else "",
        "network": list(trial.network(reproduction)),
        "fix_works": remedy.works if remedy else None,
    }


def _print_proposed_file(trial: "Survey", as_json: bool) -> None:
    entries, left = trial.entries()
    file = file_of(entries, map(entry, trial.setup)) if entries else ""
    if as_json:
        put_json({"file": CONFIG_PATH, "proposed": f"{file}\n" if file else "", "left_out": left})
    elif entries:
        tried = "each was tried" if trial.checker else "none was tried"
        tried += f"; {NOTE}" if trial.checker and trial.installs else ""
        put(f"\nA {CONFIG_PATH} that takes the place of what the workflow files run ({tried}):\n\n{file}")
        for why in left:
            put(f"  # not in it: {why}")


def _code(trial: "Survey", states: "list[State]") -> int:
    if "red" in states:
        return EXIT_ERRORS_LEFT
    missing = [job.name for job, state in zip(trial.jobs, states, strict=True) if state == "not reproducible"]
    if missing:
        raise CouldNotReproduce(f"not reproducible here: {', '.join(dict.fromkeys(missing))}")
    if "reproducible" not in states:
        raise CouldNotReproduce(f"no job has a check that Heal knows: {NAME_IT}")
    return EXIT_HEALTHY
