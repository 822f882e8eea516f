"""What Heal remembers: SQLAlchemy Core over SQLite or PostgreSQL, one file per group of tables."""
