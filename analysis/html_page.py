# SPDX-License-Identifier: BSD-3-Clause
"""Self-contained HTML pages made of the parts in templates/parts.html, with embedded images."""

import base64
import html
import json
import struct
from dataclasses import dataclass
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from hw.files import output

WIDTH_PX = 1000  # of the text; a figure of two columns has 2100 pixels and thus looks sharp
NARROW_INCHES = 4.5  # narrower figures take half of the width, so that their text is not larger
METRES_PER_INCH = 0.0254


def escaped(value):
    return value if isinstance(value, Markup) else Markup(html.escape(str(value)))


PARTS = Environment(
    loader=FileSystemLoader(Path(__file__).resolve().parent / "templates"), undefined=StrictUndefined,
    trim_blocks=True, lstrip_blocks=True, autoescape=True, finalize=escaped,
).get_template("parts.html").module  # fmt: skip


@dataclass(frozen=True)
class Cell:
    text: object
    kind: str = ""  # class
    note: str = ""  # below the text, in small print
    link: str = ""
    is_head: bool = False


@dataclass(frozen=True)
class Row:
    cells: list[Cell]
    kind: str = ""


@dataclass(frozen=True)
class Section:
    """A section of a page, listed in its contents."""

    id: str
    title: str
    parts: list

    @property
    def html(self):
        return PARTS.section(self.id, self.title, self.parts)


def page(title, parts, style=""):
    """The text of a page; `style` is appended to the style of all pages."""
    return str(PARTS.page(title, parts, Markup(output.HTML_MARK), Markup(style)))


def warned(texts):
    return PARTS.listed(texts, "warnings") if texts else ""


def table(header, rows, numbers=0, caption=""):
    return PARTS.table(header, rows, numbers, caption)


def figure(png, name, caption):
    """An image; screen readers read `name`."""
    is_narrow = width_inches(png) < NARROW_INCHES
    return PARTS.figure(base64.b64encode(png).decode("ascii"), name, caption, is_narrow)


def width_inches(png):
    """The width of a PNG with a resolution, such as ours."""
    (pixels,) = struct.unpack_from(">I", png, 16)
    at = png.find(b"pHYs")
    (per_metre,) = struct.unpack_from(">I", png, at + 4)
    return pixels / per_metre / METRES_PER_INCH


def setup_text(manifest):
    """The description of the runs in a result folder's manifest."""
    swept = {axis["key"]: axis.get("labels", axis["values"]) for axis in manifest["axes"]}
    known = {
        "swept": swept,
        "seeds": manifest.get("seeds"),
        "build": manifest.get("build"),
        "first run, with every default": manifest["points"][0].get("scenario"),
    }
    return json.dumps(known, indent=1, ensure_ascii=False)
