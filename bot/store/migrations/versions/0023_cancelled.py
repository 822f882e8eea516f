"""Why a run was cancelled."""

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"


def upgrade() -> None:
    op.add_column("runs", sa.Column("cancelled", sa.String(300)))
