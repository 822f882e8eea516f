"""Heal's value types: frozen, strict, and without behaviour of their own.

Everything that crosses a layer, a process boundary or the store is one of these. Ids are content-addressed, so the same
thing found twice has the same id.
"""

import hashlib
import json
import operator
from enum import StrEnum
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field


class Frozen(BaseModel):
    """Base of every value: immutable, and an unknown key is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid")


def content_id(*parts: object, length: int = 16) -> str:
    """First `length` hex digits of the sha256 over the canonical JSON of `parts`."""
    raw = json.dumps(parts, sort_keys=True, separators=(",", ":"), default=str).encode("utf-8", "surrogatepass")
    return hashlib.sha256(raw).hexdigest()[:length]


class Category(StrEnum):
    """What kind of error it is."""

    SYNTAX = "syntax"
    INDENTATION = "indentation"
    IMPORT = "import"
    TYPE = "type"
    COMPILE = "compile"
    TEST = "test"
    RUNTIME = "runtime"
    LINT = "lint"
    FORMAT = "format"
    SECURITY = "security"
    DEPENDENCY = "dependency"
    CONFIG = "config"
    INFRASTRUCTURE = "infrastructure"


class Severity(StrEnum):
    """The severity that the tool reported."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


class Related(Frozen):
    """A place that belongs to an error: a stack frame (outermost first) or a note."""

    file: str | None = None
    line: int | None = None
    column: int | None = None
    message: str = ""


class CIError(Frozen):
    """One problem that CI reported.

    `file` is relative to the repository, POSIX; `line` and `column` are 1-based; `log_line` is the 1-based line of the
    log that reported it; `score` in 0..1 is how likely it is that this failed the job; `source` is `log`, `annotation`
    or `report` (a file that CI stored).
    """

    id: str
    tool: str
    code: str | None = None
    category: Category
    severity: Severity = Severity.ERROR
    file: str | None = None
    line: int | None = None
    column: int | None = None
    end_line: int | None = None
    end_column: int | None = None
    message: str
    related: tuple[Related, ...] = ()
    test: str | None = None
    expected: str | None = None
    actual: str | None = None
    suggestion: str | None = None
    excerpt: str = ""
    score: float = 1.0
    source: str = "log"
    log_line: int | None = None


class RootCause(Frozen):
    """Errors that one edit would fix. `fingerprint` is stable across runs and line shifts. `explained_by` is the
    fingerprint of the cause behind this one: once that is fixed, this one may be gone too."""

    fingerprint: str
    shape: str
    category: Category
    message: str
    symbols: tuple[str, ...] = ()
    error_ids: tuple[str, ...]
    files: tuple[str, ...] = ()
    explained_by: str = ""


class Cluster(Frozen):
    """Root causes that are given to one agent. `zone` is every file that may need an edit."""

    id: str
    causes: tuple[RootCause, ...]
    error_ids: tuple[str, ...]
    zone: tuple[str, ...]
    phase: Literal["fast", "slow"]


class Edit(Frozen):
    """Replaces `old_string`, which occurs exactly once in `file`, with `new_string`.

    `create` has an empty `old_string` and the whole file in `new_string`; `delete` the other way round. `mode` is git's
    (`100644`, `100755`) and is only used by those two. With an `anchor` the old text counts only at the start of the
    file, at its end, or as the whole of it. An empty `anchor` is left out of the stored JSON, so that edits stored
    before anchors existed keep their JSON and every id computed from it.
    """

    file: str
    old_string: str
    new_string: str
    kind: Literal["replace", "create", "delete"] = "replace"
    mode: str = "100644"
    anchor: Literal["", "start", "end", "whole"] = Field(default="", exclude_if=operator.not_)


class Evidence(Frozen):
    """One command run by Heal on one exact tree, before and after the edits. Exit code None: it did not finish.

    `alone` is false where the tree after holds the other proposals too: then it shows that they work together. `check`
    is the whole check (healing/checks/check.py as JSON), so that it can be run again on another head.
    """

    command: str
    before_tree: str
    after_tree: str
    before_exit: int | None
    after_exit: int | None
    before_output: str
    after_output: str
    runs: int = 1
    note: str = ""
    alone: bool = True
    check: dict[str, Any] = {}


SecondOpinion = Literal["", "fix", "partial", "overfit", "cheat"]  # empty: not asked for, or not given


class Proposal(Frozen):
    """Verified edits with evidence. `edits` are minimal (delivery uses them); `wide` and `reverse` are the same change
    widened by context until each direction is unique (rollback uses them); see healing/edits/exact.py.

    `source` is how the errors are resolved if it is accepted: `autofix:ruff`, `fixer:missing_import`,
    `agent:generalist`. `needs` names proposals that must be applied before this one; `dollars` is what its agent's
    calls cost. `touches` is set if it changes tests or checks because the error lies there; such a proposal is applied
    by its id, never with `all`. `second_opinion` is a model's opinion of a fix that a model made
    (healing/repair/review).
    """

    id: str
    source: str
    phase: Literal["free", "fast", "slow"]
    title: str
    explanation: str
    confidence: int
    error_ids: tuple[str, ...]
    edits: tuple[Edit, ...]
    wide: tuple[Edit, ...]
    reverse: tuple[Edit, ...]
    evidence: tuple[Evidence, ...]
    base_tree: str
    flags: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    dollars: float = 0.0
    touches: Literal["", "tests", "checks"] = Field(default="", exclude_if=operator.not_)
    layout_only: bool = Field(default=False, exclude_if=operator.not_)  # made by a tool, and certain
    second_opinion: SecondOpinion = Field(default="", exclude_if=operator.not_)


class Unfixable(Frozen):
    """A report why errors were not fixed. `reason` is one word: `no-key`, `budget`, `refused`, `conflict`,
    `given-up`…"""

    id: str
    error_ids: tuple[str, ...]
    reason: str
    tried: str
    why: str
    advice: str


class Resolution(Frozen):
    """How one error was resolved: `autofix:<tool>`, `fixer:<name>`, `memory:<id>`, `fix:<proposal>`, `cascade:<phase>`,
    `unfixable:<id>`, `preexisting`, `flaky`, `superseded`."""

    error_id: str
    how: str
    proposal_id: str | None = None


class NotChecked(Frozen):
    """Something that could not be checked, and why: neither fixed nor unfixed."""

    what: str
    why: str
    advice: str = ""

    @property
    def sentence(self) -> str:
        """All of it in one line: `what: why. advice`."""
        end = "" if not self.advice else " " if self.why.endswith(("?", "!", ".")) else ". "
        return f"{self.what}: {self.why}{end}{self.advice}"


class CiRun(Frozen):
    """A CI run, by its id there, and the `attempt` (from 1) that a failed job belongs to."""

    id: int
    attempt: int


class Spending(Frozen):
    """What models cost in this run: calls, tokens (input split by cache) and US dollars. `lost` counts further calls
    whose reply never arrived, such as those in flight when a process died; `dollars` includes their worst case.
    `estimate_dollars` is what the model work that was not done would have cost."""

    calls: int = 0
    lost: int = 0
    input_tokens: int = 0
    cache_write_tokens: int = 0
    cache_read_tokens: int = 0
    output_tokens: int = 0
    dollars: float = 0.0
    estimate_dollars: float = 0.0


class Culprit(Frozen):
    """The smallest set of the pull request's `of` hunks whose revert makes these errors disappear; `places` has the
    first line of each. `certain`: no smaller set is left to try. It is context and explanation, never a fix."""

    error_ids: tuple[str, ...]
    places: tuple[Related, ...]
    of: int
    runs: int
    certain: bool = True


TOTAL = "total"  # key in an outcome's `seconds` for the whole run including waits; not a phase


class Outcome(Frozen):
    """The result of one run. `verdict`: `healed` (all checks green with all proposals on the tree that CI built),
    `partly`, `not-healed`, `could-not-look`. `base` is the commit that agents started from, in Heal's own repository:
    the head with what autofix changed."""

    verdict: Literal["healed", "partly", "not-healed", "could-not-look"]
    run_id: str
    errors: tuple[CIError, ...] = ()
    causes: tuple[RootCause, ...] = ()
    clusters: tuple[Cluster, ...] = ()
    routings: tuple[dict[str, Any], ...] = ()  # each cluster's agents and why (routing.py in repair/agents, as JSON)
    culprits: tuple[Culprit, ...] = ()
    proposals: tuple[Proposal, ...] = ()
    unfixables: tuple[Unfixable, ...] = ()
    resolutions: tuple[Resolution, ...] = ()
    not_looked: tuple[NotChecked, ...] = ()
    spending: Spending = Spending()
    seconds: dict[str, float] = {}  # by phase, and TOTAL
    regressions_prevented: int = 0  # fixes that were refused, withdrawn or reverted because they broke something
    base: str | None = None
    sightings: dict[str, int] = {}  # error id → in how many jobs of the commit it was reported
    reporting_jobs: dict[str, tuple[str, ...]] = Field(default={}, exclude_if=operator.not_)  # error id → their names
    head_lines: dict[str, tuple[int, int]] = {}  # its first and last line on the head, where it has one
    drifted: tuple[str, ...] = ()  # ids of remaining errors that only the merge with the base shows
    retryable: tuple[CiRun, ...] = ()  # with a failed job that may pass on the same commit when re-run

    @property
    def phase_seconds(self) -> dict[str, float]:
        """The seconds of each phase, in their order."""
        return {name: seconds for name, seconds in self.seconds.items() if name != TOTAL}


def error_id(**fields: Any) -> str:
    """The id of an error: stable for the same tool, place and message in the same log."""
    return "E" + content_id(fields, length=12)


class Candidate(Frozen):
    """An untrusted fix as it is submitted to the verifier (healing/verify/verifier.py). Autofix, fixers, memory, agents
    and people's agents all use it; Heal computes the verdict itself. `strict`: the model that made it is more likely to
    cheat, so the guard applies stricter rules. `flags` are what a person should check; `dollars` is what its agent's
    calls cost until it was submitted; `second_opinion` is one that was given before. Heal sets these four, not the
    model."""

    source: str
    phase: Literal["free", "fast", "slow"]
    title: str
    explanation: str
    confidence: int
    error_ids: tuple[str, ...]
    edits: tuple[Edit, ...]
    strict: bool = False
    flags: tuple[str, ...] = ()
    dollars: float = 0.0
    second_opinion: SecondOpinion = ""
