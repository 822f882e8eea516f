"""The commit at which it is known whether a proposal is applied."""

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"


def upgrade() -> None:
    op.add_column("proposals", sa.Column("reference", sa.String(64)))
