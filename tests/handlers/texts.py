"""The values that the tests of posted texts show: one fix, one report, one run."""

import re

from handlers.model import Run, StoredProposal
from healing.model import Cluster, Edit, NotChecked, Outcome, Resolution, RootCause, Spending, Unfixable
from tests.handlers.world import ERROR, MemoryWorld

HEAD = {"calc.py": b"def area(r):\n    return math.pi * r * r\n"}
WORLD = MemoryWorld({}, HEAD)
FIX = WORLD.proposal(
    Edit(file="calc.py", old_string="def area(r):\n", new_string="import math\n\n\ndef area(r):\n"),
    explanation="`math` was used without an import. Thanks @ada, see #12 and https://evil.example/x <b>",
).model_copy(update={"dollars": 0.021})
ERRORS = {"E1": ERROR}
SHA = "0123456789abcdef0123456789abcdef01234567"
STORED = StoredProposal(
    proposal=FIX, run_id="run1", attempt=1, number=5, status="offered", delivery="suggestion", comment_id=1000
)
REPORT = Unfixable(
    id="UNFIX123456",
    error_ids=("E1",),
    reason="no-key",
    tried="",
    why="No tool could cure it and no model is configured.",
    advice="Set ANTHROPIC_API_KEY, then say /heal retry.",
)
LOST = NotChecked(what="job `docs`", why="its log is gone", advice="Re-run the job.")
CAUSE = RootCause(
    fingerprint="f1", shape="undefined", category=ERROR.category, message='Undefined "math"', error_ids=("E1",)
)
OUTCOME = Outcome(
    verdict="partly",
    run_id="run1",
    errors=(ERROR, ERROR.model_copy(update={"id": "E2", "file": None, "message": "a | b"})),
    causes=(CAUSE,),
    clusters=(Cluster(id="c1", causes=(CAUSE,), error_ids=("E1",), zone=("calc.py",), phase="fast"),),
    proposals=(FIX,),
    unfixables=(REPORT,),
    not_looked=(LOST,),
    resolutions=(
        Resolution(error_id="E1", how=f"fix:{FIX.id}", proposal_id=FIX.id),
        Resolution(error_id="E2", how="unfixable:UNFIX123456"),
    ),
    spending=Spending(calls=3, input_tokens=1000, cache_read_tokens=9000, output_tokens=700, dollars=0.021),
    seconds={"total": 34.2},
)
RUN = Run(
    repo_id=7,
    full_name="ada/calc",
    installation_id=3,
    sha=SHA,
    attempt=1,
    number=5,
    state="done",
    run_id="run1",
    outcome=OUTCOME,
)


def unpacked(text: str) -> str:
    """A text without the bytes of the patches in it, which differ with the version of zlib."""
    return re.sub(r"printf %s '[0-9A-Za-z+/=]+'", "printf %s '…'", text)
