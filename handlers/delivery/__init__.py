"""Offers fixes: pure functions plan the delivery, and the publisher carries it out."""
