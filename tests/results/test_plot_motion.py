"""The picture of motion shows where the mechanism was, and the paths of its points."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pytest
from numpy.testing import assert_allclose

import visviva as vv
from visviva import demo
from visviva.views.mechanism_placement import Placement
from visviva.views.mechanism_strobe import INSTANTS, strobe


@pytest.fixture(scope="module")
def swing() -> vv.Run:
    return vv.simulate(demo.double_pendulum(), t_end=0.6, h=0.02)


def drawing(run: vv.Run):
    m = run.motion.definition
    return strobe(m, Placement({part.name: run.motion.q(part) for part in m.bodies}), run.t)


def lines(run: vv.Run, n: int) -> list[np.ndarray]:
    return [stroke.points for stroke in drawing(run).strokes if len(stroke.points) == n]


def test_the_path_of_a_frame_is_its_motion_in_an_orthographic_view(swing):
    (path,) = lines(swing, len(swing.t))
    columns = np.column_stack([swing["tip.r"], np.ones(len(swing.t))])
    A = np.linalg.lstsq(columns, path, rcond=None)[0]
    assert_allclose(columns @ A, path, atol=1e-9)
    scale = A[:3].T @ A[:3]
    assert_allclose(scale, scale[0, 0] * np.eye(2), atol=1e-6 * scale[0, 0])
    assert [label.text for label in drawing(swing).labels if label.text not in "xyzg"] == ["tip"]


def test_earlier_instants_are_fainter(swing):
    ghosts = [stroke.edge for stroke in drawing(swing).strokes if len(stroke.edge) == 9 and stroke.fill == "none"]
    opaque = [int(edge[-2:], 16) for edge in ghosts]
    assert len(opaque) == 2 * (INSTANTS - 1)
    assert opaque == sorted(opaque)
    assert opaque[0] < opaque[-1] < 255


def test_what_has_no_frames_shows_the_paths_of_its_centres_of_mass(pendulum):
    run = vv.simulate(pendulum(), t_end=0.5, h=0.02)
    (path,) = lines(run, len(run.t))
    drawn, true = (np.linalg.norm(np.diff(r, axis=0), axis=1) for r in (path, run["rod.r"]))
    assert_allclose(drawn, drawn[0] / true[0] * true, rtol=1e-9)  # seen along the normal, nothing is shortened


def test_many_bodies_leave_no_paths_and_no_names():
    m = demo.folded_chain(20)
    del m.parts["tip"]
    run = vv.simulate(m, t_end=0.02, h=0.01)
    assert [label.text for label in drawing(run).labels] == ["x", "y", "z", "g"]


def test_the_figure_has_the_size_of_the_drawing_and_a_title(swing, tmp_path):
    figure = swing.plot("motion", tmp_path / "motion.png")
    width, height = figure.get_size_inches()
    (axes,) = figure.axes
    (x0, x1), (y0, y1) = axes.get_xlim(), axes.get_ylim()
    assert_allclose([(x1 - x0) / width, (y1 - y0) / height], 72.0)  # one point is one point, in both directions
    assert "double pendulum: 0 … 0.6 s" in {text.get_text() for text in axes.texts}
    assert (tmp_path / "motion.png").stat().st_size > 5000


def test_a_model_without_bodies_has_no_picture_of_motion():
    from visviva.geometry.embedding import Flat
    from visviva.model import Kinetic, Variable

    model = vv.Model("drift", (Variable("v", Flat(1)),), (Kinetic("mass", "v", np.eye(1)),))
    run = vv.simulate(model, 0.1, 0.05, integrator=vv.DiscreteGradient(), initial={"v": 1.0})
    with pytest.raises(vv.ModelError, match="'drift' is no mechanism"):
        run.plot("motion")
    assert plt.get_fignums() == []
