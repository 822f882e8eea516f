"""The outbox of the operator's chat."""

import sqlalchemy as sa
from alembic import op

revision = "0024"
down_revision = "0023"


def upgrade() -> None:
    op.create_table(
        "chat_messages",
        sa.Column("repo_id", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("sha", sa.String(64), primary_key=True),
        sa.Column("outcome", sa.String(12), primary_key=True),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("tries", sa.Integer, nullable=False),
        sa.Column("due", sa.Float),
        sa.Column("made_at", sa.Float, nullable=False),
    )
    op.create_index("chat_messages_due", "chat_messages", ["due"])
