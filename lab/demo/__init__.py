"""`heal demo`: the whole cycle from red CI to a reverted fix, run for real on this machine."""
