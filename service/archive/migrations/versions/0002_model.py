"""The outcome of asking a model, and scores on people's scale."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

VIEW = (
    "create view latest_verdicts as select c.system, c.domain, c.judged_at, c.ended, c.model, v.* "
    "from verdicts v join conversations c on c.conversation = v.conversation and c.revision = v.revision "
    "where c.revision = (select max(o.revision) from conversations o where o.conversation = c.conversation)"
)


def upgrade() -> None:
    """Add the columns; the view takes in what is there when it is made."""
    op.execute("drop view latest_verdicts")
    op.add_column("conversations", sa.Column("model", sa.String))
    op.add_column("conversations", sa.Column("model_reasons", sa.JSON))
    op.add_column("verdicts", sa.Column("calibrated", sa.Float))
    op.execute(VIEW)


def downgrade() -> None:
    """Take them away."""
    op.execute("drop view latest_verdicts")
    op.drop_column("conversations", "model")
    op.drop_column("conversations", "model_reasons")
    op.drop_column("verdicts", "calibrated")
    op.execute(VIEW.replace(" c.model,", ""))
