"""Files that are wrong, or mean harm: each is refused by what was found, the rule and the way out."""

from __future__ import annotations

import time

import pytest

import visviva as vv
from visviva.robots import markup

LINK = '<link name="{}"/>'
MASS = '<inertial><mass value="{}"/><inertia ixx="{}" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'
TWO = LINK.format("a") + LINK.format("b")


def joint(inside="", name="j", parent="a", child="b", kind="revolute"):
    return f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>{inside}</joint>'


def robot(*parts):
    return "<robot>\n" + "\n".join(parts) + "</robot>"


LAUGHS = """<?xml version="1.0"?>
<!DOCTYPE lolz [<!ENTITY a "lol"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>
<robot name="&b;"/>"""
OUTSIDE = '<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]><robot name="&x;"/>'

WRONG = {
    "billion laughs": (LAUGHS, "document type declaration in line 2.*remove it"),
    "external entity": (OUTSIDE, "document type declaration in line 1"),
    "doctype alone": ("<!DOCTYPE robot><robot/>", "document type declaration"),
    "undefined entity": ('<robot name="&x;"/>', "no XML: undefined entity in line 1"),
    "not closed": ("<robot>\n<link name='a'>\n</robot>", "no XML: mismatched tag in line 3, column"),
    "two roots of XML": ("<robot/><robot/>", "no XML: junk after document element"),
    "unknown encoding": ('<?xml version="1.0" encoding="klingon"?><robot/>', "no <link>"),
    "SDF": ('<sdf version="1.6"/>', "<sdf> in line 1 of the text given, so that this is SDF"),
    "MJCF": ("<mujoco/>", "MJCF"),
    "xacro": ('<robot xmlns:xacro="http://ros.org/wiki/xacro"><xacro:macro/></robot>', "run\nxacro"),
    "empty": ("<robot/>", "has no <link>"),
    "link without name": (robot("<link/>"), "<link> in line 2 of the text given has no attribute name"),
    "link with an empty name": (robot('<link name=" "/>'), "name of <link.* is empty"),
    "two links of one name": (robot(TWO, LINK.format("a")), 'link name="a"> in line 3.*another <link> has in line 2'),
    "two joints of one name": (robot(TWO, joint(), joint()), "Names of links are unique, and so are those of joints"),
    "joint without type": (robot(TWO, '<joint name="j"/>'), "no attribute type"),
    "unknown type": (robot(TWO, joint(kind="revolut")), "unknown type 'revolut'. Did you mean 'revolute'"),
    "no parent": (robot(TWO, '<joint name="j" type="fixed"><child link="b"/></joint>'), "no <parent>: write <parent"),
    "unknown link": (robot(TWO, joint(child="bb")), "has no 'bb'. Did you mean"),
    "itself": (robot(TWO, joint(child="a")), "joins the link 'a' with itself"),
    "two parents": (robot(TWO, LINK.format("c"), joint(), joint(name="k", parent="c")), "'b' has two parents: 'a' by"),
    "two roots": (robot(TWO, LINK.format("c"), joint()), "2 links that no joint carries: 'a', 'c'"),
    "ring": (robot(TWO, joint(), joint(name="k", parent="b", child="a")), "in a ring: '.' → '.' → '.'"),
    "ring beside a root": (
        robot(TWO, LINK.format("c"), joint(), joint(name="k", parent="b", child="a")),
        "in a ring: '.' → '.' → '.'",
    ),
    "axis without xyz": (robot(TWO, joint("<axis/>")), "<axis> in line 3 of the text given has no attribute xyz"),
    "zero axis": (robot(TWO, joint('<axis xyz="0 0 0"/>')), "axis of <joint.* is zero"),
    "two axes": (robot(TWO, joint('<axis xyz="1 0 0"/><axis xyz="0 1 0"/>')), "has 2 elements <axis>"),
    "two numbers": (robot(TWO, joint('<axis xyz="0 1"/>')), 'xyz="0 1" of .* must be 3 numbers'),
    "words": (robot(TWO, joint('<axis xyz="0 1 z"/>')), "must be numbers with a decimal point"),
    "commas": (robot(TWO, joint('<axis xyz="0,5 0 0"/>')), "must be numbers with a decimal point"),
    "macros": (robot(TWO, joint('<origin xyz="0 0 ${l}"/>')), "run xacro"),
    "nan": (robot(TWO, joint('<origin xyz="0 0 nan"/>')), "is not finite"),
    "inf": (robot(TWO, joint('<limit lower="-inf" upper="1"/>')), "is not finite.*leave out what has no bound"),
    "overflow": (robot(TWO, joint('<origin xyz="0 0 1e999"/>')), "too large for a number"),
    "underscores": (robot(TWO, joint('<origin xyz="0 0 1_0"/>')), "must be numbers"),
    "digits of others": (robot(TWO, joint('<origin xyz="0 0 ١"/>')), "must be numbers"),
    "degrees": (robot(TWO, joint('<origin rpy="0 0 90"/>')), "seem to be degrees"),
    "limits swapped": (robot(TWO, joint('<limit lower="1" upper="-1"/>')), "limits from 1 to -1"),
    "negative effort": (robot(TWO, joint('<limit effort="-1"/>')), "effort of <limit.* is -1: it must be at least 0"),
    "negative damping": (robot(TWO, joint('<dynamics damping="-1"/>')), "damping of .* is -1"),
    "damped plane": (robot(TWO, joint('<dynamics damping="1"/>', kind="planar")), "is planar and has damping"),
    "misspelt child": (robot(TWO, joint('<orgin xyz="0 0 1"/>')), "no element 'orgin'. Did you mean 'origin'"),
    "misspelt attribute": (robot(TWO, joint('<limit lowr="1"/>')), "no attribute 'lowr'. Did you mean 'lower'"),
    "negative mass": (robot(f'<link name="a">{MASS.format(-1, 1)}</link>'), 'mass of <link name="a">.* is -1 kg'),
    "inertia without mass": (
        robot(LINK.format("a"), f'<link name="b">{MASS.format(0, 1)}</link>', joint()),
        'name="b"> in line 3 .* has an inertia, but the mass 0',
    ),
    "impossible inertia": (
        robot(LINK.format("a"), f'<link name="b">{MASS.format(1, 5)}</link>', joint()),
        'name="b"> in line 3 .*triangle.*repair=True',
    ),
    "no inertia": (robot('<link name="a"><inertial><mass value="1"/></inertial></link>'), "has no <inertia>"),
    "mass twice": (robot('<link name="a"><inertial/><inertial/></link>'), "has 2 elements <inertial>"),
    "mimic of nobody": (robot(TWO, joint('<mimic joint="i"/>')), "<mimic> of .* has no 'i'"),
    "mimic of itself": (robot(TWO, joint('<mimic joint="j"/>')), "in a ring: 'j' → 'j'"),
    "mimic of a weld": (
        robot(TWO, LINK.format("c"), joint(kind="fixed"), joint('<mimic joint="j"/>', "k", "b", "c")),
        "mimics 'j', which is fixed",
    ),
    "plane that mimics": (robot(TWO, joint('<mimic joint="j"/>', kind="planar")), "is planar and mimics another"),
    "shapeless": (robot('<link name="a"><visual/></link>'), "has no <geometry>"),
    "unknown shape": (robot('<link name="a"><visual><geometry><boxx/></geometry></visual></link>'), "mean 'box'"),
    "negative size": (
        robot('<link name="a"><visual><geometry><sphere radius="-1"/></geometry></visual></link>'),
        "negative size",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("text", "message"), WRONG.values(), ids=WRONG.keys())
def test_a_wrong_file_is_refused_by_its_line(text, message):
    with pytest.raises(vv.ModelError, match="(?s)" + message):
        vv.read_urdf(text)


def test_entities_of_a_file_in_utf_16_are_refused_too(tmp_path):
    path = tmp_path / "laughs.urdf"
    path.write_bytes(
        LAUGHS.replace('<?xml version="1.0"?>', '<?xml version="1.0" encoding="UTF-16"?>').encode("utf-16")
    )
    with pytest.raises(vv.ModelError, match=r"'laughs\.urdf' has a document type declaration in line 2"):
        vv.read_urdf(path)


def test_what_is_no_file_is_refused(tmp_path):
    for path, message in (
        (tmp_path, "is no file"),
        ("/dev/zero", "is no file"),
        (tmp_path / "none.urdf", "cannot be read: No such file"),
        ("a\0b", "cannot be read"),
    ):
        with pytest.raises(vv.ModelError, match=message):
            vv.read_urdf(path)
    with pytest.raises(vv.ModelError, match="given by the path of its file, or by its text, got 5"):
        vv.read_urdf(5)
    (tmp_path / "noise.urdf").write_bytes(bytes(range(256)))
    with pytest.raises(vv.ModelError, match=r"'noise\.urdf' is no XML"):
        vv.read_urdf(tmp_path / "noise.urdf")


def test_sizes_are_bounded(monkeypatch, tmp_path):
    with pytest.raises(vv.ModelError, match="more than 100 elements within each other"):
        vv.read_urdf("<robot>" + "<a>" * 200 + "</a>" * 200 + "</robot>")
    monkeypatch.setattr(markup, "MOST", 50)
    with pytest.raises(vv.ModelError, match="more than 50 elements and attributes in line 3"):
        vv.read_urdf("<robot>\n" + LINK.format("a") * 20 + "\n" + LINK.format("a") * 20 + "</robot>")
    monkeypatch.setattr(markup, "LARGEST", 2**20)
    (tmp_path / "large.urdf").write_bytes(b"<robot>" + b" " * 2**20 + b"</robot>")
    with pytest.raises(vv.ModelError, match=r"'large\.urdf' is larger than 1 MB"):
        vv.read_urdf(tmp_path / "large.urdf")


def test_long_chains_rings_and_mimics_take_no_more_than_their_length():
    n = 5_000
    links = "".join(LINK.format(k) for k in range(n + 1))
    chain = "".join(joint(f'<mimic joint="{k + 1}"/>' if k + 1 < n else "", k, k, k + 1) for k in range(n))
    began = time.process_time()
    assert len(vv.robots.read_description(robot(links, chain)).links) == n + 1
    with pytest.raises(vv.ModelError, match="in a ring"):
        vv.read_urdf(robot(LINK.format("r"), links, chain, joint("", n, n, 0)))
    assert time.process_time() - began < 30  # seconds; it is some two


def test_paths_of_meshes_are_text(tmp_path):
    shape = '<visual><geometry><mesh filename="{}"/></geometry></visual>'
    paths = ["../../etc/passwd", "/etc/passwd", "file:///etc/passwd", "package://a/b.stl", "http://nowhere/x.stl"]
    found = vv.read_urdf(
        robot(f'<link name="a">{MASS.format(1, 1)}{"".join(map(shape.format, paths))}</link>'), floating=True
    )
    assert [each.mesh for each in found.shapes["a"]] == paths
