"""A mechanism with other numbers is the one that is built with them; whatever they are, and whichever parts it has."""

from __future__ import annotations

import dataclasses
import pickle
import re
from collections.abc import Mapping

import numpy as np
import parts
import pytest
from parts import BODIES, ELEMENTS, JOINTS, NotApplicable

import visviva as vv
from visviva.geometry import SE3, SO3
from visviva.mechanism.calls import signature
from visviva.mechanism.parts import Ground
from visviva.testing import random_mechanism

SHAPES = ("axis", "axes", "normal", "direction", "rotation", "rest", "inertia", "K", "D", "G", "terms")


def again(m: vv.Mechanism, name: str, value: object) -> vv.Mechanism:
    """Built anew by the calls of another mechanism, one after the other, with one number of them changed."""
    whole = {"gravity": m.gravity, "theta0": m.theta0}
    built = vv.Mechanism(m.name, **(whole | ({name: value} if name in whole else {})))
    part, _, keyword = name.rpartition(".")
    for call in m._calls:
        options = dict(signature(call.method).bind(*call.arguments, **call.options).arguments)
        if options["name"] == part:
            options = dict(call.numbers if keyword in ("mass", "inertia", "com") else options) | {keyword: value}
        getattr(built, call.method)(**options)
    return built


def differences(one: object, two: object, where: str, seen: set[tuple[int, int]]) -> list[str]:
    """Where two values differ, in all that they hold; numbers bit for bit."""
    if one is two or (id(one), id(two)) in seen:
        return []
    seen.add((id(one), id(two)))
    if type(one) is not type(two):
        return [f"{where}: {type(one).__name__} and {type(two).__name__}"]
    if isinstance(one, Ground):
        return []
    if isinstance(one, np.ndarray):
        same = one.shape == two.shape and (one == two).all()
        return [] if same else [f"{where}: {one} and {two}"]
    if isinstance(one, tuple | list):
        pairs = zip(one, two, strict=False)
        found = [line for k, (a, b) in enumerate(pairs) for line in differences(a, b, f"{where}[{k}]", seen)]
        return found if len(one) == len(two) else [*found, f"{where}: lengths {len(one)} and {len(two)}"]
    if isinstance(one, Mapping):
        if list(one) != list(two):
            return [f"{where}: {list(one)} and {list(two)}"]
        return [line for key in one for line in differences(one[key], two[key], f"{where}.{key}", seen)]
    if dataclasses.is_dataclass(one):
        names = [each.name for each in dataclasses.fields(one)]
        return [line for n in names for line in differences(getattr(one, n), getattr(two, n), f"{where}.{n}", seen)]
    if hasattr(one, "expr") and hasattr(one, "function"):  # a function of time
        return [] if one.expr == two.expr and (one.expr is not None or one.function is two.function) else [where]
    return [] if one == two else [f"{where}: {one!r} and {two!r}"]


def other(name: str, value: object, share: float = 0.013) -> object | None:
    """Another number near by, where that makes sense of itself."""
    word = name.rpartition(".")[2]
    if isinstance(value, str | Mapping | SO3 | SE3) or word in ("rotation", "rest"):
        return None
    if isinstance(value, tuple) and any(isinstance(one, str) for one in value):
        return None
    if word == "axes":
        return (np.asarray(value) @ SO3.exp([0.1, 0.2, 0.3]).R.T).tolist()
    factor = 1.0 + share
    if np.ndim(value) == 0:
        return float(value) * factor if value else 0.05
    return np.asarray(value) * factor + (0.0 if word in SHAPES or word == "limits" else 1e-3)


def result(make):
    """What is made, or what the error says."""
    try:
        return make()
    except vv.ModelError as error:
        return str(error)


def checked(m: vv.Mechanism, names: list[str] | None = None) -> int:
    """That every number can be changed, as if the mechanism had been built so; how many were."""
    count = 0
    for name, value in m.parameters.items():
        changed = other(name, value)
        if changed is None or ".friction." in name or "friction[" in name or (names and name not in names):
            continue
        built = result(lambda: again(m, name, changed))  # noqa: B023
        found = result(lambda: m.with_parameters({name: changed}))  # noqa: B023
        if isinstance(built, str) or isinstance(found, str):
            assert built == found, name
            continue
        parts = [dict(one.parts) | {"gravity": one.gravity, "theta0": one.theta0} for one in (built, found)]
        assert differences(*parts, name, set()) == []
        assert dict(found.parameters).keys() == dict(built.parameters).keys()
        count += 1
    return count


@pytest.mark.parametrize("element", [*ELEMENTS, *BODIES])
def test_changed_numbers_of_every_element_are_those_of_a_mechanism_built_with_them(element):
    joint = (ELEMENTS | BODIES)[element].joint
    m = parts.sample(joint, element).mechanism
    own = m._calls[-1].name
    assert checked(m, [name for name in m.parameters if name.startswith((f"{own}.", "hand.mass", "theta0"))])


@pytest.mark.parametrize("joint", JOINTS)
def test_changed_numbers_of_every_joint_are_those_of_a_mechanism_built_with_them(joint):
    assert checked(parts.sample(joint).mechanism) >= 12


@pytest.mark.slow
@pytest.mark.parametrize("element", [*ELEMENTS, *BODIES])
@pytest.mark.parametrize("joint", JOINTS)
def test_every_number_of_every_joint_with_every_element(joint, element):
    try:
        m = parts.sample(joint, element).mechanism
    except (NotApplicable, vv.ModelError):
        pytest.skip("nothing to act on")
    assert checked(m) >= 12


@pytest.mark.parametrize("seed", [0, *(pytest.param(k, marks=pytest.mark.slow) for k in range(1, 60))])
def test_numbers_of_random_scripts_are_those_of_scripts_with_them(seed):
    script = random_mechanism(seed)
    m, count = script.build(), 0
    for k, call in enumerate(script.calls):
        for keyword in call.options:
            name = f"{call.name}.{keyword}"
            changed = other(name, m.parameters[name]) if name in m.parameters else None
            if changed is None:
                continue
            changed = changed.tolist() if isinstance(changed, np.ndarray) else changed
            options = {**call.options, keyword: changed}
            calls = (*script.calls[:k], dataclasses.replace(call, options=options), *script.calls[k + 1 :])
            built = result(dataclasses.replace(script, calls=calls).build)
            found = result(lambda: m.with_parameters({name: changed}))  # noqa: B023
            if isinstance(built, str) or isinstance(found, str):
                assert built == found, name
                continue
            scripted = [_without_functions(one.parts) for one in (built, found)]
            assert differences(*scripted, name, set()) == []
            count += 1
    assert count > 3


def _without_functions(parts):
    """Functions of a script are other ones each time that it is read."""
    return {name: part for name, part in parts.items() if getattr(part, "law", None) is None}


# -- names --------------------------------------------------------------------------------------------------------


def robot_arm() -> vv.Mechanism:
    m = vv.Mechanism("robot arm", gravity=(0, 0, -9.81))
    m.thermal("oil", capacity=50.0)
    m.body("arm", inertia=vv.inertia.box(1.5, (1.0, 0.1, 0.2)), at=(0.5, 0, 0))
    law = vv.friction.coulomb(0.4, v_reg=0.1, factor=lambda theta: np.exp(-(theta - 300) / 40))
    m.revolute("hinge", "ground", "arm", at=(0, 0, 0), axis="y", friction=law, heat_to="oil", limits=(-2, 2),
               stop_stiffness=50.0)  # fmt: skip
    m.spring("coil", "ground", "arm", energy=lambda l: 3.0 * l**4, at_a=(0.5, 0, 1))
    m.motor("dc", "hinge", resistance=2.0, inductance=0.01, k=0.1)
    return m


def test_they_print_as_a_table_with_units():
    text = str(robot_arm().parameters)
    for line in ("arm.mass +1.5 +kg", "hinge.friction.level +0.4 +N m", "hinge.axis +y", "dc.k +0.1 +N m/A",
                 "hinge.stop_stiffness +50 +N m/rad", "oil.capacity +50 +J/K", "theta0 +300 +K"):  # fmt: skip
        assert re.search(f"^{line.replace(' +', ' {2,}')}$", text, re.MULTILINE), line


def test_numbers_are_read_by_name_and_cannot_be_written_into():
    m = robot_arm()
    assert m.parameters["arm.mass"] == 1.5
    assert m.parameters["dc.current"] == 0.0
    assert m.parameters["gravity"].tolist() == [0, 0, -9.81]
    with pytest.raises(ValueError, match="read-only"):
        m.parameters["arm.at"][0] = 1.0
    assert "coil.energy" not in m.parameters
    assert "coil.length" not in m.parameters


def test_numbers_of_a_law_of_friction_have_its_keywords():
    m = robot_arm().with_parameters({"hinge.friction.level": 0.7, "hinge.friction.viscous": 0.2})
    law = m["hinge"].laws[0]
    wanted = vv.friction.coulomb(0.7, v_reg=0.1, viscous=0.2, factor=lambda theta: np.exp(-(theta - 300) / 40))
    assert (law.force, law.parameters, law.v_reg) == (wanted.force, wanted.parameters, wanted.v_reg)
    assert m.parameters["hinge.friction.viscous"] == 0.2
    with pytest.raises(vv.ModelError, match="level of Coulomb friction"):
        m.with_parameters({"hinge.friction.level": -1.0})
    with pytest.raises(vv.ModelError, match="as a whole and by numbers"):
        m.with_parameters({"hinge.friction.level": 1.0, "hinge.friction": 0.3})


def test_laws_of_several_coordinates_are_counted():
    m = vv.Mechanism()
    m.body("b", mass=1.0, inertia=(1, 1, 1))
    m.cylindrical("sleeve", "ground", "b", at=(0, 0, 0), axis="z", friction=[vv.friction.coulomb(1.0, v_reg=0.1), 0.3])
    changed = m.with_parameters({"sleeve.friction[0].level": 2.0})
    assert dict(changed["sleeve"].laws[0].arguments)["level"] == 2.0
    assert changed["sleeve"].friction[1] == 0.3
    assert m.parameters["sleeve.friction[1]"] == 0.3
    beside = m.with_parameters({"sleeve.friction[1]": 0.7, "sleeve.friction[0].level": 2.0})
    assert beside["sleeve"].friction[1] == beside.parameters["sleeve.friction[1]"] == 0.7
    assert beside.parameters["sleeve.friction[0].level"] == 2.0
    assert "N s/m" in next(line for line in str(m.parameters).splitlines() if line.startswith("sleeve.friction[1]"))
    with pytest.raises(vv.ModelError, match=r"sleeve.friction\[1\]"):
        m.with_parameters({"sleeve.friction[2]": 0.7})


FRICTIONS = {
    "cylindrical": ({"axis": "z"}, np.array([[0.3, 0.1], [0.1, 0.4]]), (0.3, 0.2)),
    "spherical": ({}, np.array([[0.3, 0.1, 0.0], [0.1, 0.4, 0.0], [0.0, 0.0, 0.2]]), 0.3),
}


@pytest.mark.parametrize("kind", FRICTIONS)
@pytest.mark.parametrize("first", [0, 1], ids=["matrix", "numbers"])
def test_friction_changes_from_a_matrix_to_numbers_and_back(kind, first):
    """A matrix is a part of its own: what the change leaves is the mechanism that was built so."""
    options, *frictions = FRICTIONS[kind]

    def sleeve(friction):
        m = vv.Mechanism(gravity=(1.0, 2.0, -9.81))
        m.body("b", mass=1.0, inertia=(1, 1, 1), at=(0.2, 0, 0.3))
        getattr(m, kind)("hinge", "ground", "b", at=(0, 0, 0), friction=friction, **options)
        m.wrench("load", "b")
        return m

    given, other = frictions[first], frictions[1 - first]
    m = sleeve(given)
    changed, scheme = m.with_parameters({"hinge.friction": other}), vv.PHMP(compiled=False)
    assert list(changed.parts) == list(sleeve(other).parts)
    np.testing.assert_array_equal(changed.parameters["hinge.friction"], other)
    np.testing.assert_array_equal(
        vv.simulate(changed, 0.05, 0.01, integrator=scheme)["b.r"],
        vv.simulate(sleeve(other), 0.05, 0.01, integrator=scheme)["b.r"],
    )
    back = changed.with_parameters({"hinge.friction": given})
    assert list(back.parts) == list(m.parts)
    sim = vv.Simulator(m, h=0.01, integrator=scheme)
    sim.reset()
    sim.step(n=2)
    sim.set_parameters({"hinge.friction": other})
    sim.step(n=2)
    assert sim.t == pytest.approx(0.04)


def test_the_mass_of_an_inertia_is_a_number_of_its_own():
    m = robot_arm()
    heavy = m.with_parameters({"arm.mass": 3.0})["arm"]
    assert heavy.mass == 3.0
    assert (heavy.J == m["arm"].J).all()
    other = vv.inertia.box(2.0, (0.5, 0.1, 0.1))
    whole = m.with_parameters({"arm.inertia": other})["arm"]
    assert whole.mass == 2.0
    assert (whole.J == other.J).all()


def test_what_is_not_touched_is_shared_and_what_hangs_on_it_is_not():
    m = robot_arm()
    changed = m.with_parameters({"dc.k": 0.2})
    assert changed["arm"] is m["arm"]
    assert changed["dc"] is not m["dc"]
    assert m.with_parameters({"arm.mass": 2.0})["hinge"].child.mass == 2.0
    assert m["dc"].k == 0.1


def test_it_is_a_mechanism_of_its_own():
    m = robot_arm()
    same = m.with_parameters({})
    same.torque("push", "hinge")
    assert "push" not in m.parts
    assert same.with_parameters({"dc.k": 0.2}).parameters["dc.k"] == 0.2
    again = same.with_parameters({"dc.k": 0.2}).with_parameters({"arm.mass": 2.0})
    assert (again.parameters["dc.k"], again.parameters["arm.mass"]) == (0.2, 2.0)


def test_the_temperature_of_the_environment_is_where_nodes_begin():
    m = robot_arm().with_parameters({"theta0": 280.0})
    assert m["oil"].temperature == 280.0
    assert m["hinge"].heat_to is m["oil"]


def test_a_function_can_be_given_as_well():
    m = robot_arm().with_parameters({"coil.energy": lambda l: 5.0 * l**2})
    assert m["coil"].energy.H.values.item() != robot_arm()["coil"].energy.H.values.item()


def test_arrays_of_the_caller_are_not_kept():
    at, m = np.array([0.5, 0, 0]), vv.Mechanism()
    m.body("b", mass=1.0, inertia=(1, 1, 1), at=at)
    at[0] = 7.0
    assert m.with_parameters({"b.mass": 2.0})["b"].r_WB[0] == 0.5


def test_a_robot_stays_one():
    text = """<robot name="r"><link name="base"/><link name="l"><inertial><mass value="1"/>
    <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
    <joint name="j" type="revolute"><parent link="base"/><child link="l"/><axis xyz="0 0 1"/>
    <limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>"""
    robot = vv.read_urdf(text)
    heavy = robot.with_parameters({"l.mass": 2.0})
    assert heavy.joint_names == robot.joint_names
    assert heavy["l"].mass == 2.0
    assert robot["l"].mass == 1.0


# -- errors -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"arm.mas": 1.0}, "no parameter 'arm.mas'. Did you mean 'arm.mass'"),
        ({"amr.mass": 1.0}, "Did you mean 'arm.mass'"),
        ({"arm.stiffness": 1.0}, "no parameter 'arm.stiffness'"),
        ({"coil.stiffness": 1.0}, "Did you mean 'coil.k'"),
        ({3: 1.0}, "no parameter 3"),
        ({"hinge.child": "arm"}, "how the mechanism is put together"),
        ({"arm.mass": -1.0}, "mass of body 'arm' must be positive, got -1"),
        ({"arm.com": (1, 2)}, "com of body 'arm' must have shape \\(3,\\)"),
        ({"dc.resistance": np.nan}, "resistance of motor 'dc' \\[Ω\\] must be finite"),
        ({"gravity": 9.81}, "gravity of mechanism 'robot arm' must"),
        ({"oil.capacity": 0.0}, "capacity of thermal node 'oil' \\[J/K\\] must be positive"),
        ({"hinge.limits": (1, -1)}, "leaves no room"),
        ([("arm.mass", 2.0)], "by name"),
    ],
)
def test_errors_are_those_of_the_builder_and_name_what_was_meant(values, message):
    m = robot_arm()
    with pytest.raises(vv.ModelError, match=message):
        m.with_parameters(values)


def test_a_name_without_a_number_says_so():
    with pytest.raises(vv.ModelError, match="has no number"):
        robot_arm().parameters["coil.energy"]


def test_parts_that_no_method_has_added_are_refused():
    m = robot_arm()
    del m.parts["hinge.stop"]
    with pytest.raises(vv.ModelError, match=r"not those that its methods have added: hinge\.stop"):
        m.with_parameters({"dc.k": 0.2})
    del m.parts["dc"]
    m = robot_arm()
    del m.parts["dc"]
    assert "dc.k" not in m.parameters
    assert m.with_parameters({"arm.mass": 2.0})["arm"].mass == 2.0


def test_files_hold_all_but_functions_of_the_moment():
    m = pickle.loads(pickle.dumps(robot_arm()))
    assert m.with_parameters({"dc.k": 0.2})["dc"].k == 0.2
    with pytest.raises(vv.ModelError, match=r"energy of 'coil' was a function that cannot be put into a file"):
        m.with_parameters({"arm.mass": 2.0})
    assert m.with_parameters({"arm.mass": 2.0, "coil.energy": lambda l: l**2})["arm"].mass == 2.0


def test_an_inertia_brings_its_own_mass_and_centre():
    m = vv.Mechanism("one")
    m.body("a", mass=1.0, inertia=(0.1, 0.2, 0.25), com=(0.1, 0, 0))
    rod = vv.inertia.rod(2.0, 1.0, axis="z")
    body = m.with_parameters({"a.inertia": rod})["a"]
    assert body.mass == rod.mass
    np.testing.assert_array_equal(body.com, rod.com)
