"""What there is not comes with what was probably meant: one rule for keywords, attributes, parts and results."""

from __future__ import annotations

import copy
import pickle
import traceback

import pytest
from numpy.testing import assert_allclose

import visviva as vv
from visviva._suggestions import helpful, nearest
from visviva.integrate import AbstractIntegrator


@pytest.fixture
def m() -> vv.Mechanism:
    m = vv.Mechanism("arm", gravity=(0, 0, -9.81))
    m.body("arm", mass=1.0, inertia=vv.inertia.rod(1.0, 1.0, axis="x"), at=(0.5, 0, 0))
    return m


@pytest.fixture
def run(m):
    m.revolute("hinge", "ground", "arm", at=(0, 0, 0), axis="y")
    return vv.simulate(m, t_end=0.02, h=0.01)


# -- the rule ---------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("name", "known", "first"),
    [
        ("dt", ["t_end", "h", "every"], "h"),
        ("time_step", ["t_end", "h"], "h"),
        ("arm.v", ["arm.r", "arm.twist", "arm.R"], "arm.twist"),
        ("ball.velocity", ["ball.r", "ball.v"], "ball.v"),
        ("hinge.angle", ["hinge.q", "hinge.rate"], "hinge.q"),
        ("hinge.omega", ["hinge.q", "hinge.rate"], "hinge.rate"),
        ("add_body", ["body", "bodies"], "body"),
        ("add_hinge", ["revolute", "fixed"], "revolute"),
        ("Energy", ["energy", "entropy"], "energy"),
        ("world", ["ground", "arm"], "ground"),
    ],
)
def test_words_of_others_and_words_spelt_alike_are_found(name, known, first):
    assert nearest(name, known)[0] == first


def test_what_is_near_nothing_has_no_suggestion():
    assert nearest("perpetuum_mobile", ["h", "t_end"]) == []


# -- keywords ---------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda m: vv.simulate(m, t_end=1, dt=0.1), r"simulate\(\) has no argument 'dt'. Did you mean 'h'\?"),
        (
            lambda m: vv.Sampled(lambda now: {}, perod=1),
            r"Sampled\(\) has no argument 'perod'. Did you mean 'period'\?",
        ),
        (lambda m: vv.Sampled(lambda now: {}, dt=1), "no argument 'dt'. Did you mean 'period'"),
        (lambda m: vv.Sampled(lambda now: {}), r"Sampled\(\) needs 'period'"),
        (lambda m: vv.Simulator(m, h=1, intial=None), r"Simulator\(\) .* 'intial'. Did you mean 'initial'"),
        (lambda m: vv.Simulator(m, h=1).run(1.0, evry=2), r"run\(\) has no argument 'evry'. Did you mean 'every'"),
        (lambda m: vv.Simulator(m, h=1).run(tend=2), r"run\(\) has no argument 'tend'. Did you mean 't_end'"),
        (lambda m: vv.Simulator(m, h=1).step(steps=2), r"step\(\) has no argument 'steps'. Did you mean 'n'"),
        (lambda m: vv.Simulator(m, h=1).reset(state=2), r"reset\(\) has no argument 'state'. Did you mean 'initial'"),
        (lambda m: vv.Simulator(m, h=1).rollout(step=2), r"rollout\(\) has no argument 'step'. Did you mean 'steps'"),
        (lambda m: vv.dynamics(m, independant="rank"), r"dynamics\(\) has .* Did you mean 'independent'"),
        (lambda m: vv.read_urdf("robot.urdf", float=True), r"read_urdf\(\) has .* Did you mean 'floating'"),
        (lambda m: vv.compile(m, forms="lie"), r"compile\(\) has .* Did you mean 'form'"),
        (lambda m: vv.DOP853(tol=1e-6), r"DOP853\(\) has .* Did you mean 'tolerance'"),
        (lambda m: vv.PHMP(netwon=None), r"PHMP\(\) has .* Did you mean 'newton'"),
        (lambda m: vv.simulate(m, 1, 0.1, solver=None), "no argument 'solver'. Did you mean 'integrator'"),
        (lambda m: vv.simulate(m, t_end=1), r"simulate\(\) needs 'h'.\nIts arguments: what, t_end, h, integrator"),
        (lambda m: m.revolute("j", "ground", "arm", position=(0, 0, 0)), r"revolute\(\) .* 'position'. .* 'at'"),
        (lambda m: m.revolute("j", "ground", "arm", at=(0, 0, 0), axis="y", damping=1.0), "mean 'friction'"),
        (lambda m: m.revolute("j", "ground", "arm", stiffness=1.0), "mean 'stop_stiffness'"),
        (lambda m: m.spring("s", "ground", "arm", stiffness=1.0), "mean 'k'"),
        (lambda m: m.spring("s", "ground", "arm", 5.0), r"spring\(\) got 4 arguments by place: it takes name, a, b by"),
        (lambda m: m.body("b", m=1.0), "mean 'mass'"),
        (lambda m: m.body("b", Inertia=1.0), "mean 'inertia'"),
        (lambda m: vv.Mechanism("a", g=(0, 0, -9.81)), r"Mechanism\(\) has no argument 'g'. Did you mean 'gravity'"),
        (lambda m: vv.equilibrium(m, start=1), "mean 'initial'"),
        (lambda m: vv.draw(m, label=True), r"draw_mechanism\(\) has no argument 'label'"),
        (lambda m: vv.read_urdf("x", float=True), "mean 'floating'"),
    ],
)
def test_a_wrong_argument_is_named_with_the_nearest(m, call, message):
    with pytest.raises(vv.ArgumentError, match="(?s)" + message) as caught:
        call(m)
    assert isinstance(caught.value, TypeError)  # as Python's own
    assert caught.value.__cause__ is None


def test_errors_from_inside_stay_what_they_are():
    @helpful
    def outer(a):
        return inner(a, b=1)

    def inner(a):
        return a

    with pytest.raises(TypeError, match=r"unexpected keyword argument 'b'") as caught:
        outer(1)
    assert not isinstance(caught.value, vv.ModelError)
    assert "inner(a, b=1)" in "".join(traceback.format_tb(caught.value.__traceback__))


def test_helpful_functions_can_be_sent_elsewhere(m):
    assert pickle.loads(pickle.dumps(vv.simulate)) is vv.simulate
    assert pickle.loads(pickle.dumps(m.body)).__self__.name == "arm"
    assert vv.simulate.__doc__.startswith("Integrate until")


# -- attributes -------------------------------------------------------------------------------------------------------
def test_a_missing_attribute_comes_with_the_nearest(m, run):
    with pytest.raises(AttributeError, match=r"Mechanism has no attribute 'add_body'. Did you mean 'body'"):
        m.add_body  # noqa: B018
    with pytest.raises(AttributeError, match=r"'hinge'. Did you mean 'revolute'"):
        m.hinge  # noqa: B018
    with pytest.raises(AttributeError, match=r"Run has no attribute 'time'. Did you mean 't'"):
        run.time  # noqa: B018
    with pytest.raises(AttributeError, match=r"'energy': it is a result, run\['energy'\]"):
        run.energy  # noqa: B018
    with pytest.raises(AttributeError, match=r"Did you mean vv.simulate"):
        vv.simulat  # noqa: B018
    assert getattr(m, "nothing", None) is None


def test_functions_are_named_where_attributes_are_asked_for(m):
    with pytest.raises(AttributeError, match=r"'model': vv\.compile\(\.\.\.\) makes it"):
        m.model  # noqa: B018
    with pytest.raises(AttributeError, match=r"'simulate': vv\.simulate"):
        m.simulate  # noqa: B018


def test_a_suggestion_is_made_once(m, run):
    """Python adds its own to those of errors that name an object."""
    for thing, name in ((m, "modul"), (run, "fina"), (vv, "simulat")):
        with pytest.raises(AttributeError) as raised:
            getattr(thing, name)
        assert "".join(traceback.format_exception_only(raised.value)).count("Did you mean") == 1


def test_known_names_are_listed_once(m):
    with pytest.raises(vv.ModelError, match="no parameter 'zzz'") as raised:
        m.with_parameters({"zzz": 1.0})
    names = str(raised.value).partition("Known: ")[2].rstrip(".").split(", ")
    assert len(names) == len(set(names)) > 1


def test_a_kind_of_joint_comes_with_the_nearest(m):
    with pytest.raises(vv.ModelError, match=r"'rzepa'\. Did you mean 'rzeppa'\?"):
        m.joint("odd", "rzepa", m.ground, m.bodies[0].name)


def test_objects_with_suggestions_are_copied_and_pickled(m, run):
    assert copy.deepcopy(m).bodies[0].name == "arm"
    assert_allclose(pickle.loads(pickle.dumps(run))["arm.r"], run["arm.r"])


# -- parts, results, axes ---------------------------------------------------------------------------------------------
def test_results_are_suggested_by_what_they_mean(run):
    with pytest.raises(vv.ModelError, match=r"has no 'arm.v'. Did you mean 'arm.twist'"):
        run["arm.v"]
    with pytest.raises(vv.ModelError, match=r"Did you mean 'hinge.q'"):
        run["hinge.angle"]


def test_the_world_is_the_ground_unless_a_part_is_called_so(m):
    assert m["world"] is m.ground
    assert m.revolute("hinge", "world", "arm", at=(0, 0, 0), axis="y").parent is m.ground
    world = m.frame("world", "ground", at=(1, 0, 0))
    assert m["world"] is world


@pytest.mark.parametrize(("letter", "vector"), [("x", (1, 0, 0)), ("-z", (0, 0, -1)), ("+y", (0, 1, 0))])
def test_letters_are_axes_wherever_a_direction_is_given(m, letter, vector):
    assert_allclose(m.revolute("a", "ground", "arm", at=(0, 0, 0), axis=letter).R_W[:, 2], vector, atol=1e-15)
    assert_allclose(m.planar("b", "ground", "arm", at=(0, 0, 0), normal=letter).R_W[:, 2], vector, atol=1e-15)
    assert_allclose(vv.screws.Screw.along(letter).vector[3:], vector)
    assert_allclose(vv.inertia.rod(1.0, 1.0, axis=letter).J, vv.inertia.rod(1.0, 1.0, axis=vector).J)


def test_two_letters_are_the_axes_of_a_universal_joint(m):
    R = m.universal("u", "ground", "arm", at=(0, 0, 0), axes=("x", "-y")).R_W
    assert_allclose(R[:, [2, 0]].T, [(1, 0, 0), (0, -1, 0)], atol=1e-15)


def test_other_letters_are_no_axes(m):
    with pytest.raises(vv.ModelError, match=r"axis of joint 'j' must be a direction: 'x', 'y', 'z', '-x'.* got 'up'"):
        m.revolute("j", "ground", "arm", at=(0, 0, 0), axis="up")


def test_a_simulator_says_what_it_has(m):
    sim = vv.Simulator(m, h=0.01)
    with pytest.raises(AttributeError, match=r"Simulator has no attribute 'time'\. Did you mean 't'"):
        _ = sim.time
    assert copy.copy(sim).h == 0.01
    law = vv.Sampled(lambda now: {}, period=1.0)
    assert copy.copy(law) == law


def explained(name):
    """Schemes and functions; results are made by nobody, and some functions take any option."""
    what = getattr(vv, name)
    if isinstance(what, type):
        return issubclass(what, AbstractIntegrator)
    return callable(what) and name not in ("draw", "root_locus")


@pytest.mark.parametrize("name", sorted(filter(explained, set(vv.__all__))))
def test_every_scheme_and_function_explains_its_arguments(name):
    with pytest.raises(vv.ArgumentError, match="has no argument 'not_there'"):
        getattr(vv, name)(not_there=1)
