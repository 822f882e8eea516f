"""What docs/security.md promises beyond the sandbox, and the page itself."""
