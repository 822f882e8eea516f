"""What stands between an edit and an offer: the verifier, and every verdict, computed from bytes and exit codes."""
