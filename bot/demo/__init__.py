"""`heal demo`: the whole loop for real on this machine (UX-1)."""
