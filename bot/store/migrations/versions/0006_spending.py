"""Costs of model calls, and the budget reserved by running runs."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    op.create_table(
        "model_calls",
        sa.Column("repo_id", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("run_id", sa.String(100), primary_key=True),
        sa.Column("key", sa.String(64), primary_key=True),
        sa.Column("number", sa.Integer),
        sa.Column("model", sa.String(200), nullable=False),
        sa.Column("input_tokens", sa.BigInteger, nullable=False),
        sa.Column("cache_write_tokens", sa.BigInteger, nullable=False),
        sa.Column("cache_read_tokens", sa.BigInteger, nullable=False),
        sa.Column("output_tokens", sa.BigInteger, nullable=False),
        sa.Column("dollars", sa.Float, nullable=False),
        sa.Column("lost", sa.Integer, nullable=False),
        sa.Column("seconds", sa.Float, nullable=False),
        sa.Column("request_id", sa.String(200), nullable=False),
        sa.Column("cache_miss", sa.String(80), nullable=False),
        sa.Column("made_at", sa.Float, nullable=False),
    )
    op.create_index("model_calls_by_time", "model_calls", ["repo_id", "made_at"])
    op.create_table(
        "spending_holds",
        sa.Column("repo_id", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("run_id", sa.String(100), primary_key=True),
        sa.Column("number", sa.Integer),
        sa.Column("dollars", sa.Float, nullable=False),
        sa.Column("held_at", sa.Float, nullable=False),
    )
