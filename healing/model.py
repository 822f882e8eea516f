"""The words of Heal as values: frozen, strict, and without behaviour beyond themselves.

Everything that crosses a storey, a process or the store is one of these. Ids are content-addressed, so the same
thing found twice is the same thing.
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
    """What kind of thing went wrong."""

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
    """How loud the tool reported it."""

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

    `file` is relative to the repository, POSIX; `line` and `column` are 1-based; `log_line` is the 1-based line of
    the log that reported it; `score` in 0..1 says how surely this failed the job; `source` is `log`,
    `annotation` or `report` (a file that CI stored).
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
    """Errors that one edit would fix. `fingerprint` is stable across runs and line shifts. `explained_by`: the
    fingerprint of the cause behind this one, which may be gone once that is fixed."""

    fingerprint: str
    shape: str
    category: Category
    message: str
    symbols: tuple[str, ...] = ()
    error_ids: tuple[str, ...]
    files: tuple[str, ...] = ()
    explained_by: str = ""


class Cluster(Frozen):
    """Root causes that one agent gets. `zone` is every file that may need an edit."""

    id: str
    causes: tuple[RootCause, ...]
    error_ids: tuple[str, ...]
    zone: tuple[str, ...]
    phase: Literal["fast", "slow"]


class Edit(Frozen):
    """`old_string` occurs exactly once in `file` and becomes `new_string`.

    `create` has an empty `old_string` and the whole file in `new_string`; `delete` the other way round. `mode` is
    git's (`100644`, `100755`) and is only used by those two. With an `anchor` the old text counts only at the start of
    the file, at its end, or as the whole of it. Without one the field is left out of what is stored, so that an edit's
    JSON, and every id made of it, is the same as before there were anchors.
    """

    file: str
    old_string: str
    new_string: str
    kind: Literal["replace", "create", "delete"] = "replace"
    mode: str = "100644"
    anchor: Literal["", "start", "end", "whole"] = Field(default="", exclude_if=operator.not_)


class Evidence(Frozen):
    """One command run by Heal on one exact tree, before and after the edits. Exit code None: it did not end.

    `alone` is false where the tree after holds the other proposals too: then it shows that they work together.
    `check` is the whole check (healing/checks/check.py as JSON), so that it can be run again on another head.
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


SecondOpinion = Literal["", "fix", "partial", "overfit", "cheat"]  # empty: none was asked for, or none was given


class Proposal(Frozen):
    """Verified edits with evidence. `edits` are minimal (delivery uses them), `wide` and `reverse` are the same
    change widened by context until each direction is unique (rollback uses them); see healing/edits/exact.py.

    `source` is how the errors end if it is accepted: `autofix:ruff`, `fixer:missing_import`, `agent:generalist`.
    `needs` names proposals that must be applied before this one; `dollars` is what its agent's calls cost. `touches`:
    what it changes beside the product, because the error lies there; then it is applied by its id, never with `all`.
    `second_opinion` is a model's, of a fix that a model made (healing/repair/review).
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
    layout_only: bool = Field(default=False, exclude_if=operator.not_)  # by a tool, and sure
    second_opinion: SecondOpinion = Field(default="", exclude_if=operator.not_)


class Unfixable(Frozen):
    """An honest report why not. `reason` is one word: `no-key`, `budget`, `refused`, `conflict`, `given-up`…"""

    id: str
    error_ids: tuple[str, ...]
    reason: str
    tried: str
    why: str
    advice: str


class Resolution(Frozen):
    """How one error ended: `autofix:<tool>`, `fixer:<name>`, `memory:<id>`, `fix:<proposal>`,
    `cascade:<phase>`, `unfixable:<id>`, `preexisting`, `flaky`, `superseded`."""

    error_id: str
    how: str
    proposal_id: str | None = None


class NotChecked(Frozen):
    """Something that could not be looked at, and why: the third answer beside healed and not healed."""

    what: str
    why: str
    advice: str = ""

    @property
    def sentence(self) -> str:
        """All of it in one line for people: `what: why. advice`."""
        end = "" if not self.advice else " " if self.why.endswith(("?", "!", ".")) else ". "
        return f"{self.what}: {self.why}{end}{self.advice}"


class CiRun(Frozen):
    """A run of CI, by its number there, and which `attempt` of it (from 1) a failed job belongs to."""

    id: int
    attempt: int


class Spending(Frozen):
    """What models cost in this run: calls, tokens (input split by cache) and US dollars. `lost` counts the calls
    beside them whose reply never came, such as those in flight when a process died: their worst case is in `dollars`.
    `estimate` is what the model work that was not done would have cost."""

    calls: int = 0
    lost: int = 0
    input_tokens: int = 0
    cache_write_tokens: int = 0
    cache_read_tokens: int = 0
    output_tokens: int = 0
    dollars: float = 0.0
    estimate_dollars: float = 0.0


class Culprit(Frozen):
    """The fewest of the pull request's `of` hunks without which these errors are gone; `places` name each by its
    first line. `certain`: no smaller set is left to try. Context and explanation, never a fix."""

    error_ids: tuple[str, ...]
    places: tuple[Related, ...]
    of: int
    runs: int
    certain: bool = True


TOTAL = "total"  # in an outcome's `seconds`: the whole run with its waits, which is no phase


class Outcome(Frozen):
    """What one healing ended with. `verdict`: `healed` (all checks green with all proposals on the tree that CI
    built), `partly`, `not-healed`, `could-not-look`. `base` is the commit that agents started from, in Heal's own
    repository: the head with what autofix changed."""

    verdict: Literal["healed", "partly", "not-healed", "could-not-look"]
    run_id: str
    errors: tuple[CIError, ...] = ()
    causes: tuple[RootCause, ...] = ()
    clusters: tuple[Cluster, ...] = ()
    routings: tuple[dict[str, Any], ...] = ()  # who got each cluster and why (healing/repair/agents/routing.py as JSON)
    culprits: tuple[Culprit, ...] = ()
    proposals: tuple[Proposal, ...] = ()
    unfixables: tuple[Unfixable, ...] = ()
    resolutions: tuple[Resolution, ...] = ()
    not_looked: tuple[NotChecked, ...] = ()
    spending: Spending = Spending()
    seconds: dict[str, float] = {}  # by phase, and TOTAL
    regressions_prevented: int = 0  # fixes that were refused, withdrawn or undone because they broke something
    base: str | None = None
    sightings: dict[str, int] = {}  # error id → in how many jobs of the commit it was reported
    head_lines: dict[str, tuple[int, int]] = {}  # error id → its first and last line on the head, where it has them
    drifted: tuple[str, ...] = ()  # ids of errors that are left and that only the merge with the base shows
    retryable: tuple[CiRun, ...] = ()  # with a failed job that may pass on the same commit when it is run again

    @property
    def phase_seconds(self) -> dict[str, float]:
        """How long each phase took, in their order."""
        return {name: seconds for name, seconds in self.seconds.items() if name != TOTAL}


def error_id(**fields: Any) -> str:
    """Id of an error: stable for the same tool, place and message in the same log."""
    return "E" + content_id(fields, length=12)


class Candidate(Frozen):
    """What anyone may hand to the verifier (healing/verify/verifier.py): an untrusted wish for a fix. Autofix, fixers,
    memory,
    agents and people's agents all use it; Heal computes the verdict itself. `strict`: it comes from a model that may
    cheat more than others, and is judged more severely; `flags` are what a person should look at; `dollars` is what
    its agent's calls cost until it was handed in; `second_opinion` is one that was given before. Heal says all four,
    not the model."""

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
