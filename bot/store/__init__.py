"""Heal's store: SQLAlchemy Core on SQLite or PostgreSQL, one file per group of tables."""
