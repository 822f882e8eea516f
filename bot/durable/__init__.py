"""What must survive: the engine, what it works on, the inbox, and the rounds that look after them."""
