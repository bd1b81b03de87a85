"""Rigid bodies on the frames of a parameterisation, and Gauss' principle."""
