"""Claims of runs, so that the same failure isn't worked on twice."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    op.create_table(
        "claims",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer, "sqlite"), primary_key=True, autoincrement=True),
        sa.Column("repo_id", sa.BigInteger, nullable=False),
        sa.Column("breakage", sa.String(64), nullable=False),
        sa.Column("sha", sa.String(64), nullable=False),
        sa.Column("attempt", sa.Integer, nullable=False),
        sa.Column("claimed_at", sa.Float, nullable=False),
        sa.UniqueConstraint("repo_id", "breakage", "sha", "attempt", name="claims_once"),
    )
