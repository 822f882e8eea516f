"""Test outcomes by commit."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    op.create_table(
        "test_outcomes",
        sa.Column("repo_id", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("test", sa.String(500), primary_key=True),
        sa.Column("sha", sa.String(64), primary_key=True),
        sa.Column("passed", sa.Boolean, primary_key=True),
        sa.Column("seen_at", sa.Float, nullable=False),
    )
