"""The registry of all tables. The migrations define the schema; a test checks that both agree."""

from sqlalchemy import MetaData

metadata = MetaData()
