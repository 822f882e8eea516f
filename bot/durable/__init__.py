"""What must survive: the durable engine, its workflows, the inbox, and the rounds that look after them."""
