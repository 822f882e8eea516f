"""Branches of CI trial runs."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    op.create_table(
        "tries",
        sa.Column("repo_id", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("branch", sa.String(200), primary_key=True),
        sa.Column("full_name", sa.String(300), nullable=False),
        sa.Column("installation_id", sa.BigInteger, nullable=False),
        sa.Column("sha", sa.String(64), nullable=False),
        sa.Column("attempt", sa.Integer, nullable=False),
        sa.Column("made_at", sa.Float, nullable=False),
    )
