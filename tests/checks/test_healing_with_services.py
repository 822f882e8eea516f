"""A failure that shows only beside a service is seen, healed and proven beside it."""

import pytest

from healing.checks.services.starting import KINDS
from tests.pipeline.bench import Bench, red_job

WORKFLOW = """\
on: pull_request
jobs:
  shop:
    services:
      base: {image: "postgres:15", env: {POSTGRES_PASSWORD: tea}, ports: ["5432:5432"]}
    steps:
      - name: Tests
        env: {PGPASSWORD: tea}
        run: psql -h localhost -U postgres -Atc 'select 1' && pytest -q
"""
SHOP = """\
import os


def cash():
    return os.popen("psql -h localhost -U postgres -Atc 'select 40 + 2'").read()
"""
TEST = """\
from shop import cash


def test_cash():
    assert cash().strip() == "42"
"""
GREEN = {"shop.py": SHOP, "test_shop.py": TEST}


# CK-1, CK-3
async def test_a_failure_beside_a_database_is_healed_and_proven_beside_it(bench: Bench) -> None:
    if not bench.sandbox.own_loopback or KINDS["postgres"].find("") is None:
        pytest.skip("bubblewrap and PostgreSQL (Debian: postgresql) are needed")
    red = {"shop.py": SHOP.replace("import os\n\n\n", "")}
    outcome = await bench.heal(GREEN, red, workflow=WORKFLOW, jobs=(red_job("shop", ("Tests", "failure")),))
    assert outcome.not_looked == ()
    assert outcome.verdict == "healed"
    (proposal,) = outcome.proposals
    assert (proposal.evidence[0].before_exit, proposal.evidence[0].after_exit) == (1, 0)
