"""Everything that proposes fixes, from free to paid: the repository's tools, fixers, search, agents."""
