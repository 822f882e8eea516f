"""A run as the conversation sees it: whose it is, whether it starts, what it told (IN-3 to IN-6, GH-3, GH-4)."""
