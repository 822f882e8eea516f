"""The repository's own CI as the judge, where nothing can be run here."""
