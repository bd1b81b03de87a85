"""Reports: one page without other files, LaTeX source, and what they say of a model."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import numpy as np
import pytest
from messages import says
from symbolic_models import double_pendulum

import visviva as vv
from visviva import demo
from visviva.errors import ModelError
from visviva.language import Quantity, compose, environment, irreversible, reversible, storage
from visviva.reports.aligned import lines_of
from visviva.reports.blocks import Formulas, Section
from visviva.reports.breaking import broken
from visviva.reports.html_page import html_page
from visviva.reports.tex import tex_source

VOID = {"meta", "br", "mspace", "path", "use", "link"}


class Tags(HTMLParser):
    """Checks that elements close in order, and collects what refers to elsewhere."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.refers: list[str] = []
        self.counts: dict[str, int] = {}
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.counts[tag] = self.counts.get(tag, 0) + 1
        self.refers += [value for name, value in attrs if name in ("src", "href", "xlink:href") and value]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        if tag not in VOID:
            assert self.open.pop() == tag


@pytest.fixture(scope="module")
def pendulum():
    return vv.report(double_pendulum(friction=0.1))


def oscillator():
    q, p, s = Quantity("R", "displacement"), Quantity("R", "momentum"), Quantity("R", "entropy")
    return compose(
        "osc",
        {
            "spring": storage({"q": q}, H=lambda x, k: 0.5 * k * x.q**2, k=1.5),
            "mass": storage({"p": p}, H=lambda x, m: x.p**2 / (2 * m), m=1.25),
            "pkc": reversible({"q": q, "p": p}, J=[[0, 1], [-1, 0]]),
            "friction": irreversible(
                {"p": p, "s": s},
                M=lambda e, theta, d: d * np.array([[theta.s, -e.p], [-e.p, e.p**2 / theta.s]]),
                d=0.2,
            ),
            "surroundings": environment({"s": s}, theta0=300.0),
        },
        junctions={
            "q": ("spring.q", "pkc.q"),
            "p": ("mass.p", "pkc.p", "friction.p"),
            "s": ("friction.s", "surroundings.s"),
        },
    )


def test_the_page_is_well_formed_and_refers_to_nothing(pendulum):
    page = Tags(pendulum.html)
    assert page.open == []
    assert all(target.startswith("#") for target in page.refers)
    assert "<script" not in pendulum.html
    assert page.counts["figure"] == 1
    assert page.counts["math"] > 30
    assert page.counts["svg"] == 1


def test_it_has_all_that_one_asks_of_an_appendix(pendulum):
    titles = [section.title for section in pendulum.sections]
    assert titles == [
        "Mechanism", "Parameters", "Coordinates and velocities", "Equations of motion", "Energies", "Mobility",
        "Equilibria and modes",
    ]  # fmt: skip
    text = re.sub(r"<[^>]+>", " ", pendulum.html)
    for words in ("revolute", "9.81", "m/s²", "1.rate", "stable equilibrium", "mobility by Grübler"):
        assert words in text
    assert "J_{\\mathrm{one},\\mathrm{xx}}" not in pendulum.latex  # nothing turns about x


def test_equilibrium_and_frequency_are_those_of_the_mechanism(pendulum):
    found = vv.equilibrium(double_pendulum(friction=0.1))
    assert f"{np.sqrt(found.lowest) / (2 * np.pi):.6g} Hz" in pendulum.html
    assert f"{found.energy:.6g} J" in pendulum.html


def test_modes_are_those_of_the_linear_system(pendulum):
    modes = vv.linearise(double_pendulum(friction=0.1)).modes()
    text = re.sub(r"<[^>]+>", " ", pendulum.html)
    assert "Modes of small motions" in text
    for mode in modes:
        assert f" {mode.frequency:.6g} " in text
        assert f" {mode.damping_ratio:.6g} " in text


def test_latex_has_one_number_for_each_equation(pendulum):
    source = pendulum.latex
    assert source.startswith("\\documentclass")
    assert source.rstrip().endswith("\\end{document}")
    for name in ("align", "align*", "longtable", "figure"):
        assert source.count(f"\\begin{{{name}}}") == source.count(f"\\end{{{name}}}") > 0
    assert source.count("{") == source.count("}")
    source.encode("latin-1")  # what LaTeX knows without further packages
    numbered = re.findall(r"\\begin\{align\}\n(.*?)\\end\{align\}", source, re.DOTALL)
    assert numbered[0].strip() == r"M \ddot{q} + c &= f"


def test_reports_are_files(pendulum, tmp_path):
    page = pendulum.save(tmp_path / "deep" / "x.html")
    assert page.read_text(encoding="utf-8") == pendulum.html
    source = pendulum.save(tmp_path / "x.tex")
    assert "x-figure-1.pdf" in source.read_text(encoding="utf-8")
    assert (tmp_path / "x-figure-1.pdf").read_bytes().startswith(b"%PDF")
    with pytest.raises(ModelError, match=says("must end with .html or .tex")):
        pendulum.save(tmp_path / "x.docx")
    assert repr(pendulum).startswith("<Report 'double pendulum': Mechanism, Parameters")
    assert pendulum._repr_html_().startswith('<iframe srcdoc="&lt;!doctype html&gt;')


@pytest.mark.parametrize(
    ("build", "form"),
    [(demo.four_bar, "minimal"), (demo.heavy_top, "lagrange"), (demo.driven_crank, "kane-momentum"),
     (double_pendulum, "directors")],
)  # fmt: skip
def test_mechanisms_of_many_kinds(build, form):
    report = vv.report(build(), form)
    assert Tags(report.html).open == []
    assert report.latex.count("{") == report.latex.count("}")


def test_what_has_no_equilibrium_says_why():
    report = vv.report(demo.snakeboard())
    text = re.sub(r"<[^>]+>", " ", report.html)
    assert "There is none to report: mechanism" in text
    assert "conditions on velocities" in text


def test_what_is_driven_has_no_equilibrium():
    m = double_pendulum()
    m.drive("motor", "1", rate=lambda t: np.sin(t))
    assert "There is none to report: motor prescribes the motion." in vv.report(m).html


def test_names_are_escaped():
    m = vv.Mechanism("<a & b_1>", gravity=(0, 0, -9.81))
    m.body("$50% & more_", mass=1.0, inertia=(1, 1, 1), at=(1, 0, 0))
    m.revolute("h", m.ground, "$50% & more_", at=(0, 0, 0), axis=(0, 1, 0))
    report = vv.report(m, numeric=True)
    assert "<h1>&lt;a &amp; b_1&gt;</h1>" in report.html
    assert r"\$50\% \& more\_" in report.latex
    assert Tags(report.html).open == []
    assert "All numbers stand in the equations themselves." in report.html


def test_systems_of_the_language():
    report = vv.report(oscillator())
    assert [section.title for section in report.sections] == ["System", "Parameters", "States", "Equations", "Energies"]
    assert Tags(report.html).open == []
    text = re.sub(r"<[^>]+>", " ", report.html)
    for words in ("spring.k", "1.25", "temperature of the environment [K]", "irreversible", "momentum"):
        assert words in text
    single = vv.report(storage({"q": Quantity("R", "displacement")}, H=lambda x: x.q**2))
    assert "There are none: all numbers stand in the equations." in single.html


def test_other_things_have_no_report():
    with pytest.raises(ModelError, match=says("report() takes a Mechanism, a system of the language", "got float")):
        vv.report(1.0)
    with pytest.raises(ModelError, match=says("no symbolic form 'x'")):
        vv.report(double_pendulum(), "x")


def test_long_lines_are_broken_before_signs_that_nothing_encloses():
    latex = " + ".join(rf"a_{{{k}}} \left(b + c\right)" for k in range(40))
    lines = broken(latex, 60)
    assert len(lines) > 3
    assert all(line.startswith("+ ") for line in lines[1:])
    assert " ".join(lines) == latex
    assert all(line.count("\\left") == line.count("\\right") for line in lines)
    assert broken("a - b") == ["a - b"]


def test_equations_over_several_lines_have_one_number():
    long = " + ".join(f"a_{{{k}}}" for k in range(200))
    section = Section("x", (Formulas((("y", long), ("z", "1")), numbered=True),))
    lines = tex_source("x", "", [section], "figure").split("\\begin{align}\n")[1].split("\n\\end")[0].split("\n")
    assert len(lines) > 4
    assert [line for line in lines if r"\nonumber" not in line] == [lines[0], lines[-1]]
    page = html_page("x", "", [section])
    assert page.count("(1)") == page.count("(2)") == 1


def test_lines_of_an_aligned_environment():
    text = "\\begin{aligned}\na &= b \\\\\n\\text{where}\\quad c &= d \\\\\ne &= f\n\\end{aligned}"
    assert lines_of(text) == ([("a", "b")], [("c", "d"), ("e", "f")])
