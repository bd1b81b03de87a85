"""LaTeX as MathML: well formed, with all that the package writes."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest
from messages import says

from visviva.errors import ModelError
from visviva.reports.mathml import mathml

MARKED = '<mover accent="true"><mi>q</mi><mo stretchy="false">'


@pytest.mark.parametrize(
    ("latex", "element"),
    [
        ("x", "<mi>x</mi>"),
        ("12.5", "<mn>12.5</mn>"),
        ("a - b", "<mrow><mi>a</mi><mo>−</mo><mi>b</mi></mrow>"),
        (r"\omega_{1}^{2}", "<msubsup><mi>ω</mi><mn>1</mn><mn>2</mn></msubsup>"),
        (r"M^{\top}", "<msup><mi>M</mi><mo>⊤</mo></msup>"),
        (r"\frac{a}{2}", "<mfrac><mi>a</mi><mn>2</mn></mfrac>"),
        (r"\sqrt{x}", "<msqrt><mi>x</mi></msqrt>"),
        (r"\sqrt[3]{x}", "<mroot><mi>x</mi><mn>3</mn></mroot>"),
        (r"\dot{q}", f"{MARKED}˙</mo></mover>"),
        (r"\ddot{q}_{1}", f"<msub>{MARKED}¨</mo></mover><mn>1</mn></msub>"),
        (r"\dot{q_{1}}", f"<msub>{MARKED}˙</mo></mover><mn>1</mn></msub>"),
        (r"\dot{\mathrm{ab}}", MARKED.replace("<mi>q", '<mi mathvariant="normal">ab') + "˙</mo></mover>"),
        (r"m_{\mathrm{front\ wheel}}", '<msub><mi>m</mi><mi mathvariant="normal">front wheel</mi></msub>'),
        (r"\text{if } x", "<mrow><mtext>if </mtext><mi>x</mi></mrow>"),
        (r"\text{a b} + \text{ab}", "<mrow><mtext>a b</mtext><mo>+</mo><mtext>ab</mtext></mrow>"),
        (r"\text{50\%\_\{\}\textbackslash{}\textasciicircum{}$\theta$}", "<mtext>50%_{}\\^θ</mtext>"),
        (r"\partial_{q} T", "<mrow><msub><mi>∂</mi><mi>q</mi></msub><mi>T</mi></mrow>"),
        (r"\cos^{2} q", '<mrow><msup><mo lspace="0.17em" rspace="0.17em">cos</mo><mn>2</mn></msup><mi>q</mi></mrow>'),
        (r"\left(x\right)", "<mrow><mo>(</mo><mi>x</mi><mo>)</mo></mrow>"),
        (r"\left[\begin{matrix}a & b\end{matrix}\right]", '<mtable class="bracketed"><mtr><mtd><mi>a</mi></mtd>'
         "<mtd><mi>b</mi></mtd></mtr></mtable>"),
        (r"\sin\left(x \right)", '<mrow><mo lspace="0.17em" rspace="0">sin</mo><mrow><mo>(</mo><mi>x</mi><mo>)</mo>'),
        (r"\begin{cases} 1 & \text{for}\: x > 0 \\ 0 & x \end{cases}", "<mrow><mo>{</mo>"),
        ("a < b", "<mrow><mi>a</mi><mo>&lt;</mo><mi>b</mi></mrow>"),
    ],
)  # fmt: skip
def test_pieces(latex, element):
    found = mathml(latex)
    ET.fromstring(found)
    assert found.startswith(f"<math>{element}")


def test_displayed_formulas_are_large():
    assert mathml("x", large=True) == '<math displaystyle="true"><mi>x</mi></math>'


def test_signs_of_lines_that_go_on_stand_between_terms():
    """At the beginning of a row a sign would be that of a number."""
    assert mathml("+ x", goes_on=True) == '<math><mrow><mspace width="0"/><mo>+</mo><mi>x</mi></mrow></math>'


@pytest.mark.parametrize(
    ("latex", "message"),
    [
        (r"\frac{a}", "a formula ends too early"),
        ("a}", "where nothing opens it"),
        (r"\strange x", "the command \\strange, which has no MathML here"),
        (r"\left(x", "a formula ends too early"),
        (r"\left<x\right>", "the command \\<, which has no MathML here"),
        (r"\text{\textstrange{}}", "the command \\textstrange, which has no MathML here"),
    ],
)
def test_what_is_no_formula_is_refused(latex, message):
    with pytest.raises(ModelError, match=says(message)):
        mathml(latex)
