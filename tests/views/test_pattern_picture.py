"""Pictures: what is written, where, and in which formats."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import pytest
from paper_systems import damped_oscillator, oscillator
from pattern_systems import ENTROPY, PRIMITIVES

from visviva.errors import ModelError
from visviva.language import compose, renamed, reversible
from visviva.views import Picture, draw
from visviva.views.pattern_style import COLOURS

SVG = "{http://www.w3.org/2000/svg}"


def texts(picture: Picture) -> list[str]:
    return [element.text for element in ET.fromstring(picture.svg).iter(f"{SVG}text")]


def test_the_svg_is_well_formed_and_needs_nothing_else():
    svg = draw(damped_oscillator(), expand=True, legend=True).svg
    assert ET.fromstring(svg).tag == f"{SVG}svg"
    for foreign in ("<script", "href", "url(", "@import", "<style", "<image"):
        assert foreign not in svg
    assert re.findall(r"https?://[^\"]*", svg) == ["http://www.w3.org/2000/svg"]


def test_the_picture_brings_its_own_ground():
    root = ET.fromstring(draw(oscillator()).svg)
    ground = root.find(f"{SVG}rect")
    assert (ground.get("width"), ground.get("height")) == (root.get("width"), root.get("height"))
    assert ground.get("fill") == "#ffffff"


def test_names_are_escaped():
    system = compose('a<b> & "c"', {"b": PRIMITIVES[0]}, {"s": ("b.x0",)})
    picture = draw(system)
    assert texts(picture)[0] == 'a<b> & "c"'
    assert "<b>" not in picture.svg


def test_the_same_system_gives_the_same_picture():
    assert draw(damped_oscillator(), flat=True).svg == draw(damped_oscillator(), flat=True).svg


def test_a_shared_port_name_is_written_once_at_the_junction():
    assert sorted(texts(draw(oscillator()))) == sorted(["osc", "pe", "ke", "pkc", "q", "p", "p"])  # and outer port p


def test_different_port_names_are_written_at_their_boxes():
    boxes = {"a": renamed(PRIMITIVES[0], {"x0": "s"}), "b": renamed(PRIMITIVES[4], {"x0": "s_1", "x1": "s_2"})}
    drawing = draw(compose("pair", boxes, {"one": ("a.s", "b.s_1"), "two": ("b.s_2",)})).drawing
    at = {label.text: label.of for label in drawing.labels}
    assert (at["s"], at["s_1"], at["s_2"]) == ("a", "b", "")


def test_a_port_at_an_opened_box_has_the_name_that_the_pattern_around_uses():
    outside = compose("out", {"osc": renamed(oscillator(), {"p": "momentum"})}, {"p": ("osc.momentum",)})
    assert "momentum" in texts(draw(outside, expand="osc"))


def test_power_ports_are_solid_and_state_ports_dashed():
    both = reversible({"a": ENTROPY, "b": ENTROPY.state}, J=[[0.0]])
    picture = draw(compose("both", {"x": both}, {"a": ("x.a",), "b": ("x.b",)}))
    dashed = [path.get("stroke-dasharray") for path in ET.fromstring(picture.svg).iter(f"{SVG}path")]
    assert [line.power for line in picture.drawing.lines] == [dash is None for dash in dashed]
    assert sorted(line.power for line in picture.drawing.lines) == [False, True]


def test_the_colour_of_a_box_shows_its_kind():
    picture = draw(damped_oscillator())
    for kind in ("composite", "irreversible", "environment"):
        assert COLOURS[kind] in picture.svg
    assert COLOURS["storage"] not in picture.svg


def test_a_legend_names_the_kinds_that_are_there():
    legend = set(texts(draw(damped_oscillator(), legend=True))) - set(texts(draw(damped_oscillator())))
    assert legend == {"composite", "irreversible", "environment"}


def test_expanding_an_inner_box_opens_those_around_it():
    outer = compose("outer", {"damped": damped_oscillator()}, {})
    frames = [frame.name for frame in draw(outer, expand=("damped.osc",)).drawing.frames]
    assert frames == ["outer", "damped", "damped.osc"]


def test_notebooks_show_the_svg():
    picture = draw(oscillator())
    assert picture._repr_svg_() == picture.svg
    assert repr(picture).startswith("<Picture of 'osc', ")


@pytest.mark.parametrize(("name", "start"), [("a.svg", b"<svg"), ("a.png", b"\x89PNG"), ("a.pdf", b"%PDF")])
def test_files_have_the_format_of_their_ending(tmp_path, name, start):
    path = tmp_path / "new" / name
    picture = draw(damped_oscillator(), path, expand=True)
    assert path.read_bytes().startswith(start)
    assert picture.save(str(path)) == path


def test_another_ending_is_refused(tmp_path):
    with pytest.raises(ModelError, match=r"saved as 'a\.gif'.*must end with \.svg, \.png or \.pdf"):
        draw(oscillator(), tmp_path / "a.gif")


def test_only_composites_can_be_drawn():
    with pytest.raises(ModelError, match=r"only a composite has a pattern to draw(.|\n)*compose"):
        draw(PRIMITIVES[0])


def test_an_unknown_box_cannot_be_expanded():
    with pytest.raises(ModelError, match="no box 'oscillator' to expand in 'damped'; its boxes are osc, mf, env"):
        draw(damped_oscillator(), expand=("oscillator",))
    with pytest.raises(ModelError, match="no box 'x' to expand in 'osc'; its boxes are pe, ke, pkc"):
        draw(damped_oscillator(), expand="osc.x")


@pytest.mark.parametrize("name", ["mf", "osc.pe", "osc.pe.more"])
def test_a_primitive_box_cannot_be_expanded(name):
    with pytest.raises(ModelError, match=rf"cannot expand '{name}'.*primitive system(.|\n)*composite has a pattern"):
        draw(damped_oscillator(), expand=(name,))


def test_a_flat_picture_has_nothing_to_expand():
    with pytest.raises(ModelError, match="flat picture of 'damped' has no boxes to expand"):
        draw(damped_oscillator(), flat=True, expand=("osc",))
