"""Flights by sensors: agents, what they measure, and what became of it."""
