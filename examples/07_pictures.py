"""Two bodies and a joint as a picture: three boxes, each opened, or all of it in one pattern of fifteen boxes.

The figures 1 to 7 of Lohmayer, Capobianco and Leyendecker, drawn from the models themselves.
"""

import sys
from pathlib import Path

from visviva.language import Quantity, compose, environment, irreversible, reversible, storage
from visviva.library.multibody import joint, multibody, rigid_body
from visviva.views import draw

out = Path(sys.argv[1] if len(sys.argv) > 1 else "out")

body = rigid_body(mass=1.0, inertia=(0.1, 0.2, 0.3))
hinge = joint("revolute", friction=0.1)
mbs = multibody("mbs", {"b1": body, "b2": body}, {"j": (hinge, "b1", "b2")})

q, p, s = Quantity("R", "displacement"), Quantity("R", "momentum"), Quantity("R", "entropy")
spring = storage({"q": q}, H=lambda x, k: 0.5 * k * x.q**2, k=1.5)
mass = storage({"p": p}, H=lambda x, m: x.p**2 / (2 * m), m=1.0)
coupling = reversible({"q": q, "p": p}, J=[[0, 1], [-1, 0]])
friction = irreversible(
    {"p": p, "s": s}, M=lambda e, theta, d: [[theta.s * d, -d * e.p], [-d * e.p, d * e.p**2 / theta.s]], d=0.2
)
boxes = {"pe": spring, "pkc": coupling, "ke": mass}
osc = compose("osc", boxes, {"q": ("pe.q", "pkc.q"), "p": ("pkc.p", "ke.p")}, outer=("p",))
boxes = {"osc": osc, "mf": friction, "env": environment({"s": s})}
damped = compose("damped", boxes, {"p": ("osc.p", "mf.p"), "s": ("mf.s", "env.s")})

figures = [
    draw(mbs, out / "figure1.svg"),
    draw(body, out / "figure2.svg"),
    draw(hinge, out / "figure3.svg"),
    draw(mbs, out / "figure4.svg", flat=True),
    draw(osc, out / "figure5.svg"),
    draw(damped, out / "figure6.svg"),
    draw(damped, out / "figure7.svg", flat=True),
]
opened = draw(mbs, out / "opened.svg", expand=True, legend=True)

found = [len(figure.drawing.boxes) for figure in figures]
assert found == [3, 4, 7, 15, 3, 3, 5]
assert len(opened.drawing.frames) == 4
print(f"{found[0]} boxes with {found[1]}, {found[1]} and {found[2]} inside are {found[3]} in the flat pattern")
