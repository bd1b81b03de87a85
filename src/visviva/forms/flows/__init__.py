"""Flows: configurations, velocities and other states with their rates, and the schemes that integrate them."""
