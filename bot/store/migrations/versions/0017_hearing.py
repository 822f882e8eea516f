"""Which worker processes a delivery, from when, and how often it was started."""

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"


def upgrade() -> None:
    op.add_column("deliveries", sa.Column("taken_by", sa.String(200)))
    op.add_column("deliveries", sa.Column("due", sa.Float, nullable=False, server_default="0"))
    op.add_column("deliveries", sa.Column("begun", sa.Integer, nullable=False, server_default="0"))
    op.drop_index("deliveries_state", "deliveries")
    op.create_index("deliveries_due", "deliveries", ["state", "due"])
