"""Many errors that say the same: an agent is shown one of them whole, and names them all with one word."""

import json
from pathlib import Path

from healing.model import Category, CIError, Related
from healing.repair.agents.first_message import trunk
from tests.model_standin import Reply
from tests.model_standin.brains import sections
from tests.model_standin.replies import Body
from tests.repair.agents.folder import task_of
from tests.repair.agents.scene import ERRORS, FIXES, IDS, scene
from tests.repair.agents.test_loop import fix

CODE = b"".join(b"def function_%d(value):\n    return value + %d\n\n\n" % (n, n) for n in range(400))
FRAMES = tuple(Related(file=None, message="") for _ in range(6))


def failing(number: int, line: int = 9, message: str = "KeyError: 'k{}'") -> CIError:
    """A test that fails where many do, with frames of the runner's own plugins between."""
    file = f"tests/test_{number % 30}.py"
    own = (Related(file=file, line=number % 90 + 1), Related(file="src/app.py", line=line))
    return CIError(
        id=f"E{number:012}", tool="pytest", code="KeyError", category=Category.TEST, file="src/app.py", line=line,
        message=message.format(number), related=(*own[:1], *FRAMES, *own[1:]), test=f"{file}::test_{number}",
        excerpt="\n".join(f">       line {number} of a long traceback" for _ in range(70)),
    )  # fmt: skip


# AG-12 AG-4
async def test_a_first_request_stays_small_for_any_number_of_errors_with_one_cause(tmp_path: Path) -> None:
    errors = tuple(failing(number) for number in range(2_000))
    files = {"src/app.py": CODE, **{f"tests/test_{n}.py": CODE for n in range(30)}}

    def brain(body: Body, _number: int) -> Reply:
        return Reply.use("report_unfixable", error_ids=["all"], tried="a", why="b", advice="c")

    async with scene(tmp_path, brain, errors, files) as stage:
        task = stage.task()
        cause = task.cluster.causes[0].model_copy(update={"error_ids": task.ids()})
        result = await stage.run(cluster=task.cluster.model_copy(update={"causes": (cause,)}))
        (asked,) = stage.standin.asked
        assert len(json.dumps(asked.body)) <= 40_000
        assert {i for report in result.unfixables for i in report.error_ids} == set(task.ids())


# AG-12
def test_of_errors_that_say_the_same_at_the_same_place_one_is_shown_whole_and_the_others_as_a_list() -> None:
    errors = (*(failing(number) for number in range(3)), failing(3, line=17), failing(4, message="KeyError: k{}"))
    (reported, _) = trunk(task_of(errors), "word")
    assert reported.count("long traceback") == 70 * 3
    body = {"messages": [{"role": "user", "content": [{"type": "text", "text": reported}]}]}
    assert list(sections(body)) == [errors[n].id for n in (0, 1, 2, 3, 4)]
    assert f"also {errors[1].id}: tests/test_1.py::test_1: KeyError: 'k1'" in reported
    assert "None:None" not in reported
    assert reported.count("related: (6 outside of the repository)") == 3


# AG-12 AG-3
async def test_one_fix_for_all_settles_all_that_it_fixes(tmp_path: Path) -> None:
    edits = [(file, old, new) for file, (old, new) in FIXES.items()]
    async with scene(tmp_path, lambda _body, _n: fix(["all"], *edits)) as stage:
        (proposal,) = (await stage.run()).proposals
        assert proposal.error_ids == IDS
        assert len(stage.standin.asked) == 1
        assert stage.errors == ERRORS
