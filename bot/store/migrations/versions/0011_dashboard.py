"""Data of the dashboard: figures of runs, times of proposals; sessions, and the App registered by /setup."""

import json

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"

RUN_COLUMNS = (
    ("verdict", sa.String(16)),
    ("errors", sa.Integer),
    ("proposals", sa.Integer),
    ("prevented", sa.Integer),
    ("ended_at", sa.Float),
)
BY_TIME = ("opened_at", "repo_id", "sha", "attempt", "state", "verdict", "number")
BY_REPO = ("repo_id", "opened_at", "state", "verdict", "prevented", "run_id", "started_at", "ended_at")


def upgrade() -> None:
    for name, kind in RUN_COLUMNS:
        op.add_column("runs", sa.Column(name, kind))
    for name in ("made_at", "offered_at", "decided_at"):
        op.add_column("proposals", sa.Column(name, sa.Float))
    _count()
    op.create_index("runs_by_time", "runs", list(BY_TIME))
    op.create_index("runs_of_repo", "runs", list(BY_REPO))
    op.create_index("runs_by_sha", "runs", ["sha"])
    op.create_index("runs_by_run_id", "runs", ["run_id"])
    op.create_index("runs_by_state", "runs", ["state"])
    op.create_index("proposals_by_id", "proposals", ["proposal_id", "repo_id", "run_id"])
    op.create_index("proposals_of_run", "proposals", ["repo_id", "run_id"])
    op.create_index("proposals_decided", "proposals", ["repo_id", "decided_at", "status"])
    op.create_index("proposals_offered", "proposals", ["repo_id", "offered_at", "run_id"])
    op.create_index("unfixables_of_run", "unfixables", ["repo_id", "run_id"])
    _sessions()


def _count() -> None:
    """Computes the figures of finished runs from their outcomes."""
    runs = sa.table(
        "runs",
        sa.column("repo_id"), sa.column("sha"), sa.column("attempt"), sa.column("outcome"),
        *(sa.column(name, kind) for name, kind in RUN_COLUMNS[:4]),
    )  # fmt: skip
    connection = op.get_bind()
    keys = [runs.c.repo_id, runs.c.sha, runs.c.attempt]
    for repo_id, sha, attempt in connection.execute(sa.select(*keys).where(runs.c.outcome.is_not(None))).all():
        mine = sa.and_(runs.c.repo_id == repo_id, runs.c.sha == sha, runs.c.attempt == attempt)
        outcome = json.loads(connection.execute(sa.select(runs.c.outcome).where(mine)).scalar_one())
        figures = {
            "verdict": outcome["verdict"],
            "errors": len(outcome["errors"]),
            "proposals": len(outcome["proposals"]),
            "prevented": outcome.get("regressions_prevented", 0),
        }
        connection.execute(sa.update(runs).where(mine).values(**figures))


def _sessions() -> None:
    op.create_table(
        "sessions",
        sa.Column("name", sa.String(64), primary_key=True),
        sa.Column("sealed", sa.Text, nullable=False),
        sa.Column("ends_at", sa.Float, nullable=False),
    )
    op.create_table(
        "registered_app",
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("sealed", sa.Text, nullable=False),
        sa.Column("made_at", sa.Float, nullable=False),
    )
    op.create_table(
        "installation_grants",
        sa.Column("installation_id", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("account", sa.String(100), nullable=False),
        sa.Column("permissions", sa.Text, nullable=False),
        sa.Column("seen_at", sa.Float, nullable=False),
    )
