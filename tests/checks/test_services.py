"""Services of a job are really started beside its check, in the same sandbox; what can't be is named."""

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import pytest

from healing.checks.check import Check, CheckResult
from healing.checks.finding import find_checks
from healing.checks.job import WorkflowJob
from healing.checks.reproducing import reproduce
from healing.checks.services.service import Service
from healing.checks.services.starting import KINDS, difference, kind_of
from healing.checks.workflow import parse_workflow
from healing.failed_jobs import FailedJob, StepFact
from healing.sandbox.bubblewrap import Bubblewrap
from healing.view import DictView
from tests.pipeline.bench import Bench

PATH = ".github/workflows/ci.yml"
POSTGRES = """\
jobs:
  test:
    services:
      base:
        image: postgres:15
        env: {POSTGRES_USER: noor, POSTGRES_PASSWORD: "it's tea", POSTGRES_DB: shop}
        ports: ["5499:5432"]
        options: --health-cmd pg_isready
    steps:
      - env: {PGPASSWORD: "it's tea", PORT: "${{ job.services.base.ports['5432'] }}"}
        run: |
          psql -h localhost -p "$PORT" -U noor shop -Atc 'select current_database()'
          PGPASSWORD=no psql -h localhost -p 5499 -U noor shop -Atc 'select 1' || echo "a wrong password is refused"
"""
REDIS = """\
jobs:
  test:
    services: {cache: {image: "redis:7", ports: ["6379"]}}
    steps:
      - run: redis-cli -p ${{ job.services.cache.ports[6379] }} set a b && redis-cli get a
"""
MYSQL = """\
jobs:
  test:
    services:
      base:
        image: mysql:8.0
        env: {MYSQL_ROOT_PASSWORD: "ro'ot", MYSQL_DATABASE: shop, MYSQL_USER: noor, MYSQL_PASSWORD: tea}
        ports: ["3306:3306/tcp"]
    steps:
      - run: |
          mariadb -h 127.0.0.1 -unoor -ptea shop -Ne 'create table t (a int); insert into t values (7); select a from t'
          mariadb -h 127.0.0.1 -uroot "-pro'ot" -Ne 'select user()'
          mariadb -h 127.0.0.1 -unoor -pwrong shop -Ne 'select 1' || echo "a wrong password is refused"
"""
IN_CONTAINER = """\
jobs:
  test:
    container: python:3.12
    services:
      one: {image: "postgres:15", env: {POSTGRES_HOST_AUTH_METHOD: trust}}
      two: {image: "postgres:15", env: {POSTGRES_PASSWORD: "${{ secrets.NOBODY_KNOWS }}"}}
    steps:
      - run: |
          psql -h one -U postgres -Atc "create database only_one"
          psql -h two -U postgres -Atc "select count(*) from pg_database where datname = 'only_one'"
"""


def job(text: str) -> WorkflowJob:
    return parse_workflow(PATH, text.encode()).jobs[0]


def check(text: str) -> Check:
    flow = parse_workflow(PATH, text.encode())
    return reproduce(flow, flow.jobs[0], flow.jobs[0].scripts()[-1]).check


def run(bench: Bench, one: Check, sandbox: Bubblewrap | None = None) -> CheckResult:
    (tree,) = bench.trees({"a": "a\n"})
    checker = bench.checker(tree)
    return asyncio.run(replace(checker, sandbox=sandbox or checker.sandbox).run(one, tree))


def need(bench: Bench, kind: str) -> None:
    """Skips where the server can't be run for real."""
    if not bench.sandbox.own_loopback:
        pytest.skip(f"{bench.sandbox.name} has no network of its own: bubblewrap is needed")
    if KINDS[kind].find("") is None:
        pytest.skip(f"{kind} is not installed (Debian: {KINDS[kind].package})")


def servers_running() -> list[str]:
    """Command lines of servers that a sandbox has started, anywhere on this machine."""
    lines = []
    for place in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            lines.append(place.read_bytes().decode(errors="replace").replace("\0", " "))
        except OSError:
            continue
    return [line for line in lines if "/tmp/postgres." in line and "-p 5499" in line]


# CK-1
@pytest.mark.parametrize(
    ("kind", "text", "says"),
    [
        ("postgres", POSTGRES, ["shop", "FATAL:  password authentication failed", "a wrong password is refused"]),
        ("redis", REDIS, ["OK", "b"]),
        ("mysql", MYSQL, ["7", "root@localhost", "ERROR 1045", "a wrong password is refused"]),
        ("postgres", IN_CONTAINER, ["CREATE DATABASE", "0"]),
    ],
)
def test_a_service_is_started_beside_its_check_with_its_settings_and_port(
    bench: Bench, kind: str, text: str, says: list[str]
) -> None:
    need(bench, kind)
    seen = run(bench, check(text))
    assert (seen.exit_code, seen.problem) == (0, ""), seen.output
    lines = seen.output.splitlines()
    assert len(lines) == len(says), seen.output
    assert all(output in line for output, line in zip(says, lines, strict=True)), seen.output
    assert servers_running() == []


# CK-1
def test_a_failing_step_beside_a_service_is_red_and_no_could_not_look(bench: Bench) -> None:
    need(bench, "redis")
    seen = run(bench, check(REDIS.replace("&& redis-cli get a", "&& exit 98")))
    assert (seen.exit_code, seen.problem) == (98, "")


# CK-1
def test_a_service_that_does_not_come_up_is_a_could_not_look_with_its_own_words(bench: Bench) -> None:
    need(bench, "postgres")
    wrong = POSTGRES.replace("POSTGRES_DB: shop", "POSTGRES_INITDB_ARGS: --no-such-thing")
    seen = run(bench, check(wrong))
    assert seen.problem.startswith("a service did not start: postgres:15\n"), seen.problem
    assert "unrecognized option '--no-such-thing'" in seen.problem
    assert not seen.green


# CK-1, WT-5
def test_a_sandbox_without_a_network_of_its_own_starts_no_service(bench: Bench) -> None:
    walls = Bubblewrap("/no/such/bwrap", None, name="walls", own_loopback=False)
    if KINDS["redis"].find("") is None:
        pytest.skip("redis is not installed (Debian: redis-server)")
    assert run(bench, check(REDIS), walls).problem == (
        "it needs the service redis:7, and the sandbox of this machine (walls) has no network of its own to start it "
        "in: bubblewrap has (heal doctor)"
    )


# CK-1
@pytest.mark.parametrize("text", [POSTGRES, REDIS, MYSQL])
def test_where_its_program_is_not_installed_the_package_is_named(text: str) -> None:
    (service,) = job(text).services
    kind = kind_of(service)
    assert kind is not None
    found = find_checks((FailedJob("test", PATH, (StepFact("x", "failure"),)),), DictView({PATH: text.encode()}))
    assert found.failing == ()
    flow = parse_workflow(PATH, text.encode())
    blockers = [str(one) for one in reproduce(flow, flow.jobs[0], flow.jobs[0].scripts()[0]).blockers]
    why = (
        f"it needs the service {service.image}, which is not installed where Heal runs checks (Debian: {kind.package})"
    )
    assert blockers == ([] if kind.find("") else [f"{why} ({service.place})"])


# CK-1
@pytest.mark.parametrize(
    ("image", "kind", "version"),
    [
        ("postgres", "postgres", ""),
        ("postgres:16-alpine", "postgres", "16"),
        ("docker.io/library/postgres:9.6.24", "postgres", "9.6.24"),
        ("docker.io/postgres:latest@sha256:0f0f", "postgres", ""),
        ("registry.example.com:5000/postgres:15", "", "15"),
        ("postgis/postgis:15-3.4", "", "15"),
        ("bitnami/postgresql:15", "", "15"),
        ("redis:7.2-bookworm", "redis", "7.2"),
        ("valkey/valkey:8", "redis", "8"),
        ("mariadb:10.11", "mysql", "10.11"),
        ("mysql:8", "mysql", "8"),
        ("…", "", ""),
    ],
)
def test_an_image_is_known_by_its_repository_and_nothing_less(image: str, kind: str, version: str) -> None:
    service = Service("name", image, PATH)
    found = kind_of(service)
    assert (found.name if found else "", service.version) == (kind, version)


# CK-1
def test_another_version_or_product_than_cis_is_named() -> None:
    kind = KINDS["mysql"]
    have = kind.find("")
    if have is None:
        pytest.skip("mysql is not installed (Debian: mariadb-server)")
    reported = difference(Service("base", "mysql:8.0", PATH), kind, have)
    assert reported == f"CI has MySQL 8.0, and Heal {have}"
    assert difference(Service("base", f"mariadb:{have.version}", PATH), kind, have) == ""
    assert difference(Service("base", "mariadb:5", PATH), kind, have) == f"CI has MariaDB 5, and Heal {have}"


# CK-1
def test_ports_are_read_as_docker_does_and_an_empty_image_is_no_service() -> None:
    text = """\
jobs:
  test:
    strategy: {matrix: {image: [""]}}
    services:
      none: {image: "${{ matrix.image }}"}
      a: {image: redis, ports: [6379, "127.0.0.1:7000:6380", "8000-8010:1", "53:53/udp", "99999:6379"]}
      b: {image: redis, ports: ["6379"], volumes: [x], command: redis-server --requirepass x}
      c: redis
    steps: [{run: pytest}]
"""
    a, b, c = job(text).services
    assert a.ports == ((6379, 6379), (7000, 6380))
    assert b.ports == ((41_001, 6379),) or b.ports[0][0] > 41_000
    assert b.unlike == ("`volumes:`", "`command:`")
    assert (c.image, c.ports) == ("redis", ())
    assert [server.port for server in check(text).servers] == [6379, b.ports[0][0]]


# CK-1
@pytest.mark.parametrize("kind", ["postgres", "mysql"])
def test_settings_of_a_service_are_words_and_never_commands(bench: Bench, kind: str) -> None:
    need(bench, kind)
    name = "a`b'c\"; touch $HOME/pwned; $(touch $HOME/pwned) \\ #"
    variables = {
        "postgres": {"POSTGRES_DB": name, "POSTGRES_PASSWORD": name, "POSTGRES_INITDB_ARGS": "'"},
        "mysql": {"MYSQL_DATABASE": name, "MYSQL_USER": "x'y", "MYSQL_PASSWORD": name, "MYSQL_ROOT_PASSWORD": name},
    }[kind]
    port = KINDS[kind].port
    services = {"base": {"image": KINDS[kind].name, "env": variables, "ports": [f"{port}:{port}"]}}
    ask = {
        "postgres": 'psql -h localhost -U postgres -Atc "select datname from pg_database" postgres',
        "mysql": 'mariadb -h 127.0.0.1 -u "x\'y" "-p$PGPASSWORD" -rNe "show databases"',
    }[kind]
    step = {"run": f"{ask}; ls $HOME", "env": {"PGPASSWORD": name}}
    seen = run(bench, check(json.dumps({"jobs": {"test": {"services": services, "steps": [step]}}})))
    assert (seen.exit_code, seen.problem) == (0, ""), seen.output
    assert name in seen.output.splitlines()
    assert "pwned" not in seen.output.splitlines()


# CK-3
def test_a_check_with_another_service_is_another_check() -> None:
    assert check(REDIS).key == check(REDIS).key
    assert check(REDIS).key != check(REDIS.replace("redis:7", "redis:6")).key
