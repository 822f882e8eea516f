"""What the texts of the gallery are about: one pull request, three fixes, one error that needs a person."""

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
    NotChecked,
    Outcome,
    Related,
    Resolution,
    RootCause,
    Spending,
    Unfixable,
)
from tests.handlers.texts import FIX, SHA, STORED
from tests.handlers.world import ERROR

FIXED = FIX.model_copy(update={"explanation": "`math` is used in calc.py without an import."})
EVIDENCE = FIXED.evidence[0]
OTHER = FIXED.model_copy(
    update={"id": "b7d1f0c2a9e84e11", "source": "autofix:ruff", "title": "Apply ruff", "dollars": 0.0, "confidence": 95}
)
IN_TEST = OTHER.model_copy(update={"id": "c0ffee0123456789", "title": "Update the expected total", "touches": "tests"})
OTHERS_LEFT = FIXED.model_copy(
    update={"evidence": (EVIDENCE.model_copy(update={"after_exit": 1, "note": "11 → 10 errors"}),)}
)
REPORT = Unfixable(
    id="e54d61aa90b1c2d3",
    error_ids=("E2",),
    reason="no-key",
    tried="",
    why="no rule-based fix worked, and no AI key is configured",
    advice="Set ANTHROPIC_API_KEY in Heal's environment, and run Heal again: about $0.18.",
)
TEST_ERROR = CIError(
    id="E2", tool="pytest", code="AssertionError", category=Category.TEST, file="tests/test_calc.py", line=14,
    message="assert 12.6 == 12.57",
)  # fmt: skip
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
    head_lines={"E1": (2, 2), "E2": (14, 14)},
    spending=Spending(calls=3, input_tokens=1000, cache_read_tokens=9000, output_tokens=700, dollars=0.021),
    seconds={"total": 34.2},
)
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
            "resolutions": OUTCOME.resolutions[1:],
            "culprits": (Culprit(error_ids=("E2",), places=(Related(file="calc.py", line=2),), of=3, runs=2),)}
)  # fmt: skip
NOT_SEEN = OUTCOME.model_copy(
    update={"verdict": "could-not-look", "errors": (), "proposals": (), "clusters": (), "unfixables": (),
            "resolutions": (), "causes": ()}
)  # fmt: skip
FLAKY = NO_FIX.model_copy(
    update={"unfixables": (), "culprits": (), "resolutions": (Resolution(error_id="E2", how="flaky"),)}
)
ON_BASE = FLAKY.model_copy(update={"resolutions": (Resolution(error_id="E2", how="preexisting"),)})
DRIFTED = NO_FIX.model_copy(update={"drifted": ("E2",), "culprits": ()})
WORSE = ALL_FIXED.model_copy(update={"regressions_prevented": 2})
KNOWN = {"E1": ERROR, "E2": TEST_ERROR}
OFFERED = STORED.model_copy(update={"proposal": FIXED})
APPLIED = STORED.model_copy(update={"proposal": OTHER, "status": "applied", "applied_sha": SHA})
REJECTED = OFFERED.model_copy(update={"status": "rejected", "reason": "we do this another way"})
REVERTED = OFFERED.model_copy(update={"status": "rolled-back", "reason": "in commit 89abcdef0123"})
OUTDATED = OFFERED.model_copy(update={"status": "outdated", "reason": "it is already on the base branch"})
IN_FIXUP = OFFERED.model_copy(update={"delivery": "fixup", "fixup_number": 51})
LISTED = OFFERED.model_copy(update={"delivery": "patch"})
QUIET_WHY = "12 of 15 fixes made by the rule “missing import” for ruff F821 were rejected here"
QUIET = OFFERED.model_copy(update={"status": "pending", "reason": QUIET_WHY})
RUN = Run(repo_id=7, full_name="ada/calc", installation_id=3, sha=SHA, attempt=1, number=5, state="done",
          run_id="run1", outcome=OUTCOME)  # fmt: skip
MOVED = EditConflict(file="calc.py", kind="text-gone", lines=(1,), was="def area(r):", now="def volume(r):")
TALLY = Tally(kind="fixer:missing_import ruff F821", accepted=3, rejected=12)
FLAKY_TEST = FlakyTest(test="tests/test_till.py::test_opens_in_time", red=4, lucky=3, low=0.3, high=0.95)
RERUN = CiRunNow(attempt=2, conclusion="success")
SETTINGS = Settings(
    settings=(Setting(key="checks", value='["ruff check ."]', given=True),
              Setting(key="comment", value='"suggest"', given=False))
)  # fmt: skip
WRONG = SETTINGS.model_copy(update={"problems": ("unknown key `chekcs`; did you mean `checks`?",)})
REFUSALS = tuple(
    Refusal(status=status, kind=kind, words=words)  # type: ignore[arg-type]
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
PATCH = "diff --git a/calc.py b/calc.py\n--- a/calc.py\n+++ b/calc.py\n@@ -1 +1,3 @@\n+import math\n+\n def area(r):\n"
REVERSE = "--- a/calc.py\n+++ b/calc.py\n@@ -1,3 +1 @@\n-import math\n-\n def area(r):\n"
EDIT = Edit(file="calc.py", old_string="def area(r):\n", new_string="import math\n\n\ndef area(r):\n")
__all__ = ["SHA"]
