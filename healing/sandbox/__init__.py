"""Everything that comes from a repository runs here, and nowhere else. One file per back end."""
