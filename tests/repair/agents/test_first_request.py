"""An agent's first request: below one limit of bytes, whatever there is to say, and what is left out is named."""

import json
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from healing.llm.anthropic import body_of
from healing.llm.protocol import Message, Request
from healing.model import Category, CIError, RootCause
from healing.repair.agents import wording
from healing.repair.agents.code_parts import fitting, needed, shown_files
from healing.repair.agents.contexts import excerpts
from healing.repair.agents.error_words import causes_of
from healing.repair.agents.first_message import trunk
from healing.repair.agents.room import (
    FIRST_REQUEST,
    SURE,
    divide_room,
    fit_line,
    fit_text,
    request_bytes,
    request_limit,
)
from healing.repair.agents.task import AgentTask, Excerpt
from healing.repair.agents.tool_arguments import schemas
from healing.view import DictView
from tests.model_standin import Reply
from tests.repair.agents.folder import cluster_of, task_of
from tests.repair.agents.scene import scene
from tests.repair.agents.test_many import failing

NONCE = "0123456789abcdef"
WIDE = {"narrow": "value = 1", "wide": "x = '" + "abc" * 400 + "'", "not ASCII": "值 = '" + "錯誤\u200b" * 150 + "'"}
GIVEN_UP = Reply.use("report_unfixable", error_ids=["all"], tried="a", why="b", advice="c")


def with_one_cause(task: AgentTask) -> AgentTask:
    cause = RootCause(fingerprint="f", shape="s", category=Category.TEST, message="m", error_ids=task.ids())
    return task.model_copy(update={"cluster": task.cluster.model_copy(update={"causes": (cause,)})})


def request_of(task: AgentTask) -> int:
    """Bytes of the first request as the client sends it."""
    first, *others = task.ids()
    words = wording.opening(task, first, [], others, NONCE)
    request = Request(
        model="claude-sonnet-5-5", system=wording.system(), tools=schemas(task.profile.tools),
        trunk=trunk(task, NONCE), branch=(Message(role="user", blocks=({"type": "text", "text": words},)),),
        effort="high",
    )  # fmt: skip
    return len(json.dumps(body_of(request), ensure_ascii=False, separators=(",", ":")).encode())


# AG-12
@pytest.mark.parametrize("line", WIDE.values(), ids=WIDE)
@pytest.mark.parametrize("count", [5, 200, 5_000])
async def test_what_is_really_sent_first_stays_below_the_limit(tmp_path: Path, count: int, line: str) -> None:
    errors = tuple(
        failing(n).model_copy(update={"excerpt": "\n".join([f">   {line}"] * 70), "message": f"KeyError: {line}"})
        for n in range(count)
    )
    function = "def function():\n" + f"    {line}\n" * 300
    files = {"src/app.py": function.encode(), **{f"tests/test_{n}.py": function.encode() for n in range(15)}}

    async with scene(tmp_path, lambda _body, _n: GIVEN_UP, errors, files) as stage:
        task = with_one_cause(stage.task())
        long = "\n".join([line] * 500)
        await stage.run(
            cluster=task.cluster, change=long, history=long, style=long, hint=long, examples=long, findings=long,
            steps=tuple(f"{n} {line}" for n in range(50)), commands=((line, "x"),) * 50, never_touched=(line,) * 50,
        )  # fmt: skip
        (asked,) = stage.standin.asked
    assert FIRST_REQUEST * 0.7 < int(asked.headers["content-length"]) <= FIRST_REQUEST


TEXT = st.text(alphabet='ab \n\t"\\é錯\u200b\U0001f600<!-', max_size=120).map(lambda one: one * 60)


# AG-12
@settings(max_examples=60, deadline=None)
@given(TEXT, TEXT, TEXT, TEXT, st.integers(1, 40), st.integers(1, 12))
def test_no_text_makes_a_first_request_longer_than_its_limit(
    message: str, code: str, history: str, style: str, count: int, causes: int
) -> None:
    errors = tuple(
        CIError(id=f"E{n:012}", tool="pytest", category=Category.TEST, file=f"{n}.py", line=n, message=f"{n}{message}",
                test=f"{n}.py::test", excerpt=code)
        for n in range(count)
    )  # fmt: skip
    whole = cluster_of(errors)
    cluster = whole.model_copy(update={"causes": whole.causes[:causes]})
    contexts = excerpts(cluster, errors, DictView({f"{n}.py": code.encode() for n in range(count)}).read)
    task = task_of(errors, cluster=cluster, contexts=contexts, history=history, style=style, change=code, hint=style)
    assert request_of(task) <= request_limit(causes_of(task))


# AG-12
def test_each_part_is_cut_in_lines_and_says_so_and_the_files_without_room_are_named() -> None:
    errors = tuple(failing(n, line=n + 1) for n in range(30))
    contexts = tuple(Excerpt(file=f"m{n}.py", first_line=1, text="value = 1\n" * 400, lines=400) for n in range(30))
    long = "\n".join(f"line {n} of a long text" for n in range(3_000))
    task = with_one_cause(task_of(errors, contexts=contexts, history=long, change=long, style=long))
    first, second = trunk(task, NONCE)
    assert len(re.findall(r"\[… \d+ lines, \d+ characters left out here …\]", first)) == 3
    assert not re.search(r"line \d+ of a long tex$", first, re.M)
    shown = set(re.findall(r"^file: (\S+?)(?:,|$)", second, re.M))
    (left,) = re.findall(r"^No room was left for (.*); `read_file` shows them\.$", second, re.M)
    assert "and parts of" in left
    assert {"m0.py"} <= shown < {f"m{n}.py" for n in range(30)}
    assert not shown & set(re.findall(r"m\d+\.py(?= \(lines 1 to 401)", left))


# AG-12
def test_where_code_has_too_little_room_the_lines_that_errors_name_stay_and_the_gaps_are_marked() -> None:
    text = "\n".join(f"line {n}" for n in range(1, 1_001))
    parts = (Excerpt(file="a.py", first_line=1, text=text, lines=1_000), Excerpt(file="b.py", first_line=1, text=text))
    found = fitting(parts, {"b.py": [500, 700]}, 2_500)
    assert needed(found) <= 2_500
    (output, left) = shown_files(found, NONCE)
    assert "\n500\tline 500\n" in output
    assert "\n700\tline 700\n" in output
    assert re.search(r"^\(… lines 5\d\d to 6\d\d are not shown\)$", output, re.M)
    assert "a.py (lines 1 to 1000)" in left


# AG-12
@given(st.lists(TEXT, min_size=1, max_size=4), st.integers(300, 4_000))
def test_a_text_is_cut_to_whole_lines_of_its_head_and_tail_and_says_how_much_is_missing(
    texts: list[str], room: int
) -> None:
    text = "\n".join(texts)
    cut = fit_text(text, room)
    assert request_bytes(cut) <= room
    assert cut == text if request_bytes(text) <= room else "[… " in cut
    for line in cut.split("\n"):
        assert line in text.split("\n") or "[… " in line


# AG-12
def test_a_line_that_is_cut_ends_in_how_much_of_it_is_missing() -> None:
    cut = fit_line("é" * 500, 200)
    assert cut == "é" * 75 + " [… 425 more characters of this line]"
    assert request_bytes(cut) <= 200


# AG-12
def test_room_that_a_part_leaves_over_goes_to_the_first_that_needs_it_and_none_loses_its_own() -> None:
    assert divide_room({"a": 10, "b": 90, "c": 90}, {"a": 30, "b": 30, "c": 30}, 100) == {"a": 10, "b": 60, "c": 30}
    tools = len(json.dumps(schemas(()))) + request_bytes(wording.system())
    assert sum(SURE.values()) + tools <= FIRST_REQUEST


# AG-12
def test_a_request_has_more_room_for_several_causes_and_counts_only_those_of_its_own_errors() -> None:
    errors = tuple(failing(n) for n in range(20))
    task = task_of(errors)
    assert request_limit(causes_of(task)) == request_limit(10) > request_limit(1) == FIRST_REQUEST
    assert causes_of(task.part(task.ids()[:2])) == 2
