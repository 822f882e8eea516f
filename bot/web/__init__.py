"""What Heal serves over HTTP."""
