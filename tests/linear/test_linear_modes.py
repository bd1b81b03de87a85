"""Modes: shapes, shares, tables and pictures."""

import numpy as np
import pytest
from linear_models import bicycle, motor_arm, rods, rolling, rotor, spring_chain
from numpy.testing import assert_allclose

import visviva as vv
from visviva import demo
from visviva.linear import LinearSystem
from visviva.linear.eigen import eigen


@pytest.fixture(scope="module")
def pendulums():
    return vv.linearise(rods(2))


def test_shapes_are_eigenvectors(pendulums):
    for lin in (pendulums, vv.linearise(motor_arm())):
        for mode in lin.modes():
            assert_allclose(lin.A @ mode.vector, mode.eigenvalue * mode.vector, atol=1e-9)
            assert np.abs(mode.vector[: len(lin.M)]).max() == pytest.approx(1.0)


def test_modes_of_a_conservative_system_are_orthogonal_and_real(pendulums):
    modes = pendulums.modes()
    assert modes.real
    one, two = (mode.vector[:2].real for mode in modes)
    assert_allclose([one @ pendulums.M @ two, one @ pendulums.K @ two], 0.0, atol=1e-10)
    assert len(modes.eigenvalues) == 4


def test_shares_are_kinetic_energies(pendulums):
    for mode in pendulums.modes():
        a, b = (mode.shape[f"hinge{k}.q"].real for k in range(2))
        upper = a**2 / 3
        lower = (a + (a + b) / 2) ** 2 + (a + b) ** 2 / 12
        assert_allclose(mode.shares["rod0"], upper / (upper + lower), rtol=1e-9)
        assert sum(mode.shares.values()) == pytest.approx(1.0)


def test_a_winding_has_its_share():
    fast = vv.linearise(motor_arm()).modes()[-1]
    assert fast.shares["motor.flux"] > 0.9
    assert fast.frequency == 0.0
    assert fast.damping_ratio == 1.0


def test_the_table_names_what_moves(pendulums):
    text = str(pendulums.modes())
    assert text.splitlines()[0] == "modes of 'rods'"
    assert "±2.6801i" in text
    assert "rod1 90 %, rod0 10 %" in text
    assert str(pendulums.modes()[0]) == "±2.6801i 1/s, 0.42655 Hz, damping ratio 0"
    with pytest.raises(vv.ModelError, match="there is no mode 7"):
        _ = pendulums.modes()[7]
    assert [mode.eigenvalue for mode in pendulums.modes()] == [pendulums.modes()[k].eigenvalue for k in range(2)]


def test_chains_of_zeros_stay_zero():
    """Jordan blocks of the eigenvalue zero in random axes; other eigenvalues and vectors as exact as they were."""
    rng = np.random.default_rng(0)
    J = np.diag([0.0, 0, 0, -2, 0, 0, -1e-5])
    J[0, 1] = J[1, 2] = 1
    J[4, 5], J[5, 4] = 3, -3
    T = rng.normal(size=(7, 7))
    A = T @ J @ np.linalg.inv(T)
    found = eigen(A)
    values, vectors = found.values, found.vectors
    assert (values[:3] == 0).all()
    assert_allclose(np.sort(np.abs(values[3:])), [1e-5, 2, 3, 3], rtol=1e-8)
    assert_allclose(A @ vectors[:, 3:], vectors[:, 3:] * values[3:], atol=1e-11)


def test_bode_and_modes_of_nothing():
    nothing = LinearSystem("nothing", *(np.zeros((0, 0)) for _ in range(4)), (), (), ())
    assert len(nothing.modes()) == 0
    assert nothing.stable


def test_a_mode_is_drawn_at_both_ends(pendulums, tmp_path):
    path = tmp_path / "mode.svg"
    picture = pendulums.modes()[1].draw(path, amplitude=0.2)
    assert path.read_text().startswith("<svg")
    assert picture.svg
    with pytest.raises(vv.ModelError, match="amplitude must be positive"):
        pendulums.modes()[0].draw(amplitude=-1.0)


@pytest.mark.parametrize("make", [demo.four_bar, lambda: spring_chain(2)], ids=["loop", "slides"])
def test_a_picture_keeps_its_loops_closed(make):
    lin = vv.linearise(make())
    form = lin.shapes.form
    p = 0.1 * lin.modes()[0].vector[: lin.K.shape[1]].real
    moved, resting = lin.shapes.displaced(p), lin.shapes.displaced(0 * p)
    assert max(np.abs(moved[name] - resting[name]).max() for name in moved) > 1e-3
    x = form.x(lin.shapes.q, None, lin.shapes.s)
    for body, q in moved.items():
        x[form.model.layout.x[f"{body}.q"]] = q
    assert_allclose(form.model.g(x), 0.0, atol=1e-9)


def test_whirling_shapes_turn():
    """In a forward whirl of a rotor both tilts are a quarter of a period apart, and so they are backward."""
    lin = vv.linearise(rotor(40.0), steady=True)
    tilting = [mode for mode in lin.modes() if abs(mode.shape["tilt.q[0]"]) > 0.5 and mode.frequency > 0]
    ratios = [mode.shape["tilt.q[1]"] / mode.shape["tilt.q[0]"] for mode in tilting]
    assert_allclose(np.sort(np.imag(ratios)), [-1, 1], atol=1e-9)
    assert_allclose(np.real(ratios), 0, atol=1e-9)


def test_a_picture_of_a_lone_disc_has_the_size_of_a_page():
    """All joints of the rotor are in one place: its solid says how large it is."""
    lin = vv.linearise(rotor(40.0, coupling=300.0), steady=True)
    for mode in lin.modes():
        if mode.frequency:
            low, high = mode.draw().drawing.bounds
            assert (np.subtract(high, low) < 1500).all()


def test_a_rolling_disc_can_be_drawn():
    lin = vv.linearise(rolling(6.0), steady=True)
    assert lin.modes()[-1].draw().svg


def test_what_has_no_bodies_has_no_picture():
    lin = vv.linearise(vv.HandFlow(lambda t, q, xi: [-q[0]], n=1), at=([0.0], [0.0]))
    with pytest.raises(vv.ModelError, match="no bodies to draw"):
        lin.modes()[0].draw()


def test_a_mode_moves_in_a_film(pendulums, tmp_path):
    """Frames of one size; half an oscillation later it is on the other side; both files hold the same film."""
    from PIL import Image

    film = pendulums.modes()[1].animate(tmp_path / "mode.gif", frames=4, seconds=1.0)
    first, quarter, half = (film.drawings[k] for k in (0, 1, 2))
    assert repr(film) == "<Film of 'rods': 4 frames, 1 s>"
    assert len({tuple(np.round(np.concatenate(drawing.bounds), 9)) for drawing in film.drawings}) == 1
    ends = [max(part.points[:, 0].max() for part in drawing.strokes[1:20]) for drawing in (first, quarter, half)]
    assert abs(ends[0] - ends[1]) > 5
    with Image.open(tmp_path / "mode.gif") as image:
        assert (image.n_frames, image.info["duration"], image.info["loop"]) == (4, 250, 0)
    page = film.save(tmp_path / "mode.html").read_text()
    assert film._repr_html_() in page


def test_films_that_cannot_be_made_say_why(pendulums, tmp_path):
    mode = pendulums.modes()[0]
    with pytest.raises(vv.ModelError, match=r"'mode.mp4': the name must end with .gif or .html"):
        mode.animate(tmp_path / "mode.mp4", frames=2)
    with pytest.raises(vv.ModelError, match="frames"):
        mode.animate(frames=1)
    with pytest.raises(vv.ModelError, match=r"a film of 30 frames takes 0.6 s at least, got 0.1 s"):
        mode.animate(seconds=0.1)


def test_what_rests_elsewhere_is_named_by_what_is_displaced():
    """Free angles of a bicycle's wheels and its free place: nothing moves, but something is elsewhere."""
    modes = vv.linearise(bicycle(5.0), steady=True).modes()
    resting = [mode for mode in modes if mode.eigenvalue == 0]
    assert len(resting) == 6
    for mode in resting:
        assert sum(mode.shares.values()) == pytest.approx(1.0)
        turned = {name for name, value in mode.shape.items() if abs(value) > 1e-9}
        if turned == {"front hub.q"}:
            assert mode.shares["front wheel"] == pytest.approx(1.0)
    whirl = vv.linearise(rotor(40.0, coupling=300.0), steady=True)
    assert all(line.split()[3] == "0" for line in str(whirl.modes()).splitlines()[2:])
