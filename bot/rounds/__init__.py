"""What a worker does again and again: beats, sweeps, deliveries that never came, chat, and what is old."""
