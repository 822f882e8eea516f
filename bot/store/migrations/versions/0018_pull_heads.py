"""The newest head of each pull request that Heal works on."""

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"


def upgrade() -> None:
    op.create_table(
        "pull_heads",
        sa.Column("repo_id", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("sha", sa.String(64), nullable=False),
        sa.Column("noted_at", sa.Float, nullable=False),
    )
    op.create_index("pull_heads_by_sha", "pull_heads", ["repo_id", "sha"])
