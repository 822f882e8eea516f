"""Everything that comes from a repository runs here, and nowhere else (WT-5). One file per back end."""
