"""The settings of each repository, as last read from its `.github/heal.yml`."""

import sqlalchemy as sa
from alembic import op

revision = "0026"
down_revision = "0025"


def upgrade() -> None:
    op.create_table(
        "repo_settings",
        sa.Column("repo_id", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("branch", sa.String(300), nullable=False),
        sa.Column("sha", sa.String(64), nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("read_at", sa.Float, nullable=False),
    )
