"""Trees of links: compiled forward and inverse dynamics, derivatives and time loops."""
