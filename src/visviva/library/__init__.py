"""Physics as values: what can be put into a model."""
