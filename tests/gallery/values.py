"""What the texts of the gallery are about: one pull request, its fixes, one error that needs a person. Each fix has
an id, an error and a proof of its own, so that no two samples contradict each other."""

from handlers.comments import reasons
from handlers.model import CiRunNow, Run, Setting, Settings, Tally
from handlers.model.edit_conflict import EditConflict
from handlers.model.refusal import Refusal
from healing.logs.flakes import FlakyTest
from healing.model import (
    Category,
    CIError,
    Cluster,
    Culprit,
    Edit,
    Evidence,
    NotChecked,
    Outcome,
    Proposal,
    Related,
    Resolution,
    RootCause,
    Spending,
    Unfixable,
)
from tests.handlers.texts import FIX, SHA, STORED
from tests.handlers.world import ERROR


def _error(id_: str, tool: str, code: str, place: tuple[str, int], message: str) -> CIError:
    category = Category.TEST if tool == "pytest" else Category.LINT
    return CIError(id=id_, tool=tool, code=code, category=category, file=place[0], line=place[1], message=message)


def _proof(command: str, before: str, after: str, **fields: object) -> Evidence:
    trees = {"before_tree": "3f9c1d27a0b4e6f8", "after_tree": "c58e02b7d914fa63"}
    shown = {"command": command, "before_exit": 1, "after_exit": 0, "before_output": before, "after_output": after}
    return Evidence.model_validate({**trees, **shown, **fields})


def _fix(id_: str, source: str, title: str, error: CIError, proof: Evidence, **fields: object) -> Proposal:
    """A fix that cost nothing."""
    own = {"id": id_, "source": source, "title": title, "error_ids": (error.id,), "evidence": (proof,)}
    return FIX.model_copy(update={"explanation": "", "dollars": 0.0, "confidence": 95, **own, **fields})


TEST_ERROR = _error("E2", "pytest", "AssertionError", ("tests/test_calc.py", 14), "assert 12.6 == 12.57")
UNUSED = _error("E3", "ruff", "F401", ("shop.py", 1), "`os` imported but unused")
LONG_LINE = _error("E4", "ruff", "E501", ("shop.py", 30), "Line too long (104 > 100)")
UNSORTED = _error("E5", "ruff", "I001", ("data/load.py", 1), "Import block is un-sorted or un-formatted")
UNKNOWN = _error("E6", "ruff", "F821", ("money.py", 8), "Undefined name `Decimal`")
FIXED = FIX.model_copy(update={"explanation": "`math` is used in calc.py without an import."})
OTHER = _fix(
    "b7d1f0c2a9e84e11", "autofix:ruff", "Apply ruff's fixes", UNUSED,
    _proof("ruff check .", "shop.py:1:8: F401 `os` imported but unused\nFound 1 error.", "All checks passed!"),
)  # fmt: skip
IN_TEST = _fix(
    "c0ffee0123456789", "agent:test-repair", "Update the expected area", TEST_ERROR,
    _proof("pytest tests/test_calc.py", "E   assert 12.6 == 12.57\n1 failed in 0.21s", "1 passed in 0.19s", runs=2),
    explanation="`area` now rounds to one decimal, and the test still expects two.",
    dollars=0.04, confidence=80, touches="tests",
)  # fmt: skip
OTHERS_LEFT = _fix(
    "d41c70b2e6f89a35", "agent:generalist", "Break the long line", LONG_LINE,
    _proof(
        "ruff check .", "shop.py:30:101: E501 Line too long (104 > 100)\n…\nFound 11 errors.",
        "shop.py:52:101: E501 Line too long (118 > 100)\n…\nFound 10 errors.", after_exit=1, note="11 → 10 errors",
    ),
    dollars=0.008,
)  # fmt: skip
_FLAG = "calc.py: this fix writes a value that the failing test expects (12.57), so it may just hard-code the result"
FLAGGED = _fix(
    "90c4e7b1d28f5a63", "agent:test-repair", "Return the area that the test expects", TEST_ERROR,
    _proof("pytest tests/test_calc.py", "E   assert 12.6 == 12.57\n1 failed in 0.21s", "1 passed in 0.19s", runs=2),
    explanation="`area` rounds to one decimal, and the test expects two for a radius of 2.",
    flags=(_FLAG,),
    dollars=0.02, confidence=60,
)  # fmt: skip
FOR_FIXUP = _fix(
    "5d2e8a10c4b7f396", "autofix:ruff", "Sort the imports", UNSORTED,
    _proof("ruff check .", "data/load.py:1:1: I001 Import block is un-sorted\nFound 1 error.", "All checks passed!"),
)  # fmt: skip
FORMATTED = ("8c41d0e75b9a2f36", FOR_FIXUP.id)
AS_PATCH = _fix(
    "e6a1b9c4d2078f5b", "fixer:missing_import", "Import Decimal", UNKNOWN,
    _proof("ruff check .", "money.py:8:12: F821 Undefined name `Decimal`\nFound 1 error.", "All checks passed!"),
)  # fmt: skip
SIMILAR = AS_PATCH.model_copy(update={"id": "f3b8a7d6e5c41920", "title": "Import random"})
REPORT = Unfixable(
    id="e54d61aa90b1c2d3",
    error_ids=("E2",),
    reason="given-up",
    tried="rounding the result in calc.py, which breaks test_volume",
    why="the test expects two decimals, and the docstring of area() promises one",
    advice="Decide which is right, and change the other.",
)
KEYLESS = REPORT.model_copy(
    update={
        "reason": "no-key",
        "tried": "",
        "why": "no rule-based fix worked, and no AI key is configured",
        "advice": "Set ANTHROPIC_API_KEY in Heal's environment, and run Heal again: about $0.18.",  # as in a terminal
    }
)
LOST = NotChecked(what="job `docs`", why="its log has expired", advice="Re-run the job.")
CAUSE = RootCause(fingerprint="f1", shape="undefined", category=ERROR.category, message="Undefined name `math`",
                  error_ids=("E1",))  # fmt: skip
OUTCOME = Outcome(
    verdict="partly",
    run_id="run1",
    errors=(ERROR, TEST_ERROR),
    causes=(CAUSE,),
    clusters=(Cluster(id="c1", causes=(CAUSE,), error_ids=("E1",), zone=("calc.py",), phase="fast"),),
    proposals=(FIXED,),
    unfixables=(REPORT,),
    not_looked=(LOST,),
    resolutions=(
        Resolution(error_id="E1", how=f"fix:{FIXED.id}", proposal_id=FIXED.id),
        Resolution(error_id="E2", how=f"unfixable:{REPORT.id}"),
    ),
    reporting_jobs={"E1": ("lint",), "E2": ("test",)},
    head_lines={"E1": (2, 2), "E2": (14, 14)},
    spending=Spending(calls=3, input_tokens=1000, cache_read_tokens=9000, output_tokens=700, dollars=0.021),
    seconds={"total": 34.2},
)
SAME_CAUSE = tuple(ERROR.model_copy(update={"id": f"S{line}", "line": line}) for line in (2, 6, 10))
_SHARED = CAUSE.model_copy(update={"error_ids": tuple(error.id for error in SAME_CAUSE)})
GROUP = Cluster(id="C41f09b2e7d3", causes=(_SHARED,), error_ids=_SHARED.error_ids, zone=("calc.py",), phase="fast")
FOR_GROUP = FIXED.model_copy(update={"error_ids": _SHARED.error_ids})
GROUPED = OUTCOME.model_copy(
    update={"verdict": "healed", "errors": SAME_CAUSE, "causes": (_SHARED,), "clusters": (GROUP,),
            "proposals": (FOR_GROUP,), "unfixables": (), "not_looked": (),
            "resolutions": tuple(Resolution(error_id=error.id, how=f"fix:{FIXED.id}", proposal_id=FIXED.id)
                                 for error in SAME_CAUSE)}
)  # fmt: skip
ALL_FIXED = OUTCOME.model_copy(
    update={"verdict": "healed", "errors": (ERROR,), "unfixables": (), "not_looked": (),
            "resolutions": OUTCOME.resolutions[:1]}
)  # fmt: skip
_MANY = tuple(ERROR.model_copy(update={"id": f"M{number}", "line": number}) for number in range(1, 213))
MANY = OUTCOME.model_copy(
    update={"errors": _MANY, "head_lines": {one.id: (one.line or 1, one.line or 1) for one in _MANY}}
)
NO_FIX = OUTCOME.model_copy(
    update={"verdict": "not-healed", "errors": (TEST_ERROR,), "proposals": (), "clusters": (), "not_looked": (),
            "unfixables": (KEYLESS,), "spending": Spending(), "resolutions": OUTCOME.resolutions[1:],
            "culprits": (Culprit(error_ids=("E2",), places=(Related(file="calc.py", line=2),), of=3, runs=2),)}
)  # fmt: skip
NOT_SEEN = OUTCOME.model_copy(
    update={"verdict": "could-not-look", "errors": (), "proposals": (), "clusters": (), "unfixables": (),
            "resolutions": (), "causes": (), "spending": Spending()}
)  # fmt: skip
FLAKY = NO_FIX.model_copy(
    update={"unfixables": (), "culprits": (), "resolutions": (Resolution(error_id="E2", how="flaky"),)}
)
ON_BASE = FLAKY.model_copy(update={"resolutions": (Resolution(error_id="E2", how="preexisting"),)})
DRIFTED = NO_FIX.model_copy(update={"drifted": ("E2",), "culprits": ()})
WORSE = ALL_FIXED.model_copy(update={"regressions_prevented": 2})
KNOWN = {error.id: error for error in (ERROR, TEST_ERROR, UNUSED, LONG_LINE, UNSORTED, UNKNOWN)}
OFFERED = STORED.model_copy(update={"proposal": FIXED})
APPLIED = STORED.model_copy(update={"proposal": OTHER, "status": "applied", "applied_sha": SHA})
APPLIED_TOO = STORED.model_copy(update={"proposal": FOR_FIXUP, "status": "applied", "applied_sha": "89abcdef" * 5})
REJECTED = OFFERED.model_copy(update={"status": "rejected", "reason": "we do this another way"})
REVERTED = OFFERED.model_copy(update={"status": "rolled-back", "reason": "in commit 89abcdef0123"})
OUTDATED = OFFERED.model_copy(update={"status": "outdated", "reason": "it is already on the base branch"})
IN_FIXUP = OFFERED.model_copy(update={"proposal": FOR_FIXUP, "delivery": "fixup", "fixup_number": 51})
LISTED = OFFERED.model_copy(update={"proposal": AS_PATCH, "delivery": "patch"})
QUIET_WHY = "12 of 15 fixes made by the rule “missing import” for ruff F821 were rejected here"
QUIET = OFFERED.model_copy(update={"proposal": SIMILAR, "status": "muted", "delivery": "none", "reason": QUIET_WHY})
RESOLVED = OFFERED.model_copy(
    update={"proposal": OTHERS_LEFT, "status": "resolved", "reason": reasons.resolved_by("ada")}
)
RUN = Run(repo_id=7, full_name="ada/calc", installation_id=3, sha=SHA, attempt=1, number=5, state="done",
          run_id="run1", outcome=OUTCOME)  # fmt: skip
BOTH_FIXED = RUN.model_copy(
    update={"outcome": ALL_FIXED.model_copy(update={"errors": (ERROR, UNUSED), "proposals": (FIXED, OTHER)})}
)
NEW_ERRORS = (
    _error("E7", "ruff", "E402", ("calc.py", 3), "Module level import not at top of file"),
    _error("E8", "ruff", "I001", ("calc.py", 3), "Import block is un-sorted or un-formatted"),
)
MOVED = EditConflict(file="shop.py", kind="text-gone", lines=(1,), was="import os", now="import os.path")
RENAMED = EditConflict(file="calc.py", kind="text-gone", lines=(4,), was="def area(r):", now="def area(radius):")
TALLY = Tally(kind="fixer:missing_import ruff F821", accepted=3, rejected=12)
FLAKY_TEST = FlakyTest(test="tests/test_till.py::test_opens_in_time", red=4, lucky=3, low=0.3, high=0.95)
RERUN = CiRunNow(attempt=2, conclusion="success")
SETTINGS = Settings(
    settings=(Setting(key="checks", value='["ruff check ."]', given=True),
              Setting(key="comment", value='"suggest"', given=False))
)  # fmt: skip
WRONG = SETTINGS.model_copy(
    update={
        "settings": tuple(one.model_copy(update={"given": False}) for one in SETTINGS.settings),
        "problems": ("unknown key `chekcs`; did you mean `checks`?",),
    }
)
REFUSALS = tuple(
    Refusal(
        status=status,
        kind=kind,  # type: ignore[arg-type]
        words=words,
        needs=("Contents: write",) if kind == "permission" else (),
    )
    for status, kind, words in (
        (422, "secret", "Secret detected in content"),
        (403, "workflow", "refusing to allow a GitHub App to create or update workflow without `workflows` permission"),
        (409, "rule", "Repository rule violations found. Changes must be made through a pull request."),
        (403, "permission", "Resource not accessible by integration"),
        (403, "locked", "Unable to create comment because issue is locked."),
        (403, "archived", "Repository was archived so is read-only."),
        (401, "access", "Bad credentials"),
        (404, "missing", "Not Found"),
        (422, "other", "Validation Failed"),
    )
)
NO_REVIEW = REFUSALS[3].model_copy(update={"needs": ("Pull requests: write",)})
NO_LOG = REFUSALS[3].model_copy(update={"needs": ("Actions: read",)})
LOG_REQUEST = "GET /repos/ada/calc/actions/jobs/7/logs"
PATCH = (
    "diff --git a/calc.py b/calc.py\n--- a/calc.py\n+++ b/calc.py\n@@ -1 +1,4 @@\n+import math\n+\n+\n def area(r):\n"
)
OTHER_PATCH = (
    "diff --git a/money.py b/money.py\n--- a/money.py\n+++ b/money.py\n@@ -1 +1,3 @@\n+from decimal import Decimal\n+\n"
    " def price(text):\n"
)
REVERSE = "--- a/calc.py\n+++ b/calc.py\n@@ -1,4 +1 @@\n-import math\n-\n-\n def area(r):\n"
HARD_CODED = "    return 12.57 if r == 2 else round(math.pi * r * r, 1)\n"
EDIT = Edit(file="calc.py", old_string="def area(r):\n", new_string="import math\n\n\ndef area(r):\n")
__all__ = ["SHA"]
