"""When a run began, and the workers' heartbeats."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    op.add_column("runs", sa.Column("started_at", sa.Float))
    op.create_table(
        "beats",
        sa.Column("part", sa.String(20), primary_key=True),
        sa.Column("beaten_at", sa.Float, nullable=False),
    )
