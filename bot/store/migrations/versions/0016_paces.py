"""The request pace of each installation, shared by all workers."""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"


def upgrade() -> None:
    op.create_table(
        "paces",
        sa.Column("installation_id", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("next_write", sa.Float, nullable=False),
        sa.Column("closed_until", sa.Float, nullable=False),
        sa.Column("strikes", sa.Integer, nullable=False),
        sa.Column("writer", sa.String(200), nullable=False),
        sa.Column("writer_until", sa.Float, nullable=False),
        sa.Column("content", sa.Text, nullable=False),
    )
