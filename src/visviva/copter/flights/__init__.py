"""Manoeuvres, the laws that track them, and flights with perfect state."""
