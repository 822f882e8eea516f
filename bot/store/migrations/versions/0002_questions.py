"""Questions that people asked, for the rate limit."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.create_table(
        "questions",
        sa.Column("repo_id", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("question", sa.String(100), primary_key=True),
        sa.Column("person_id", sa.BigInteger, nullable=False),
        sa.Column("verdict", sa.String(10), nullable=False),
        sa.Column("until", sa.Float, nullable=False),
        sa.Column("asked_at", sa.Float, nullable=False),
    )
    op.create_index("questions_of_person", "questions", ["repo_id", "person_id"])
