"""Queues of runs and cluster tasks, from which workers take rows."""

import sqlalchemy as sa
from alembic import op

revision = "0025"
down_revision = "0024"


def upgrade() -> None:
    op.add_column("turns", sa.Column("taken_by", sa.String(200)))
    op.add_column("turns", sa.Column("not_before", sa.Float, nullable=False, server_default="0"))
    op.add_column("turns", sa.Column("starts", sa.Integer, nullable=False, server_default="0"))
    op.create_table(
        "cluster_tasks",
        sa.Column("repo_id", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("sha", sa.String(64), primary_key=True),
        sa.Column("attempt", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("cluster", sa.String(150), primary_key=True),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("taken_by", sa.String(200)),
        sa.Column("starts", sa.Integer, nullable=False),
        sa.Column("over", sa.Boolean, nullable=False),
        sa.Column("made_at", sa.Float, nullable=False),
    )
