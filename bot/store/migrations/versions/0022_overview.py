"""Display names of runs: pull requests' titles, branches and authors; why a run stopped; and the words of its
errors."""

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"


def upgrade() -> None:
    op.create_table(
        "pulls",
        sa.Column("repo_id", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("title", sa.String(300), nullable=False),
        sa.Column("branch", sa.String(300), nullable=False),
        sa.Column("author", sa.String(100), nullable=False),
        sa.Column("open", sa.Boolean, nullable=False),
        sa.Column("words", sa.Text, nullable=False),
        sa.Column("seen_at", sa.Float, nullable=False),
    )
    op.create_table(
        "run_words",
        sa.Column("repo_id", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("sha", sa.String(64), primary_key=True),
        sa.Column("attempt", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("words", sa.Text, nullable=False),
        sa.Column("noted_at", sa.Float, nullable=False),
    )
    op.create_index("run_words_by_time", "run_words", ["noted_at"])
    op.add_column("runs", sa.Column("branch", sa.String(300)))
    op.add_column("runs", sa.Column("reason", sa.Text))
    op.create_index("proposals_by_status", "proposals", ["repo_id", "status", "offered_at"])
