"""Reads the steps of a job or of a composite action: commands with their environment, folder and shell."""

import platform
import posixpath
import re
import shlex
from dataclasses import dataclass, field, replace
from typing import Literal

from healing.checks.actions import Effect, effect
from healing.checks.check import VARIABLE, Script
from healing.checks.composite import open_action
from healing.checks.expressions import Filled, Partial, Unknown, Value, condition, resolve, text, truth, unknowns
from healing.checks.job import Obstacle, Step
from healing.checks.reading import Setting
from healing.checks.recognising import is_check
from healing.checks.source import Items, SourceMapping, TooMuchError, WorkflowError, block_of

SHELLS_ELSEWHERE = ("pwsh", "powershell", "cmd")
PLAIN_VERSION = re.compile(r"(?:pypy-?)?([0-9]{1,2}\.[0-9]{1,3})(?:\.[0-9]{1,4})?(?:-dev|t)?\Z")
MAX_MINUTES = 360.0  # GitHub's own default for a job


@dataclass
class StepsReader:
    """Reads one list of steps in order, so that later steps can refer to the results of earlier ones."""

    setting: Setting
    within: str = ""  # the step that GitHub lists all of these under (a composite action's)
    env_is_open: bool = False  # whether an earlier step may have set variables that can't be determined
    given: dict[str, Value] = field(default_factory=dict)  # the values of `steps.ID`
    artifacts: list[str] = field(default_factory=list)  # folders with artifacts of earlier jobs

    def steps(self, items: Items) -> tuple[Step, ...]:
        """The steps. Raises WorkflowError where an item is not a step."""
        steps: list[Step] = []
        for line, raw in zip(items.lines, items, strict=True):
            place = f"{self.setting.path}:{line}"
            if not isinstance(raw, SourceMapping):
                raise WorkflowError(f"{place}: a step has to be a mapping with `run` or `uses`")
            self.setting.reading.one_more_step(place)
            steps.append(self.step(raw, len(steps) + 1))
        return tuple(steps)

    def step(self, raw: SourceMapping, number: int) -> Step:
        """One step."""
        setting, env = self.with_env(raw)
        value = condition(raw.get("if"), setting.contexts)
        tolerant = truth(resolve(raw.get("continue-on-error"), setting.contexts)) is True
        step = self.command(setting, raw, env) if raw.get("run") is not None else self.action(setting, raw, env)
        obstacles = step.obstacles
        if isinstance(value, Unknown) and value.truth is None:
            why = f"nobody knows here whether its `if:` holds ({', '.join(value.names)}); it is taken to"
            obstacles = (*obstacles, Obstacle(setting.place(raw, "if"), why))
        step = replace(
            step,
            reached=truth(value),
            shown=self.within or step.name,
            number=number,
            place=setting.place(raw),
            obstacles=obstacles,
            tolerant=tolerant,
            minutes=minutes(raw, setting),
            script=step.script.model_copy(update={"tolerant": tolerant}) if step.script else None,
        )
        self.remember(raw, step)
        return step

    def with_env(self, raw: SourceMapping) -> tuple[Setting, dict[str, Value]]:
        """The step's setting and its variables."""
        around: dict[str, Value] = self.setting.env
        setting = self.setting.having(env=self.env_context(around), steps=dict(self.given))
        own = variables(raw, setting)
        env = {**around, **own}
        return replace(setting.having(env=self.env_context(env)), env=env), env

    def env_context(self, env: dict[str, Value]) -> dict[str, Value]:
        """The `env` context of expressions."""
        return Partial("env", env) if self.env_is_open else dict(env)

    def remember(self, raw: SourceMapping, step: Step) -> None:
        """Store what later steps may refer to."""
        run = step.script.run if step.script else ""
        known = step.uses is None or bool(step.parts) or effect(step.uses, {}).known
        self.env_is_open |= "GITHUB_ENV" in run or not known
        if raw.get("id") is None:
            return
        name = f"steps.{text(raw['id'])}"
        skipped = step.reached is False
        conclusion: Value = "skipped" if skipped else "success"
        outcome: Value = Unknown((f"{name}.outcome",)) if step.tolerant and not skipped else conclusion
        outputs: Value = {} if skipped else Partial(f"{name}.outputs", self.outputs(raw))
        self.given[text(raw["id"])] = {"outcome": outcome, "conclusion": conclusion, "outputs": outputs}

    def outputs(self, raw: SourceMapping) -> dict[str, Value]:
        """The known outputs of a step."""
        uses = text(raw.get("uses"))
        return effect(uses, {}).outputs if uses and not uses.startswith("./") else {}

    def command(self, setting: Setting, raw: SourceMapping, env: dict[str, Value]) -> Step:
        """A `run:` step."""
        run = setting.fill(raw["run"])
        cwd = setting.fill(raw.get("working-directory") or setting.defaults.get("working-directory") or ".")
        shell = setting.fill(raw.get("shell") or setting.defaults.get("shell") or "")
        place = setting.place(raw, "run")
        lines = run.shown.strip().splitlines()
        name = setting.fill(raw["name"]).shown if raw.get("name") else f"Run {lines[0] if lines else ''}"
        holes = tuple(dict.fromkeys((*run.missing, *cwd.missing, *shell.missing)))
        obstacles = [
            Obstacle(place, f"its command needs ${{{{ {hole} }}}}, which has no value here", "step") for hole in holes
        ]
        obstacles += [Obstacle(setting.place(raw, "shell"), why, "rest") for why in _shell_problem(shell.text)]
        obstacles += _env_notes(setting.place(raw, "env"), env)
        script = Script(name=name, run=run.text, cwd=cwd.text or ".", env=_texts(env), shell=shell.text)
        uses_artifact = any(_mentions(run.text, folder) for folder in self.artifacts)
        script = script.model_copy(update={"provides": uses_artifact and not is_check(script)})
        missing = tuple(dict.fromkeys((*holes, *unknowns(*env.values()))))
        return Step(name, script, None, missing, obstacles=tuple(obstacles))

    def action(self, setting: Setting, raw: SourceMapping, env: dict[str, Value]) -> Step:
        """A `uses:` step. Raises WorkflowError where there is neither `uses` nor `run`."""
        uses = setting.fill(raw.get("uses"))
        place = setting.place(raw, "uses")
        if not uses.text:
            raise WorkflowError(f"{place}: a step needs `run` or `uses`")
        name = setting.fill(raw["name"]).shown if raw.get("name") else f"Run {uses.shown}"
        given = evaluated(block_of(setting.path, raw, "with"), setting)
        if uses.text.startswith(("./", "../")):
            return self.opened(setting, uses.text, given, place, name)
        if uses.text.startswith("docker://"):
            why = f"it runs the container {uses.text.removeprefix('docker://')}"
            return Step(name, None, uses.text, obstacles=(Obstacle(place, why),))
        result = effect(uses.text, given)
        if result.unpacks:
            self.artifacts.append(result.unpacks)
        step = Step(name, None, uses.text, obstacles=_action_notes(uses.text, result, place), given=given)
        if result.command:
            step = self.named_command(setting, name, uses, result, place, env)
        return _with_tool_installed(step, result, env, self.within or name)

    def opened(self, setting: Setting, uses: str, given: dict[str, Value], place: str, name: str) -> Step:
        """An action in the repository, with its steps. Where it can't be opened, the obstacle is fatal for the steps
        after it."""
        try:
            action = open_action(setting, uses, given)
            parts = StepsReader(action.setting, self.within or name, self.env_is_open).steps(action.steps)
        except TooMuchError:
            raise
        except WorkflowError as error:
            return Step(name, None, uses, obstacles=(Obstacle(place, f"{uses} can't be opened: {error}", "rest"),))
        return Step(name, None, uses, parts=parts)

    def named_command(
        self, setting: Setting, name: str, uses: Filled, done: Effect, place: str, env: dict[str, Value]
    ) -> Step:
        """An action that stands for a command."""
        script = Script(name=name, run=done.command, cwd=done.cwd, env=_texts(env))
        return Step(name, script, uses.text, obstacles=tuple(_env_notes(place, env)))


def evaluated(block: SourceMapping, setting: Setting) -> dict[str, Value]:
    """The entries of an `env:` or `with:`, evaluated; known values become text."""
    values = {key: resolve(raw, setting.contexts) for key, raw in block.items()}
    return {key: value if isinstance(value, Unknown) else text(value) for key, value in values.items()}


def variables(raw: SourceMapping, setting: Setting) -> dict[str, Value]:
    """The `env:` of a workflow, job or step. All of it may be a single expression, such as a value of the matrix."""
    whole = raw.get("env")
    value = resolve(whole, setting.contexts) if isinstance(whole, str) else None
    if isinstance(value, dict):
        return {key: entry if isinstance(entry, Unknown) else text(entry) for key, entry in value.items()}
    return {} if isinstance(value, Unknown) else evaluated(block_of(setting.path, raw, "env"), setting)


def minutes(raw: SourceMapping, setting: Setting) -> float | None:
    """The value of `timeout-minutes`, at most MAX_MINUTES; None where it is not a usable number."""
    value = resolve(raw.get("timeout-minutes"), setting.contexts)
    is_number = isinstance(value, float) and not isinstance(value, bool)
    return min(value, MAX_MINUTES) if is_number and isinstance(value, float) and value > 0 else None


def _texts(env: dict[str, Value]) -> dict[str, str]:
    return {key: text(value) for key, value in env.items() if VARIABLE.match(key)}


def _with_tool_installed(step: Step, done: Effect, env: dict[str, Value], shown: str) -> Step:
    """The step of an action, preceded by a script that installs the action's tool."""
    if not done.brings:
        return step
    name = f"{step.name} (bringing the tool)"
    install = Script(name=name, run=done.brings, env=_texts(env), tolerant=True, provides=True, brings=True)
    parts = (Step(name, install, shown=shown, tolerant=True), *([replace(step, shown=shown)] if step.script else []))
    return replace(step, script=None, parts=parts, obstacles=() if step.script else step.obstacles)


def _mentions(run: str, folder: str) -> bool:
    """Whether a script mentions a path in the folder."""
    return bool(re.search(rf"(?<![\w./-])(?:\./)?{re.escape(folder)}/", run))


def _env_notes(place: str, env: dict[str, Value]) -> list[Obstacle]:
    notes = [
        Obstacle(place, f"${{{{ {name} }}}} has no value here, so {key} is empty", "aside")
        for key, value in env.items()
        for name in unknowns(value)
    ]
    odd = [key for key in env if not VARIABLE.match(key)]
    return notes + [Obstacle(place, f"the variable “{key[:60]}” can't be set in a shell") for key in odd]


def _shell_problem(shell: str) -> list[str]:
    name = posixpath.basename(next(iter(shell.split()), "")).removesuffix(".exe")
    if name.lower() in SHELLS_ELSEWHERE:
        return [f"its shell is {name}, which Heal's sandbox does not have"]
    if shell in ("", "bash", "sh", "python"):
        return []
    try:
        usable = "{0}" in shlex.split(shell)
    except ValueError:
        usable = False
    return [] if usable else [f"its shell “{shell[:60]}” is not known"]


def _action_notes(uses: str, done: Effect, place: str) -> tuple[Obstacle, ...]:
    if not done.known:
        return (Obstacle(place, f"action {uses} is not known here, so what it prepares may be missing"),)
    notes = [Obstacle(place, why, "rest" if done.fatal else "note") for why in done.missing]
    if done.language and done.version and not (done.language == "Python" and this_python(done.version)):
        have = f"Python {platform.python_version()}" if done.language == "Python" else "what its machine has"
        spoils: Literal["note", "aside"] = "note" if done.language == "Python" else "aside"
        version = " ".join(done.version.split())[:60]
        notes.append(Obstacle(place, f"CI has {done.language} {version}, and Heal {have}", spoils))
    return tuple(notes)


def this_python(wanted: str) -> bool:
    """Whether the Python that checks run with satisfies a version such as `3.11`. Anything that is not a plain version
    (`3.x`, `>=3.9`) is taken to be satisfied."""
    match = PLAIN_VERSION.match(wanted.strip())
    return match is None or match.group(1) == ".".join(platform.python_version_tuple()[:2])
