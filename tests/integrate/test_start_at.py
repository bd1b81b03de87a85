"""Wherever a state is taken: values by name, runs, instants of runs of any scheme, motions and equilibria."""

import pickle

import pytest
from bench import arm, cart_pole, warm_motor
from coupled_mechanisms import driven_four_bar, gears
from numpy.testing import assert_allclose

import visviva as vv
from visviva import demo
from visviva.mechanism.assembly import motion_of

SCHEMES = (vv.PHMP(), vv.PHMPGGL(compiled=False), vv.LieMidpoint(), vv.DOP853(compiled=False))
MECHANISMS = {
    "cart-pole": cart_pole,
    "four-bar": demo.four_bar,
    "warm motor": warm_motor,
    "gears": lambda: gears()[0],
    "driven four-bar": lambda: driven_four_bar()[0],
}
READ = {
    "cart-pole": ("rail.q", "pivot.q", "pivot.rate", "pole.r"),
    "four-bar": ("A.q", "D.rate", "coupler.r"),
    "warm motor": ("hinge.q", "hinge.rate", "dc.current", "iron.temperature"),
    "gears": ("a.q", "b.q", "a.rate"),
    "driven four-bar": (),
}


@pytest.mark.parametrize("name", MECHANISMS)
@pytest.mark.parametrize("before", SCHEMES[:3], ids=lambda scheme: type(scheme).__name__)
def test_a_run_goes_on_in_any_other_scheme(name, before):
    m = MECHANISMS[name]()
    first = vv.simulate(m, 0.02, 2e-3, integrator=before)
    for after in SCHEMES:
        run = vv.simulate(m, 0.024, 2e-3, integrator=after, initial=first.final)
        assert run.t[0] == pytest.approx(first.t[-1], abs=1e-15)
        for one in READ[name]:
            assert_allclose(run[one][0], first[one][-1], rtol=1e-9, atol=1e-9, err_msg=one)
        for part in m.bodies:
            assert_allclose(run[f"{part.name}.r"][0], first[f"{part.name}.r"][-1], atol=1e-11)


def test_an_instant_inside_of_a_stop_goes_on_too():
    m = cart_pole()
    m.stop("end", "rail", low=-1.0, high=0.001, stiffness=50.0)
    run = vv.simulate(m, 0.02, 2e-3)
    assert run["rail.q"][-1] > 0.001
    for scheme in (vv.LieMidpoint(), vv.DOP853(compiled=False)):
        more = vv.simulate(m, 0.022, 2e-3, integrator=scheme, initial=run)
        assert more["rail.q"][0] == pytest.approx(run["rail.q"][-1], abs=1e-12)


def test_there_and_back_again_is_the_same_state():
    m = demo.four_bar()
    first = vv.simulate(m, 0.05, 1e-3)
    there = vv.simulate(m, 0.05, 1e-3, integrator=vv.LieMidpoint(), initial=first)
    back = vv.simulate(m, 0.05, 1e-3, initial=there)
    assert_allclose(back["coupler.r"][0], first["coupler.r"][-1], atol=1e-13)
    assert_allclose(back["A.rate"][0], first["A.rate"][-1], rtol=1e-11)
    assert back["A.q"][0] == first["A.q"][-1]


def test_a_run_stands_for_its_end_and_survives_a_file():
    m = cart_pole()
    first = pickle.loads(pickle.dumps(vv.simulate(m, 0.02, 2e-3)))
    again, whole = vv.simulate(m, 0.04, 2e-3, initial=first), vv.simulate(m, 0.04, 2e-3)
    assert_allclose(again["pivot.q"], whole["pivot.q"][10:], rtol=0, atol=0)


def test_variables_of_the_model_go_on_to_be_taken():
    m = cart_pole()
    model = vv.compile(m, "lie")
    run = vv.simulate(m, 0.0, 1.0, integrator=vv.LieMidpoint(), initial={"rail.q": 0.3, "pivot.q": 2.0})
    values = {name: run.final.x[at] for name, at in model.layout.x.items()}
    again = vv.simulate(m, 0.0, 1.0, integrator=vv.LieMidpoint(), initial=values)
    assert_allclose(again["pole.r"][0], run["pole.r"][-1], atol=1e-15)
    part = vv.simulate(m, 0.0, 1.0, initial={"cart.q": values["cart.q"]})
    assert_allclose(part["cart.r"][0], run["cart.r"][-1], atol=1e-12)


def test_currents_and_temperatures_are_states():
    m = warm_motor()
    given = {"dc.current": -2.0, "iron.temperature": 350.0, "hinge.q": 4.0}
    for scheme in SCHEMES:
        run = vv.simulate(m, 0.0, 1.0, integrator=scheme, initial=given)
        for name, value in given.items():
            assert run[name][0] == pytest.approx(value, rel=1e-14)
    assert vv.simulate(m, 0.0, 1.0)["dc.current"][0] == 1.5


def test_minimal_forms_start_where_mechanisms_do_and_back():
    m = demo.four_bar()
    form = vv.analytical(m)
    for given in ({"A.q": 0.4, "A.rate": 2.0}, vv.simulate(m, 0.02, 2e-3), m.assemble(at={"A.q": 0.4})[0]):
        state = form.checked(given)
        q, V = motion_of(m, given).q, form.motion(state.q, state.xi).V
        assert_allclose(form.motion(state.q, state.xi).q["coupler"], q["coupler"], atol=1e-10)
        assert_allclose(V["coupler"], motion_of(m, given).V["coupler"], atol=1e-9)
    run = vv.simulate(form, 0.01, 1e-3, initial={"A.q": 7.0, "A.rate": 2.0})
    assert run["A.q"][0] == 7.0
    more = vv.simulate(form, 0.02, 1e-3, initial=run)
    assert more.t[0] == pytest.approx(0.01)
    over = vv.simulate(m, 0.0, 1.0, initial=form.motion(run.final.q, run.final.xi))
    assert over["A.q"][0] == pytest.approx(run["A.q"][-1], abs=1e-12)
    momentum = vv.analytical(m, "kane-momentum")
    state = momentum.checked({"A.q": 0.4, "A.rate": 2.0})
    assert momentum.motion(state.q, state.xi).angles["A"] == pytest.approx(0.4, abs=1e-12)


def test_minimal_forms_carry_currents_and_temperatures():
    form = vv.analytical(warm_motor())
    state = form.checked({"dc.current": -2.0, "iron.temperature": 350.0})
    motion = form.motion(state.q, state.xi, state.s)
    assert motion.others == pytest.approx({"dc.current": -2.0, "iron.temperature": 350.0})


def test_equilibria_and_linear_systems_take_the_same_states():
    m = demo.four_bar()
    run = vv.simulate(m, 0.05, 1e-3)
    rest = vv.equilibrium(m)
    for initial in ({"A.q": 0.3}, run, run.final, rest, rest.motion, m.assemble()[0]):
        assert vv.equilibrium(m, initial=initial).energy == pytest.approx(rest.energy, rel=1e-9)
    at = {"A.q": rest.motion.angles["A"]}
    A = vv.linearise(m, at=rest).A
    for state in (at, rest.motion, m.assemble(at=rest)[0]):
        assert_allclose(vv.linearise(m, at=state).A, A, rtol=1e-6, atol=1e-6)


def test_pictures_and_networks_take_the_same_states():
    m = demo.four_bar()
    motion = m.assemble(at={"A.q": 0.5})[0]
    for state in ({"A.q": 0.5}, motion, vv.simulate(m, 0.0, 1.0, initial={"A.q": 0.5})):
        assert_allclose(vv.draw(m, at=state).drawing.bounds, vv.draw(m, state=motion).drawing.bounds, atol=1e-9)
        assert m.kinestatics(at=state).mobility() == 1
        assert m.analysis(at=state).mobility == 1
        assert vv.kinestatics(m, at=state).mobility() == 1
        assert vv.sweep(m, "A", to=1.0, at=state, steps=2).s[0] == 0.5
        for name, value in m.system_state(motion).items():
            assert_allclose(m.system_state(at=state)[name], value, atol=1e-9, err_msg=name)
        m.interconnection(at=state)


def test_an_equilibrium_of_a_screw_counts_its_turns():
    m = demo.screw_press()
    state = m.assemble(at={"nut.q": 9.0})[0]
    found = vv.equilibrium(m, initial={"nut.q": 9.0})
    assert abs(found.motion.angles["nut"]) < 1e3
    assert vv.simulate(m, 0.01, 1e-3, initial=state)["nut.q"][0] == 9.0


def test_a_state_of_another_mechanism_is_refused_everywhere():
    m, run = demo.four_bar(), vv.simulate(cart_pole(), 0.01, 1e-3)
    for take in (
        lambda s: vv.equilibrium(m, initial=s),
        lambda s: vv.linearise(m, at=s),
        lambda s: vv.draw(m, at=s),
        lambda s: m.kinestatics(at=s),
        lambda s: m.assemble(at=s),
    ):
        for state in (run, run.final):
            with pytest.raises(vv.ModelError, match="no state of mechanism 'four bar'"):
                take(state)
    with pytest.raises(vv.ModelError, match="does not fit model 'four bar'"):
        vv.simulate(m, 1.0, 0.1, initial=run)
    composite = vv.simulate(arm(1).system(), 0.01, 1e-3, initial=arm(1).system_state())
    with pytest.raises(vv.ModelError, match="is not one of a mechanism: it has no motion"):
        vv.draw(m, at=composite)


@pytest.mark.parametrize("what", [3, "hinge", [0.0, 0.0]])
def test_what_is_no_state_is_refused_by_what_may_be_given(what):
    with pytest.raises(vv.ModelError, match=r"(?s)must be values by name such as .*run.final.*got"):
        vv.simulate(cart_pole(), 1.0, 0.1, initial=what)
