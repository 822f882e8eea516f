"""Starting programs, and the user that they run as."""
