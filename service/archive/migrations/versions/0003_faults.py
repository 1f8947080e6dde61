"""Faults of conversations."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the table, and a view of the faults in the last revision of each conversation for dashboards."""
    op.create_table(
        "faults",
        sa.Column("conversation", sa.String, primary_key=True),
        sa.Column("revision", sa.Integer, primary_key=True),
        sa.Column("fault", sa.String, primary_key=True),
        sa.Column("replies", sa.Integer, nullable=False),
        sa.Column("rate", sa.Float, nullable=False),
        sa.Column("certain", sa.Boolean, nullable=False),
        sa.Column("messages", sa.JSON, nullable=False),
    )
    op.create_index("faults_by_fault", "faults", ["fault"])
    op.execute(
        "create view latest_faults as select c.system, c.domain, c.judged_at, c.ended, f.* "
        "from faults f join conversations c on c.conversation = f.conversation and c.revision = f.revision "
        "where c.revision = (select max(o.revision) from conversations o where o.conversation = c.conversation)"
    )


def downgrade() -> None:
    """Take them away."""
    op.execute("drop view latest_faults")
    op.drop_table("faults")
