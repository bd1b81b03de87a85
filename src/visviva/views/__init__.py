"""Reading a model: pictures and equations."""
