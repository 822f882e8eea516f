"""What a worker does on a schedule: heartbeats, clean-up, missed deliveries, chat messages, and deleting old data."""
