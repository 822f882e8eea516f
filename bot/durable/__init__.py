"""What must survive a crash: the inbox, the durable engine, and the work that it does."""
