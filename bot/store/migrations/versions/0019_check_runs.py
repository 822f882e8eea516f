"""Check runs that may be open on GitHub, with the result to write."""

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"


def upgrade() -> None:
    op.create_table(
        "check_runs",
        sa.Column("repo_id", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("sha", sa.String(64), primary_key=True),
        sa.Column("attempt", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("plan", sa.Text),
        sa.Column("tries", sa.Integer, nullable=False),
        sa.Column("noted_at", sa.Float, nullable=False),
        sa.Column("due", sa.Float, nullable=False, index=True),
    )
