"""Rollouts: many runs of one Simulator, from many starts and under many inputs."""
