"""Switches: where Heal may offer fixes, and the operator's stop. Repositories with earlier runs stay switched on."""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"


def upgrade() -> None:
    op.create_table(
        "switches",
        sa.Column("repo_id", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("offers", sa.Boolean, nullable=False),
        sa.Column("by", sa.String(100), nullable=False),
        sa.Column("switched_at", sa.Float, nullable=False),
    )
    op.create_table(
        "stops",
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("why", sa.Text, nullable=False),
        sa.Column("stopped_at", sa.Float, nullable=False),
    )
    switches = sa.table(
        "switches",
        sa.column("repo_id", sa.BigInteger),
        sa.column("offers", sa.Boolean),
        sa.column("by", sa.String),
        sa.column("switched_at", sa.Float),
    )
    runs = sa.table("runs", sa.column("repo_id", sa.BigInteger))
    known = sa.select(runs.c.repo_id, sa.true(), sa.literal("an update of Heal"), sa.literal(0.0)).distinct()
    op.execute(switches.insert().from_select(["repo_id", "offers", "by", "switched_at"], known))
