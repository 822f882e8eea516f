"""The answer to “Can Heal reproduce my CI?”: job by job, why not, and the line of `.github/heal.yml` that mends it."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from bot.cli.printing import error_line
from bot.cli.shell import EXIT_ERRORS_LEFT, EXIT_HEALTHY, CouldNotLook, put, put_json
from bot.repo_config import CONFIG_PATH
from healing.checks.mending import entry, file_of, network_line
from healing.checks.own_environment import NOTE

if TYPE_CHECKING:
    from healing.checks.reproducing import Reproduction
    from healing.checks.survey import State, SurveyedJob
    from healing.checks.trial import Trial

MARKS = {"reproducible": ("ok  ", "32"), "red": ("red ", "31"), "not reproducible": ("??? ", "33")}
MOST_ERRORS = 3
NAME_IT = f"name the command that judges the same under `checks:` in {CONFIG_PATH}"


def tell(trial: "Trial", as_json: bool) -> int:
    """Prints everything. Gives the exit code. Raises CouldNotLook where not all was seen and nothing was red."""
    states = [job.state(trial.results) for job in trial.jobs]
    for job, state in zip(trial.jobs, states, strict=True):
        if as_json:
            put_json(_told(trial, job, state))
            continue
        mark, colour = MARKS.get(state, ("-   ", ""))
        put(f"{mark}{job.name}: {_headline(trial, job, state)} ({job.place})", colour)
        for line in _lines(trial, job):
            put(f"      {line}")
    if "not reproducible" in (*states, *(trial.state(one) for job in trial.jobs for one in job.checks)):
        _tell_file(trial, as_json)
    if (line := network_line(trial.whole_network())) and not as_json:
        put(f"\nSo that set-up can install where Heal runs as an App, {CONFIG_PATH} needs (not tried):\n\n{line}")
    return _code(trial, states)


def _headline(trial: "Trial", job: "SurveyedJob", state: "State") -> str:
    if state == "no checks":
        return "nothing in it that Heal knows as a check"
    if state == "reproducible" and trial.checker is None:
        return "can be run here, by its file"
    return job.skipped or state


def _lines(trial: "Trial", job: "SurveyedJob") -> Iterator[str]:
    for reason in job.reasons:
        yield str(reason)
        yield f"fix: {NAME_IT}"
    yield from (f"perhaps: {note}" for note in job.perhaps)
    for one in job.checks:
        yield from _check_lines(trial, one)


def _check_lines(trial: "Trial", one: "Reproduction") -> Iterator[str]:
    result, state, why = trial.result(one), trial.state(one), trial.why(one)
    if result is not None and not why:
        yield f"{one.step.name}: exit code {result.exit_code} after {result.seconds:.1f} s"
    else:
        yield f"{one.step.name}: {'; '.join(why) or 'not run'}"
    if state == "red" and result is not None:
        yield from (f"  {error_line(error)}" for error in result.errors[:MOST_ERRORS])
        differs = (
            "what differs here is the reason" if _notes(one) else "this machine differs in what its files don't tell"
        )
        yield f"  where CI is green on this code, {differs}"
    yield from (f"  differs: {note}" for note in _notes(one))
    if state == "not reproducible":
        mend = trial.mend(one)
        yield f"  fix: under `checks:` in {CONFIG_PATH} ({mend.said}):" if mend.entry else f"  fix: {NAME_IT}"
        yield from (f"    {line}" for line in mend.entry.splitlines())


def _notes(one: "Reproduction") -> list[str]:
    return [str(note) for note in one.notes if note.spoils == "note"]


def _told(trial: "Trial", job: "SurveyedJob", state: "State") -> dict[str, object]:
    """A job for programs."""
    return {
        "workflow": job.workflow,
        "job": job.name,
        "place": job.place,
        "state": state,
        "ran": trial.checker is not None,
        "skipped": job.skipped,
        "reasons": [str(reason) for reason in job.reasons],
        "perhaps": [str(note) for note in job.perhaps],
        "checks": [_check_told(trial, one) for one in job.checks],
    }


def _check_told(trial: "Trial", one: "Reproduction") -> dict[str, object]:
    result, state = trial.result(one), trial.state(one)
    mend = trial.mend(one) if state == "not reproducible" else None
    return {
        "step": one.step.name,
        "state": state,
        "exit_code": result.exit_code if result else None,
        "seconds": result.seconds if result else None,
        "reasons": trial.why(one),
        "differs": _notes(one),
        "mend": mend.entry if mend else "",
        "network": list(trial.network(one)),
        "mend_works": mend.works if mend else None,
    }


def _tell_file(trial: "Trial", as_json: bool) -> None:
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


def _code(trial: "Trial", states: "list[State]") -> int:
    if "red" in states:
        return EXIT_ERRORS_LEFT
    missing = [job.name for job, state in zip(trial.jobs, states, strict=True) if state == "not reproducible"]
    if missing:
        raise CouldNotLook(f"not reproducible here: {', '.join(dict.fromkeys(missing))}")
    if "reproducible" not in states:
        raise CouldNotLook(f"no job has a check that Heal knows: {NAME_IT}")
    return EXIT_HEALTHY
