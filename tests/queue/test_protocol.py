"""What comes over the socket: bad lines get a clear error, never a crash, and nobody but the owner gets in."""

import json
import os
import shutil
import socket
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.queue_socket.place import make_private, place_of
from bot.queue_socket.requests import MAX_LINE, VERBS, BadRequest, read_request
from handlers.errors import UserError
from tests.queue.served import Served

pytestmark = pytest.mark.skipif(not shutil.which("git"), reason="the clone is made with git; install Debian's git")

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
    max_leaves=10,
)
FIELDS = ("agent_id", "session_id", "branch", "worktree", "base_branch", "timeout", "force", "pull_request")


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    room = Path(tempfile.mkdtemp(prefix="heal-queue-"))
    one = Served(room, {"a.txt": b"a\n"})
    one.start()
    yield one
    assert one.stop() == 0
    shutil.rmtree(room)


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b"\n{nonsense\n", "BAD_JSON"),
        (b"\xff\xfe\n", "BAD_JSON"),
        (b"[" * 60_000 + b"\n", "BAD_JSON"),
        (b"1" * 6000 + b"\n", "BAD_JSON"),
        (b'["STATUS"]\n', "BAD_JSON"),
        (b"{}\n", "UNKNOWN_VERB"),
        (b'{"type": "status"}\n', "UNKNOWN_VERB"),
        (b'{"type": ["STATUS"]}\n', "UNKNOWN_VERB"),
        (b'{"type": "REGISTER"}\n', "BAD_REQUEST"),
        (b'{"type": "REGISTER", "agent_id": 7}\n', "BAD_REQUEST"),
        (b'{"type": "REGISTER", "agent_id": "a", "colour": "red"}\n', "BAD_REQUEST"),
        (b'{"type": "REGISTER", "agent_id": "../../etc"}\n', "BAD_NAME"),
        (b'{"type": "REGISTER", "agent_id": "a", "session_id": "x/../y"}\n', "BAD_NAME"),
        (b'{"type": "REGISTER", "agent_id": "a", "base_branch": "--output=x"}\n', "GIT"),
        (b'{"type": "REGISTER", "agent_id": "a", "base_branch": "nowhere"}\n', "NO_BRANCH"),
        (b'{"type": "WAIT", "agent_id": "a", "timeout": NaN}\n', "BAD_REQUEST"),
        (b'{"type": "WAIT", "agent_id": "a", "timeout": "5"}\n', "BAD_REQUEST"),
        (b'{"type": "ENQUEUE", "agent_id": "nobody"}\n', "UNKNOWN_AGENT"),
        (b'{"type": "STATUS", "session_id": "none"}\n', "UNKNOWN_SESSION"),
        (b'{"type": "SESSION_END"}\n', "UNKNOWN_SESSION"),
    ],
)
# MQ-5
def test_a_line_that_is_no_request_gets_a_clear_error_and_the_next_one_its_answer(
    served: Served, line: bytes, code: str
) -> None:
    error, answer = served.say(line, {"type": "STATUS"})
    assert (error["status"], error["code"]) == ("ERROR", code)
    assert len(error["message"]) > 10
    assert answer["status"] == "OK"


# MQ-5
def test_a_line_without_end_is_cut_off_and_the_server_lives(served: Served) -> None:
    answers = served.say(b'{"type": "STATUS", "x": "' + b"x" * (2 * MAX_LINE))
    assert [answer["code"] for answer in answers] in ([], ["TOO_LONG"])  # a reset may overtake the answer
    assert served.state()["status"] == "OK"


def test_half_a_line_asks_for_nothing(served: Served) -> None:
    assert served.say(b'{"type": "SHUTDOWN"}') == []
    assert served.state()["status"] == "OK"


# MQ-5
def test_the_socket_and_its_folder_are_the_owners_alone(served: Served) -> None:
    assert stat.S_IMODE(served.socket.stat().st_mode) == 0o600
    assert stat.S_IMODE(served.socket.parent.stat().st_mode) == 0o700


PEEK = """
import os, socket, sys
os.setgid(65534); os.setuid(65534)
with socket.socket(fileno=int(sys.argv[1])) as line:
    line.connect(sys.argv[2]); print(line.recv(1000).decode())
"""


# MQ-5
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user to try it")
def test_another_user_is_not_let_in_even_where_the_file_would_let_him(served: Served) -> None:
    folders = [served.room, served.room / "data", served.room / "data/queue", served.socket.parent]
    before = [(folder, folder.stat().st_mode) for folder in [*folders, served.socket]]
    try:
        for folder in folders:
            folder.chmod(0o755)
        served.socket.chmod(0o777)
        with socket.socket(socket.AF_UNIX) as line:
            words = [sys.executable, "-c", PEEK, str(line.fileno()), str(served.socket)]
            output = subprocess.run(words, pass_fds=[line.fileno()], capture_output=True, text=True, check=True).stdout
    finally:
        for folder, mode in before:
            folder.chmod(stat.S_IMODE(mode))
    assert json.loads(output)["code"] == "NOT_YOURS"


@pytest.mark.parametrize("mode", [0o755, 0o770])
def test_a_socket_is_not_put_where_others_may_go(tmp_path: Path, mode: int) -> None:
    (tmp_path / "open").mkdir()
    (tmp_path / "open").chmod(mode)
    with pytest.raises(UserError, match="nobody else may enter"):
        make_private(tmp_path / "open")
    (tmp_path / "link").symlink_to(tmp_path)
    with pytest.raises(UserError, match="nobody else may enter"):
        make_private(tmp_path / "link")


def test_a_path_that_is_too_long_for_a_socket_is_said_before_anything_is_made(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="--socket"):
        place_of(tmp_path / ("x" * 90), tmp_path)


def test_the_seeds_own_way_to_speak_works(served: Served) -> None:
    """REGISTER by name alone; branch and worktree come with ENQUEUE."""
    subprocess.run(["git", "branch", "mine"], cwd=served.clone, check=True)
    who: dict[str, object] = {"agent_id": "agent-abc123", "session_id": "plain"}
    registered, position, waited = served.say(
        {"type": "REGISTER", **who},
        {"type": "ENQUEUE", **who, "branch": "mine", "worktree": "/somewhere"},
        {"type": "WAIT", **who},
    )
    assert registered["branch"] == "agent/plain/agent-abc123"
    assert position["code"] == "NOTHING_TO_MERGE"
    assert waited["code"] == "NOT_QUEUED", "that wait would never end"


def test_shutdown_is_answered_and_ends_the_server_in_order() -> None:
    room = Path(tempfile.mkdtemp(prefix="heal-queue-"))
    one = Served(room, {"a.txt": b"a\n"})
    try:
        one.start()
        assert one.say({"type": "SHUTDOWN"}) == [{"status": "OK"}]
        assert one.serving is not None
        assert one.serving.wait(20) == 0
        assert not one.socket.exists()
    finally:
        one.stop()
        shutil.rmtree(room)


def read(line: bytes) -> str:
    """The verb that was understood, or the sentence why none was."""
    try:
        return read_request(line).type
    except BadRequest as error:
        return str(error)


@settings(deadline=None)
@given(line=st.binary(max_size=200) | JSON.map(lambda value: json.dumps(value).encode()))
def test_reading_a_request_never_crashes(line: bytes) -> None:
    assert read(line)


@settings(deadline=None)
@given(verb=st.sampled_from(VERBS), fields=st.dictionaries(st.sampled_from(FIELDS), JSON))
def test_a_verb_with_any_fields_is_a_request_or_a_clear_error(verb: str, fields: dict[str, Any]) -> None:
    assert read(json.dumps({**fields, "type": verb}).encode()).startswith(verb)
