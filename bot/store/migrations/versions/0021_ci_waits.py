"""Heads onto which a fix was committed, until their CI is known to have started."""

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"


def upgrade() -> None:
    op.create_table(
        "ci_waits",
        sa.Column("repo_id", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("sha", sa.String(64), nullable=False),
        sa.Column("made_at", sa.Float, nullable=False),
    )
