"""Every sentence that Heal posts: pure functions from values to Markdown (one file per kind of text)."""
