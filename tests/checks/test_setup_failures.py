"""Set-ups that fail: each ends with a reason that a person can do something about. A real pip, git and proxy."""

import asyncio
import re
from dataclasses import replace
from pathlib import Path

import pytest

from healing.checks.check import Check, CheckResult, Script
from healing.checks.rules import CheckRules, TimeLimits
from healing.checks.setup_failure import with_reason
from healing.sandbox.company import CompanySettings, read_company_settings
from healing.sandbox.indexes import own_indexes
from healing.sandbox.network import RequestedConnection, SetupNetwork
from tests.checks.test_setup_network import asked, checker
from tests.pipeline.bench import Bench
from tests.sandbox.test_logins import PrivateIndex, private
from tests.sandbox.test_network import NAME, Index, index

__all__ = ["asked", "index", "private"]


def reaching(
    index: Index | PrivateIndex, asked: list[RequestedConnection], folder: Path, trusting: bool = True
) -> SetupNetwork:
    (folder / "authority.pem").write_text(index.certificate)
    environ = {"SSL_CERT_FILE": str(folder / "authority.pem"), "PIP_INDEX_URL": f"https://{NAME}:{index.port}/simple"}
    company = read_company_settings(environ, folder)
    company = company if trusting else CompanySettings(variables=company.variables)
    return SetupNetwork((NAME,), own_indexes(f"{NAME}:{index.port}=127.0.0.1"), company=company, tell=asked.append)


async def failed(bench: Bench, network: SetupNetwork | None, run: str, seconds: float = 60.0) -> CheckResult:
    """How a check ends whose set-up is this."""
    (tree,) = bench.trees({"a.py": "\n"})
    rules = CheckRules(limits=TimeLimits(setup=seconds))
    made = replace(checker(bench, tree, network), rules=rules)
    await made.worktrees.base(made.run_id, made.git, tree)
    check = Check(workflow="w", job="j", step=Script(name="s", run="true"), setup=(Script(name="i", run=run),))
    result = await made.run(check, tree)
    assert not result.green
    return result


def first(result: CheckResult) -> str:
    return result.problem.splitlines()[0]


# ENV-2
async def test_a_host_that_may_not_be_reached_is_the_reason_with_the_line_that_helps(
    bench: Bench, index: Index, asked: list[RequestedConnection], tmp_path: Path
) -> None:
    run = "pip install --index-url https://other.example.com/simple heal-demo"
    why = first(await failed(bench, reaching(index, asked, tmp_path), run))
    assert why == (
        "its set-up does not work here: other.example.com:443 is not among the hosts that set-up steps may reach: "
        "put `network: [default, other.example.com]` into .github/heal.yml"
    ).replace(":443", "")


# ENV-2
async def test_an_index_that_is_not_there_is_the_reason(
    bench: Bench, index: Index, asked: list[RequestedConnection], tmp_path: Path
) -> None:
    network = replace(reaching(index, asked, tmp_path), own=own_indexes(f"{NAME}:{index.port}=127.0.0.2"))
    why = first(await failed(bench, network, "pip install heal-demo"))
    assert why.startswith(f"its set-up does not work here: {NAME} could not be reached: ")


# ENV-2
async def test_a_certificate_that_nobody_trusts_is_the_reason(
    bench: Bench, index: Index, asked: list[RequestedConnection], tmp_path: Path
) -> None:
    why = first(await failed(bench, reaching(index, asked, tmp_path, trusting=False), "pip install heal-demo"))
    assert why == (
        f"its set-up does not work here: the certificate of {NAME} is not trusted in there: name the authority's file "
        "in SSL_CERT_FILE where Heal is started"
    )


# ENV-2
@pytest.mark.parametrize(
    ("run", "says"),
    [
        ("git clone -q https://{where}/x.git", f"{NAME} wants a login, and Heal has none for it"),
        (
            "pip install heal-demo",
            f"for heal-demo ({NAME} has none, or wants a login that Heal doesn't have: HEAL_INDEX",
        ),
    ],
)
async def test_a_login_that_is_missing_is_the_reason(
    bench: Bench, private: PrivateIndex, asked: list[RequestedConnection], tmp_path: Path, run: str, says: str
) -> None:
    network = reaching(private, asked, tmp_path)
    assert says in first(await failed(bench, network, run.format(where=f"{NAME}:{private.port}")))


# ENV-2
async def test_a_download_without_end_is_cut_off_and_is_the_reason(
    bench: Bench, index: Index, asked: list[RequestedConnection], tmp_path: Path
) -> None:
    index.pages["/simple/large/"] = (b"text/html", b'<a href="/large-1.0.tar.gz">large-1.0.tar.gz</a>')
    index.pages["/large-1.0.tar.gz"] = (b"application/octet-stream", bytes(40 << 20))
    network = replace(reaching(index, asked, tmp_path), most_bytes=16 << 20)
    why = first(await failed(bench, network, "pip install --no-cache-dir large"))
    assert "it downloaded more than 0.016 GiB, which is all that set-up steps may" in why


# ENV-2
@pytest.mark.parametrize("networked", [True, False])
async def test_a_step_that_floods_its_output_is_ended_and_that_is_the_reason(
    bench: Bench, index: Index, asked: list[RequestedConnection], tmp_path: Path, networked: bool
) -> None:
    network = reaching(index, asked, tmp_path) if networked else None
    result = await asyncio.wait_for(failed(bench, network, "yes"), 60)
    assert "set-up step 1 printed more than 67108864 bytes and was ended" in first(result)
    assert len(result.output) < 50_000


# ENV-2
async def test_a_step_that_hangs_is_ended_and_that_is_the_reason(
    bench: Bench, index: Index, asked: list[RequestedConnection], tmp_path: Path
) -> None:
    result = await failed(bench, reaching(index, asked, tmp_path), "sleep 1000 & sleep 1000", seconds=2)
    assert re.match(r"its set-up did not end here \(.{0,80}2(?:\.0)? s", first(result)), first(result)


# ENV-2
async def test_what_the_step_itself_says_is_the_reason_where_the_network_is_none(
    bench: Bench, index: Index, asked: list[RequestedConnection], tmp_path: Path
) -> None:
    network = reaching(index, asked, tmp_path)
    why = first(await failed(bench, network, "pip install ./gone || { echo bye >&2; exit 3; }"))
    assert "set-up step 1 ended with exit code 3: ERROR: Invalid requirement: './gone'" in why


# ENV-2
def test_a_refusal_that_the_step_did_not_mind_is_not_the_reason() -> None:
    asked = [
        RequestedConnection(
            "telemetry.example.com", "telemetry.example.com:443 is not among the hosts that set-up steps may reach"
        )
    ]
    output = b"set-up step 1 ended with exit code 1\ngcc: fatal: no input files\n"
    assert with_reason(output, asked).splitlines()[0] == (
        b"set-up step 1 ended with exit code 1: gcc: fatal: no input files"
    )
    assert with_reason(b"", asked) == b""
    assert with_reason(b"\xff\n" * 9, ()).startswith(b"\xef\xbf\xbd: ")


# ENV-2
def test_an_exception_by_its_name_is_the_reason_and_not_the_hint_after_it() -> None:
    printed = (
        b"set-up step 2 ended with exit code 1\nUpdating\n[AttributeError]: no attribute 'Storage'\nWARNING: Add '-v'\n"
    )
    first = with_reason(printed).splitlines()[0]
    assert first == b"set-up step 2 ended with exit code 1: [AttributeError]: no attribute 'Storage'"
