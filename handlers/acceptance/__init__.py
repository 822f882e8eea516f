"""What happens to a fix after it was offered: it is applied, carried over, rejected, reverted or lost."""
