"""The user of a conversation, as a keyed hash, and the segment of users."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

VIEW = (
    "create view latest_faults as select c.system, c.domain, c.segment, c.judged_at, c.ended, f.* "
    "from faults f join conversations c on c.conversation = f.conversation and c.revision = f.revision "
    "where c.revision = (select max(o.revision) from conversations o where o.conversation = c.conversation)"
)


def upgrade() -> None:
    """Add the columns; faults can be counted by segment."""
    op.add_column("conversations", sa.Column("user_hash", sa.String))
    op.add_column("conversations", sa.Column("segment", sa.String))
    op.create_index("conversations_by_user", "conversations", ["user_hash"])
    op.execute("drop view latest_faults")
    op.execute(VIEW)


def downgrade() -> None:
    """Take them away."""
    op.execute("drop view latest_faults")
    op.drop_index("conversations_by_user")
    op.drop_column("conversations", "user_hash")
    op.drop_column("conversations", "segment")
    op.execute(VIEW.replace(" c.segment,", ""))
