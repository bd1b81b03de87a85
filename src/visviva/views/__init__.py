"""Reading a model: pictures and equations."""

from visviva.views.equations import Equations, equations
from visviva.views.mechanism_draw import draw
from visviva.views.mechanism_picture import MechanismPicture
from visviva.views.pattern_picture import Picture

__all__ = ["Equations", "MechanismPicture", "Picture", "draw", "equations"]
