"""The one registry of tables; migrations are the truth of the schema, and a test holds the two together."""

from sqlalchemy import MetaData

metadata = MetaData()
