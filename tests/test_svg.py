"""Drawings: shapes are elements of SVG, texts in them are escaped."""

from __future__ import annotations

from xml.etree import ElementTree

from recollect import svg

_SVG = "{http://www.w3.org/2000/svg}"


def test_a_drawing_is_well_formed_and_one_shape_a_line() -> None:
    drawn = svg.svg(
        200,
        100,
        svg.text(1, 2, "a < b & “c”", fill="#000"),
        svg.rect(0, 0, 10, 20, 'tip "<x>"', fill="#123456"),
        svg.line((0, 1), (2, 3), stroke="#000"),
        svg.circle((5, 6), 3.2, stroke_width=2),
        svg.polyline([(0, 0), (1.25, 2.5)]),
        font_size=12,
    )
    root = ElementTree.fromstring(drawn)
    assert (root.tag, root.get("viewBox"), root.get("font-size")) == (
        f"{_SVG}svg",
        "0 0 200 100",
        "12",
    )
    assert [one.tag.removeprefix(_SVG) for one in root] == [
        "text",
        "rect",
        "line",
        "circle",
        "polyline",
    ]
    assert len(drawn.splitlines()) == 2 + len(root)


def test_coordinates_have_one_decimal() -> None:
    assert svg.line((0, 1), (2.25, 3), stroke="red") == (
        '<line x1="0.0" x2="2.2" y1="1.0" y2="3.0" stroke="red"/>'
    )
    assert svg.polyline([(0, 0.05), (1.26, 2.5)]) == (
        '<polyline points="0.0,0.1 1.3,2.5" fill="none"/>'
    )
    assert svg.arc((9, 0), (9, 8), 6) == (
        '<path d="M9.0 0.0C1.0 0.0, 1.0 8.0, 9.0 8.0" fill="none"></path>'
    )


def test_a_tip_is_the_title_of_its_shape() -> None:
    assert svg.circle((1, 2), 3, "a & b") == (
        '<circle cx="1.0" cy="2.0" r="3.0"><title>a &amp; b</title></circle>'
    )
