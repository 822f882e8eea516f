"""Access to GitHub: a thin client over githubkit, the reader, and the publisher (the only writer)."""
