"""Wrong input to linear systems: each has words of its own, in the names of the user."""

import numpy as np
import pytest
import systems
from linear_models import rods, rotor
from numpy.testing import assert_allclose

import visviva as vv
from visviva import demo
from visviva.linear import LinearSystem
from visviva.mechanism.friction import coulomb

AT = ([0.0], [0.0])


def arm(**hinge):
    m = rods(**hinge)
    m.torque("hand", "hinge0")
    return m


def hand():
    return vv.HandFlow(lambda t, q, xi: [-q[0]], n=1, names=("x", "v"), name="by hand")


def oscillator(**changed):
    parts = {
        "name": "osc", "A": [[0, 1.0], [-4, -0.4]], "B": [[0.0], [1]], "C": np.eye(2), "D": np.zeros((2, 1)),
        "states": ("q", "v"), "inputs": ("f",), "outputs": ("q", "v"),
    }  # fmt: skip
    return LinearSystem(**parts | changed)


def driven(rate):
    m = rods()
    m.drive("spin", "hinge0", rate=rate)
    return m


def opened():
    form = vv.analytical(demo.four_bar())
    return form, form.initial.q + np.array([0.3, 0, 0])


def locus(values=(1.0, 2.0), **options):
    return vv.root_locus(lambda value: oscillator(), values, **options)


CASES = {
    # where
    "at a word": (lambda: vv.linearise(rods(), at="rest"), "linearised at='rest', which is no state"),
    "at a number": (lambda: vv.linearise(rods(), at=3), r"Give at=\(q, xi\), 1 coordinates and 1 velocities"),
    "at a run": (lambda: vv.linearise(rods(), at=vv.simulate(rods(2), 0.01, 0.01)), "no state of mechanism 'rods'"),
    "at names": (lambda: vv.linearise(rods(), at={"hinge0.q": 0.1}), "this is no equilibrium of mechanism 'rods'"),
    "at unknown names": (lambda: vv.linearise(rods(), at={"hinge.q": 0.1}), "has no state 'hinge.q'"),
    "at coordinates alone": (lambda: vv.linearise(rods(), at=([0.0],)), "which is no state of it"),
    "at nan": (lambda: vv.linearise(rods(), at=([np.nan], [0.0])), "coordinates q of 'rods' must be finite"),
    "at too few": (lambda: vv.linearise(rods(2), at=([0.0], [0.0, 0.0])), r"must have shape \(2,\), got \(1,\)"),
    "at another mechanism": (lambda: vv.linearise(rods(), at=rods(2).assemble()[0]), "of other bodies"),
    "at an open loop": (lambda: vv.linearise(opened()[0], at=(opened()[1], np.zeros(3))), "violates 'C': it is 0.1"),
    "at a torn loop": (
        lambda: vv.linearise(opened()[0], at=(opened()[0].initial.q, [1.0, 0, 0]), residual_ok=True),
        "violates 'C': its rate is",
    ),
    "flow nowhere": (lambda: vv.linearise(hand()), r"'by hand' does not say where it rests: give at=\(q, xi\)"),
    "flow at a number": (lambda: vv.linearise(hand(), at=3), "'by hand' is linearised at=3"),
    "flow out of balance": (lambda: vv.linearise(hand(), at=([1.0], [0.0])), "along 'v' a force of -1 is left"),
    "flow in motion": (lambda: vv.linearise(hand(), at=([0.0], [1.0])), "moves in the state that was given: 'v' is 1"),
    "flow not steady": (lambda: vv.linearise(hand(), at=([1.0], [0.0]), steady=True), "no steady motion of 'by hand'"),
    "model at too few": (lambda: vv.linearise(systems.oscillator(), at=[0.0]), r"state x of 'osc' must have shape"),
    "model at unknown": (lambda: vv.linearise(systems.oscillator(), at={"q": 0, "p": 0, "r": 1}), "no variable 'r'"),
    "model at a part": (
        lambda: vv.linearise(systems.oscillator(), at={"q": 0.0}),
        "needs a value for its variable 'p'",
    ),
    "model at nan": (lambda: vv.linearise(systems.oscillator(), at=[np.nan, 0.0]), "must be finite"),
    # what
    "a class": (lambda: vv.linearise(vv.Mechanism), "takes a Mechanism, .* got type"),
    "nothing": (lambda: vv.linearise(None), "got NoneType"),
    "linear already": (lambda: vv.linearise(oscillator()), "got LinearSystem"),
    "no bodies": (lambda: vv.linearise(vv.Mechanism("empty")), "'empty' has no bodies"),
    "drive that moves": (
        lambda: vv.linearise(driven(1.0)),
        "drive 'spin' of mechanism 'rods' moves at the start, by 1",
    ),
    "unround rotor": (
        lambda: vv.linearise(rotor(30.0, diametral=(0.02, 0.03)), steady=True),
        "small deviations .* not",
    ),
    "passing by": (lambda: vv.linearise(rods(rate=3.0), steady=True), "coefficient of\n'hinge0.q' in the rate of"),
    # names
    "inputs a word": (lambda: vv.linearise(arm(), inputs="hand"), r"list of names, e.g. inputs=\['hand'\]"),
    "inputs a number": (lambda: vv.linearise(arm(), inputs=3), "inputs are a list of names"),
    "inputs numbers": (lambda: vv.linearise(arm(), AT, inputs=[3]), "inputs of 'rods' has no '3'. Known: hand"),
    "inputs twice": (lambda: vv.linearise(arm(), inputs=["hand", "hand"]), "inputs name 'hand' twice"),
    "outputs a word": (lambda: vv.linearise(systems.oscillator(), outputs="q"), "outputs are a list of names"),
    "outputs a letter": (lambda: vv.linearise(hand(), AT, outputs="x"), "outputs are a list of names"),
    "outputs a number": (lambda: vv.linearise(arm(), outputs=3), "outputs are a list of names"),
    "outputs twice": (lambda: vv.linearise(arm(), outputs=["hinge0.q", "hinge0.q"]), "outputs name 'hinge0.q' twice"),
    "outputs None": (lambda: vv.linearise(arm(), outputs=[None]), "has no 'None'. Known: hand.y, hinge0.q"),
    "outputs of the ground": (lambda: vv.linearise(arm(), outputs=["ground.r"]), "has no 'ground.r'"),
    "outputs of a model": (lambda: vv.linearise(systems.oscillator(), outputs=["r"]), "has no 'r'. Known: p, p.y, q"),
    "outputs of a flow": (lambda: vv.linearise(hand(), AT, outputs=["y"]), "the outputs of 'by hand' has no 'y'"),
    "operating unknown": (lambda: vv.linearise(arm(), operating={"foot": 1.0}), "inputs name 'foot'"),
    "operating nan": (lambda: vv.linearise(arm(), operating={"hand": np.nan}), "port 'hand' must be one finite number"),
    "operating a word": (lambda: vv.linearise(arm(), operating={"hand": "up"}), "must be one finite number, got 'up'"),
    "operating too many": (lambda: vv.linearise(arm(), operating={"hand": [1.0, 2.0]}), "must be one finite number"),
    "operating a number": (lambda: vv.linearise(arm(), operating=3.0), "given by port name"),
    "operating nan law": (lambda: vv.linearise(arm(), operating={"hand": lambda t, x, z: np.nan}), "must be finite"),
    "operating of a model": (lambda: vv.linearise(systems.oscillator(), operating={"r": 1.0}), "inputs name 'r'"),
    "velocities a word": (lambda: vv.linearise(rods(2), velocities="hinge0.rate"), "velocities are a list of names"),
    "velocities none": (lambda: vv.linearise(arm(), AT, velocities=[]), r"velocities=\[\] do not determine the motion"),
    "velocities numbers": (lambda: vv.linearise(arm(), AT, velocities=[0]), "velocities= has '0'; those of"),
    "velocities of a model": (lambda: vv.linearise(systems.oscillator(), velocities=["q"]), "has no velocities="),
    # systems
    "A not square": (lambda: oscillator(A=np.ones((2, 3))), r"A of the linear system 'osc' must have shape \(2, 2\)"),
    "B too long": (lambda: oscillator(B=np.ones((3, 1))), r"B .* must have shape \(2, 1\), for 2 states, 1 inputs"),
    "C too narrow": (lambda: oscillator(C=np.ones((2, 1))), r"C .* must have shape \(2, 2\)"),
    "D missing": (lambda: oscillator(D=np.zeros((0, 0))), r"D .* must have shape \(2, 1\)"),
    "A with nan": (lambda: oscillator(A=[[np.nan, 0], [0, 0]]), "A of the linear system 'osc' must be finite"),
    "A with words": (lambda: oscillator(A="no"), "must be numbers"),
    "names too many": (lambda: oscillator(states=("q", "v", "w")), "for 3 states"),
    "no unit": (lambda: oscillator().unit(3), "the linear system 'osc' has no '3'"),
    "no such mode": (lambda: oscillator().modes()[1], "has 1 modes; there is no mode 1"),
    "mode by name": (lambda: oscillator().modes()["q"], "there is no mode 'q'"),
    "mode without bodies": (lambda: oscillator().modes()[0].draw(), "no bodies to draw"),
    "select a word": (lambda: oscillator().select("f"), "inputs are a list of names"),
    "select unknown": (lambda: oscillator().select(outputs=["x"]), "outputs of 'osc' has no 'x'"),
    "zeros of unknown": (lambda: oscillator().zeros("q", "g"), "inputs of 'osc' has no 'g'"),
    # responses
    "no frequencies": (lambda: oscillator().frequency_response([]), "must be one vector, not empty"),
    "frequencies nan": (lambda: oscillator().frequency_response(np.nan), "frequencies w must be finite"),
    "frequencies complex": (lambda: oscillator().frequency_response(1j), "must be numbers"),
    "no times": (lambda: oscillator().step_response([]), "one vector that rises"),
    "times before": (lambda: oscillator().step_response([-1.0, 0.0]), "from zero or later"),
    "half a pair": (lambda: oscillator().frequency_response(1.0)["q"], r"response\['output', 'input'\], got 'q'"),
    "three of a pair": (lambda: oscillator().step_response(1.0)["q", "f", "v"], "from one input to one output"),
    "Bode at zero": (lambda: oscillator().bode([0.0, 1.0]), "must be positive, got 0"),
    "Bode of nothing": (lambda: oscillator().select([]).bode(), "has no inputs"),
    # loci
    "locus of nothing": (lambda: vv.root_locus(lambda value: None, [1.0]), "got NoneType"),
    "locus of no function": (lambda: vv.root_locus(rods(), [1.0]), "takes a function .* got Mechanism"),
    "no values": (lambda: locus([]), "one vector that rises or falls"),
    "values twice": (lambda: locus([1.0, 1.0]), "rises or falls"),
    "values nan": (lambda: locus([1.0, np.nan]), "values of the parameter must be finite"),
    "values in a table": (lambda: locus([[1.0, 2.0]]), "one vector"),
    "options too late": (lambda: locus(steady=True), "'steady' are for vv.linearise, but"),
    "limits to nothing": (lambda: locus().limits(0.0), r"in \(0, 1\), got 0"),
    "orders of words": (lambda: locus().campbell("first"), "orders of a Campbell diagram must be numbers"),
}


@pytest.mark.parametrize("case", CASES)
def test_wrong_input_has_its_words(case):
    call, words = CASES[case]
    with pytest.raises((vv.ModelError, vv.AssemblyError), match=words):
        call()


def test_outputs_may_come_from_anything_that_can_be_read_once():
    for m in (arm(), hand()):
        name = "x" if isinstance(m, vv.HandFlow) else "hinge0.q"
        assert vv.linearise(m, AT, outputs=(name for _ in range(1))).outputs == (name,)


@pytest.mark.parametrize(
    ("place", "stiffness"), [(-0.2, 0.0), (0.5, 50.0), (0.7, 100.0)], ids=["open", "touching", "in"]
)
def test_a_stop_has_the_stiffness_of_where_it_is(place, stiffness):
    """Contact sets in smoothly: half of the stiffness where it touches, after a thousandth of the range all of it."""
    m = rods()
    m.stop("stop", "hinge0", -0.5, 0.5, stiffness=100.0)
    lin = vv.linearise(m, ([place], [0.0]), residual_ok=True)
    assert_allclose(lin.K, 0.5 * 9.81 * np.cos(place) + stiffness, atol=1e-4)


def test_dry_friction_at_rest_is_steep_damping_or_too_steep():
    """level/v_reg about rest; a passage that differences cannot see is refused, and not taken for a number."""
    law = coulomb(0.3, v_reg=1e-2, viscous=0.1)
    lin = vv.linearise(rods(friction=law), AT)
    assert_allclose(lin.mechanics.damping, 0.3 / 1e-2 + 0.1, rtol=1e-8)
    steep = vv.linearise(rods(friction=coulomb(0.3, v_reg=1e-9)), AT)
    assert_allclose(steep.mechanics.damping, 0.3 / 1e-9, rtol=1e-8)
    with pytest.raises(vv.ModelError, match=r"not smooth in 'hinge0.rate' here: .*\n.*linearise\nbeside them"):
        vv.linearise(rods(friction=coulomb(0.3, v_reg=1e-12)), AT)
