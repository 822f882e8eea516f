"""`heal demo`: the whole loop for real on this machine."""
