"""The first schema: deliveries, failures, runs, proposals, reports and steps."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

ROW_ID = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    _deliveries()
    _runs()
    _proposals()
    _steps()


def _deliveries() -> None:
    op.create_table(
        "deliveries",
        sa.Column("guid", sa.String(64), primary_key=True),
        sa.Column("event", sa.String(100), nullable=False),
        sa.Column("body", sa.LargeBinary, nullable=False),
        sa.Column("received_at", sa.Float, nullable=False),
        sa.Column("state", sa.String(10), nullable=False),
        sa.Column("tries", sa.Integer, nullable=False),
        sa.Column("error", sa.Text, nullable=False),
    )
    op.create_index("deliveries_state", "deliveries", ["state"])


def _runs() -> None:
    op.create_table(
        "failures",
        sa.Column("id", ROW_ID, primary_key=True, autoincrement=True),
        sa.Column("repo_id", sa.BigInteger, nullable=False),
        sa.Column("sha", sa.String(64), nullable=False),
        sa.Column("attempt", sa.Integer, nullable=False),
        sa.Column("event_key", sa.String(300), nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("received_at", sa.Float, nullable=False),
        sa.UniqueConstraint("repo_id", "sha", "event_key", name="failures_once"),
    )
    op.create_table(
        "runs",
        sa.Column("repo_id", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("sha", sa.String(64), primary_key=True),
        sa.Column("attempt", sa.Integer, primary_key=True),
        sa.Column("full_name", sa.String(300), nullable=False),
        sa.Column("installation_id", sa.BigInteger, nullable=False),
        sa.Column("number", sa.Integer),
        sa.Column("state", sa.String(12), nullable=False),
        sa.Column("run_id", sa.String(100)),
        sa.Column("outcome", sa.Text),
        sa.Column("opened_at", sa.Float, nullable=False),
    )
    op.create_index("runs_of_pull", "runs", ["repo_id", "number"])
    op.create_table(
        "settled_suites",
        sa.Column("repo_id", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("sha", sa.String(64), primary_key=True),
        sa.Column("suite_id", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("settled_at", sa.Float, nullable=False),
    )


def _proposals() -> None:
    op.create_table(
        "proposals",
        sa.Column("id", ROW_ID, primary_key=True, autoincrement=True),
        sa.Column("repo_id", sa.BigInteger, nullable=False),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("proposal_id", sa.String(64), nullable=False),
        sa.Column("run_id", sa.String(100), nullable=False),
        sa.Column("attempt", sa.Integer, nullable=False),
        sa.Column("status", sa.String(12), nullable=False),
        sa.Column("delivery", sa.String(12), nullable=False),
        sa.Column("comment_id", sa.BigInteger),
        sa.Column("fixup_number", sa.Integer),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("applied_sha", sa.String(64)),
        sa.Column("body", sa.Text, nullable=False),
        sa.UniqueConstraint("repo_id", "number", "proposal_id", name="proposals_once"),
    )
    op.create_table(
        "unfixables",
        sa.Column("id", ROW_ID, primary_key=True, autoincrement=True),
        sa.Column("repo_id", sa.BigInteger, nullable=False),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("run_id", sa.String(100), nullable=False),
        sa.Column("report_id", sa.String(64), nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.UniqueConstraint("repo_id", "number", "run_id", "report_id", name="unfixables_once"),
    )


def _steps() -> None:
    op.create_table(
        "steps",
        sa.Column("repo_id", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("run_key", sa.String(150), primary_key=True),
        sa.Column("kind", sa.String(80), primary_key=True),
        sa.Column("key_hash", sa.String(64), primary_key=True),
        sa.Column("result", sa.Text),
        sa.Column("blob", sa.String(64)),
        sa.Column("made_at", sa.Float, nullable=False),
    )
    op.create_table(
        "blobs",
        sa.Column("repo_id", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("hash", sa.String(64), primary_key=True),
        sa.Column("body", sa.LargeBinary, nullable=False),
    )
