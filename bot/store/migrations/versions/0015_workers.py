"""The workers of this database, and the queue of runs."""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"


def upgrade() -> None:
    op.create_table(
        "workers",
        sa.Column("worker", sa.String(200), primary_key=True),
        sa.Column("life", sa.String(32), nullable=False),
        sa.Column("beats", sa.BigInteger, nullable=False),
        sa.Column("began_at", sa.Float, nullable=False),
    )
    op.create_table(
        "turns",
        sa.Column("repo_id", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("sha", sa.String(64), primary_key=True),
        sa.Column("attempt", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("installation_id", sa.BigInteger, nullable=False),
        sa.Column("full_name", sa.String(300), nullable=False),
        sa.Column("lane", sa.String(150), nullable=False),
        sa.Column("due", sa.BigInteger, nullable=False),
        sa.Column("begun", sa.Boolean, nullable=False),
    )
