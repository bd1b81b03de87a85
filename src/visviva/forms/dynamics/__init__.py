"""Equations of motion in the hand: M a + bias = B u of a mechanism, its frames, and configurations that reach goals."""
