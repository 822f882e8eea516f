"""What stands between an edit and an offer: the one door, and every verdict, computed from bytes and exit codes."""
