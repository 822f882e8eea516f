"""What a repository forbids: files and rules that are never touched, the size of a fix, files that no model is
shown."""
