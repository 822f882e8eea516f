"""The memory of agents: fixes that failed and worked, how agents ended, and their trajectories."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"


def _of_a_repo(*columns: sa.Column) -> tuple[sa.Column, ...]:  # type: ignore[type-arg]
    repo_id = sa.Column("repo_id", sa.BigInteger, primary_key=True, autoincrement=False)
    return (repo_id, *columns, sa.Column("seen_at", sa.Float, nullable=False))


def _key(name: str, length: int) -> sa.Column:  # type: ignore[type-arg]
    return sa.Column(name, sa.String(length), primary_key=True)


def upgrade() -> None:
    op.create_table(
        "failed_fixes",
        *_of_a_repo(
            _key("cause", 64),
            _key("edit", 64),
            sa.Column("specialist", sa.String(80), nullable=False),
            sa.Column("message", sa.Text, nullable=False),
            sa.Column("edits", sa.Text, nullable=False),
        ),
    )
    op.create_table(
        "worked_fixes",
        *_of_a_repo(
            _key("cause", 64),
            _key("proposal", 64),
            sa.Column("shape", sa.String(200), nullable=False),
            sa.Column("specialist", sa.String(80), nullable=False),
            sa.Column("title", sa.Text, nullable=False),
            sa.Column("edits", sa.Text, nullable=False),
        ),
    )
    op.create_table(
        "agent_endings",
        *_of_a_repo(
            _key("run_id", 100),
            _key("cause", 64),
            _key("specialist", 80),
            sa.Column("proposal", sa.String(64), nullable=False),
        ),
    )
    op.create_table(
        "trajectories", *_of_a_repo(_key("run_id", 100), _key("name", 64), sa.Column("body", sa.Text, nullable=False))
    )
