"""Counters since Heal's first start."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    op.create_table(
        "counters",
        sa.Column("name", sa.String(100), primary_key=True),
        sa.Column("labels", sa.String(400), primary_key=True),
        sa.Column("value", sa.Float, nullable=False),
    )
