"""The first form of the tables."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables, and a view of the last verdicts of each conversation for dashboards."""
    time = sa.DateTime(timezone=True)
    op.create_table(
        "conversations",
        sa.Column("conversation", sa.String, primary_key=True),
        sa.Column("revision", sa.Integer, primary_key=True),
        sa.Column("system", sa.String, nullable=False),
        sa.Column("domain", sa.String, nullable=False),
        sa.Column("ended", sa.String, nullable=False),
        sa.Column("judged_at", time, nullable=False),
        sa.Column("first_at", time, nullable=False),
        sa.Column("last_at", time, nullable=False),
        sa.Column("messages", sa.Integer, nullable=False),
        sa.Column("replies", sa.Integer, nullable=False),
        sa.Column("mean", sa.Float),
        sa.Column("failure", sa.String),
        sa.Column("sequence", sa.BigInteger, nullable=False),
    )
    op.create_index("conversations_by_time", "conversations", ["system", "judged_at"])
    op.create_table(
        "verdicts",
        sa.Column("conversation", sa.String, primary_key=True),
        sa.Column("revision", sa.Integer, primary_key=True),
        sa.Column("factor", sa.String, primary_key=True),
        sa.Column("judge", sa.String, primary_key=True),
        sa.Column("status", sa.String, nullable=False),
        sa.Column("score", sa.Float),
        sa.Column("level", sa.Integer),
        sa.Column("scale_min", sa.Integer, nullable=False),
        sa.Column("scale_max", sa.Integer, nullable=False),
        sa.Column("confidence", sa.Float),
        sa.Column("reason", sa.String),
        sa.Column("evaluator_revision", sa.String, nullable=False),
        sa.Column("rationale", sa.String),
        sa.Column("evidence", sa.JSON, nullable=False),
    )
    op.create_index("verdicts_by_factor", "verdicts", ["factor"])
    op.create_table(
        "texts",
        sa.Column("conversation", sa.String, primary_key=True),
        sa.Column("revision", sa.Integer, primary_key=True),
        sa.Column("log", sa.JSON, nullable=False),
    )
    op.create_table(
        "alarms",
        sa.Column("id", sa.String, primary_key=True),
        sa.Column("kind", sa.String, nullable=False),
        sa.Column("at", time, nullable=False),
        sa.Column("system", sa.String, nullable=False),
        sa.Column("factor", sa.String, nullable=False),
        sa.Column("content", sa.JSON, nullable=False),
    )
    op.create_table(
        "deletions",
        sa.Column("digest", sa.String, primary_key=True),
        sa.Column("sequence", sa.BigInteger, nullable=False),
        sa.Column("at", time, nullable=False),
    )
    op.execute(
        "create view latest_verdicts as select c.system, c.domain, c.judged_at, c.ended, v.* "
        "from verdicts v join conversations c on c.conversation = v.conversation and c.revision = v.revision "
        "where c.revision = (select max(o.revision) from conversations o where o.conversation = c.conversation)"
    )


def downgrade() -> None:
    """Drop all of it."""
    op.execute("drop view latest_verdicts")
    for table in ("deletions", "alarms", "texts", "verdicts", "conversations"):
        op.drop_table(table)
