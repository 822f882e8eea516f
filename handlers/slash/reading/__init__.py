"""From a comment's text to the command in it and what its ids mean. Pure."""
