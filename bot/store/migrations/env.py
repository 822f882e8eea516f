"""Alembic's door: runs the migrations on the connection that `bot.store.database.migrate` hands in."""

from alembic import context

context.configure(connection=context.config.attributes["connection"])
with context.begin_transaction():
    context.run_migrations()
