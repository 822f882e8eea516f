"""A run as the conversation sees it: whose it is, whether it starts, what it reported."""
