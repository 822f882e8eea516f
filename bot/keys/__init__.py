"""Keys and secrets: the App's own, how they are read, sealed at rest, and what they are allowed."""
