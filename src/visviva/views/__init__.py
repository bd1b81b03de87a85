"""Reading a model: pictures and equations."""

from visviva.views.equations import Equations, equations
from visviva.views.pattern_picture import Picture, draw

__all__ = ["Equations", "Picture", "draw", "equations"]
