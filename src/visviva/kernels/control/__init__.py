"""Control laws in compiled code."""
