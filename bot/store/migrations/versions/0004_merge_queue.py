"""The merge queue's records."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    op.create_table(
        "queue_records",
        sa.Column("repo_id", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("session_id", sa.String(64), primary_key=True),
        sa.Column("name", sa.String(100), primary_key=True),
        sa.Column("body", sa.Text, nullable=False),
    )
