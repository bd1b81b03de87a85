"""The run page is one file: nothing in it asks for another, and what it shows is the run."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser

import matplotlib.pyplot as plt
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import visviva as vv

VOID = {"meta", "input", "link", "br", "img", "hr"}


class Page(HTMLParser):
    """Collects elements with their attributes, and the text inside of each kind of element."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, str] = {}
        self._open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        while self._open and self._open.pop() != tag:
            pass

    def handle_data(self, data):
        if self._open:
            self.texts[self._open[-1]] = self.texts.get(self._open[-1], "") + data


def read(run: vv.Run, path) -> Page:
    run.page(path)
    assert plt.get_fignums() == []  # the energy picture is closed again
    return Page(path.read_text(encoding="utf-8"))


def motion_of(page: Page) -> dict:
    return json.loads(re.search(r"^const motion = (.*);$", page.texts["script"], re.MULTILINE)[1])


@pytest.fixture
def page(machine_run, tmp_path) -> Page:
    return read(machine_run, tmp_path / "machine.html")


def test_nothing_is_asked_of_the_network(page):
    for _, attributes in page.elements:
        for name in ("src", "href", "xlink:href", "data", "action", "srcset", "poster"):
            assert (attributes.get(name) or "#").startswith("#")
    assert not [tag for tag, _ in page.elements if tag in ("link", "iframe", "object", "embed", "img")]
    code = page.texts["script"] + page.texts["style"]
    assert not re.search(r"https?:|//[a-z]|@import|fetch\(|XMLHttpRequest|import\(|url\((?!['\"]?#)", code)


def test_the_audit_is_in_it(page, machine_run):
    assert page.texts["pre"] == str(machine_run.audit())


def test_the_energy_pictures_are_in_it(page):
    assert sum(tag == "svg" for tag, _ in page.elements) == 2


def test_its_title_is_the_name_of_the_mechanism(page):
    assert page.texts["title"] == "machine · visviva run"
    assert page.texts["h1"] == "machine"


def test_the_motion_is_that_of_the_run(page, machine_run):
    motion = motion_of(page)
    points = np.array(motion["points"])
    assert_allclose(motion["t"], machine_run.t, rtol=0, atol=1e-6)
    assert points.shape[0] == 51
    assert points.shape[2] == 3
    assert_allclose(points[:, 2], machine_run["tip.r"], rtol=0, atol=1e-5)  # bodies first, in the order of building
    frames = [i for i, kind in motion["marks"] if kind == "frame"]
    assert_allclose(points[:, frames[0]], machine_run["tool.r"], rtol=0, atol=1e-5)


def test_lines_join_points_that_keep_their_distance(page):
    motion = motion_of(page)
    points = np.array(motion["points"])
    assert {body for _, _, body in motion["lines"]} == {"rod", "arm"}
    for a, b, _ in motion["lines"]:
        length = np.linalg.norm(points[:, a] - points[:, b], axis=1)
        assert np.ptp(length) < 1e-4


def test_marks_tell_what_a_point_is(page):
    kinds = [kind for _, kind in motion_of(page)["marks"]]
    joints = ["ground", "hinge", "hinge", "ball"]
    assert kinds == ["com", "com", "particle", *joints, "frame", "frame"]


def test_a_hinge_has_an_axis_that_keeps_its_length(page):
    motion = motion_of(page)
    points = np.array(motion["points"])
    axes = [at for at, kind in motion["strokes"] if kind == "axis"]
    assert len(axes) == 2
    for a, b in axes:
        assert np.ptp(np.linalg.norm(points[:, a] - points[:, b], axis=1)) < 1e-4


def test_every_kind_of_joint_and_spring_is_shown(tmp_path):
    m = vv.Mechanism("zoo", gravity=(0, 0, -9.81))
    ball = vv.inertia.sphere(1.0, 0.1)
    places = [(i, 0, 0) for i in range(10)]
    for i, (x, y, z) in enumerate(places):
        m.body(f"b{i}", inertia=ball, at=(x, y, z - 0.3))
    m.fixed("fixed", m.ground, "b0", at=places[0])
    m.prismatic("prismatic", m.ground, "b1", at=places[1], axis=(1, 0, 0.2))
    m.cylindrical("cylindrical", m.ground, "b2", at=places[2], axis=(0, 1, 0.2))
    m.universal("universal", m.ground, "b3", at=places[3], axes=((1, 0, 0), (0, 1, 0)))
    m.planar("planar", m.ground, "b4", at=places[4], normal=(0, 0.2, 1))
    m.distance("distance", m.ground, "b5", at_a=places[5])
    m.point_on_plane("point_on_plane", m.ground, "b6", at=places[6], normal=(0, 0.2, 1))
    m.point_on_line("point_on_line", m.ground, "b7", at=places[7], axis=(1, 0, 0.2))
    m.revolute("revolute", m.ground, "b8", at=places[8], axis=(0, 1, 0))
    m.spherical("spherical", m.ground, "b9", at=places[9])
    m.spring("damper", "b6", "b7", damping=2.0)
    m.spring("spring", "b8", "b9", k=10.0, length=1.0)
    m.torsion("torsion", "revolute", k=1.0)
    m.bushing("bushing", "b0", m.ground, K=np.ones(6), at=places[0])
    motion = motion_of(read(vv.simulate(m, t_end=0.02, h=0.01), tmp_path / "zoo.html"))
    kinds = {kind for _, kind in motion["marks"]}
    assert kinds == {joint.joint.glyph for joint in m.joints} | {"com", "ground", "torsion", "bushing"}
    assert {kind for _, kind in motion["strokes"]} == {"axis", "guide", "plate", "rod", "spring", "damper"}
    assert sum(kind == "axis" for _, kind in motion["strokes"]) == 3  # one of the hinge, two of the universal joint


def test_a_long_run_keeps_its_file_small(rotor, tmp_path):
    run = vv.simulate(rotor(1.0), t_end=5.0, h=0.01)
    motion = motion_of(read(run, tmp_path / "long.html"))
    assert len(motion["t"]) == len(motion["points"]) == 400
    assert (motion["t"][0], motion["t"][-1]) == (0.0, 5.0)
    assert_array_equal(np.unique(motion["t"]), motion["t"])


@pytest.mark.parametrize("name", ["</script><b>", "a & b", "<!--<script>", '"quoted"', "${motion}"])
def test_names_stay_text(name, tmp_path):
    m = vv.Mechanism(name)
    m.body(name, inertia=vv.inertia.sphere(1.0, 0.1), at=(0, 0, -1))
    m.spherical("pivot", m.ground, name, at=(0, 0, 0))
    path = tmp_path / "names.html"
    page = read(vv.simulate(m, t_end=0.1, h=0.05), path)
    assert page.texts["h1"] == name
    assert motion_of(page)["lines"][0][2] == name
    assert [tag for tag, _ in page.elements].count("script") == 1
    assert "<!--" not in page.texts["script"]  # it would let a following <script> swallow the end of this one


def test_a_hand_made_model_has_a_page_without_motion(tmp_path):
    from visviva.geometry.embedding import Flat
    from visviva.model import Kinetic, Variable

    model = vv.Model("drift", (Variable("v", Flat(1)),), (Kinetic("mass", "v", np.eye(1)),))
    run = vv.simulate(model, 0.1, 0.05, integrator=vv.DiscreteGradient(), initial={"v": 1.0})
    page = read(run, tmp_path / "drift.html")
    assert motion_of(page)["t"] == []
    assert sum(tag == "svg" for tag, _ in page.elements) == 1  # no energy flowed
