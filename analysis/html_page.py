# SPDX-License-Identifier: BSD-3-Clause
"""Pages in HTML: each one file that needs no other, its images within it."""

import base64
import html
import json
import struct
from dataclasses import dataclass

from hw.files import output

WIDTH_PX = 1000  # of the text; a figure of two columns has 2100 pixels, so that it is sharp
NARROW_INCHES = 4.5  # a narrower figure takes half of the width, so that its text is not larger
METRES_PER_INCH = 0.0254
STYLE = f"""
body {{ font: 15px/1.45 sans-serif; color: #222; max-width: {WIDTH_PX}px; margin: 2rem auto;
  padding: 0 1rem; overflow-wrap: break-word }}
h1 {{ font-size: 1.6rem }} h2 {{ font-size: 1.2rem; margin-top: 2.5rem }}
nav {{ background: #f4f4f4; padding: .5rem 1rem; font-size: 14px }}
nav ul {{ columns: 16rem auto; margin: .3rem 0; padding-left: 1.2rem }}
.scroll {{ overflow-x: auto }}
table {{ border-collapse: collapse; width: 100%; font-size: 13px; margin: .5rem 0 }}
caption {{ text-align: left; padding: .3rem 0 }}
th, td {{ text-align: left; vertical-align: top; padding: .3rem .6rem; border-bottom: 1px solid #ddd }}
th {{ background: #f4f4f4 }}
.number {{ text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums }}
small {{ color: #666 }} code {{ overflow-wrap: anywhere }}
.figures {{ display: flex; flex-wrap: wrap; gap: 0 1rem }}
figure {{ margin: .8rem 0; width: 100%; break-inside: avoid }}
figure.narrow {{ width: calc(50% - .5rem) }}
img {{ display: block; width: 100%; height: auto }}
figcaption {{ font-size: 13px; color: #444; margin-top: .3rem }}
.warnings {{ background: #fff4e0; border-left: 4px solid #E69F00; padding: .5rem 1rem .5rem 2rem }}
pre {{ font-size: 12px; background: #f8f8f8; padding: .6rem; overflow: auto; max-height: 24rem }}
@media (max-width: 40rem) {{
  figure.narrow {{ width: 100% }}
  figure:not(.narrow) {{ overflow-x: auto }} figure:not(.narrow) img {{ width: 36rem }}
}}
"""


@dataclass(frozen=True)
class Section:
    """A part of a page that its contents list; `parts` are of HTML."""

    id: str
    title: str
    parts: list

    @property
    def html(self):
        return "\n".join([f'<h2 id="{escaped(self.id)}">{escaped(self.title)}</h2>', *self.parts])


def page(title, parts, style=""):
    """The text of a page of HTML parts; `style` is added to that of all pages."""
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n{output.HTML_MARK}\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escaped(title)}</title>\n<style>{STYLE}{style}</style>\n</head>\n<body>\n"
        + "\n".join(parts)
        + "\n</body>\n</html>\n"
    )


def escaped(text):
    return html.escape(str(text))


def contents(sections):
    """Links to the sections of a page."""
    items = "\n".join(
        f'<li><a href="#{escaped(one.id)}">{escaped(one.title)}</a></li>' for one in sections
    )
    return f"<nav>Contents\n<ul>\n{items}\n</ul></nav>"


def warned(texts):
    return listed(texts, "warnings") if texts else ""


def listed(texts, kind):
    return f'<ul class="{kind}">' + "".join(f"<li>{escaped(one)}</li>" for one in texts) + "</ul>"


def table(header, rows, numbers=0, caption=""):
    """`rows` are of HTML. The last `numbers` columns hold numbers. A table that is wider than the
    page scrolls by itself."""
    texts = len(header) - numbers
    head = "".join(f"<th>{escaped(name)}</th>" for name in header[:texts])
    head += "".join(f'<th class="number">{escaped(name)}</th>' for name in header[texts:])
    title = f"<caption>{escaped(caption)}</caption>\n" if caption else ""
    body = "\n".join(rows)
    return f'<div class="scroll"><table>\n{title}<tr>{head}</tr>\n{body}\n</table></div>'


def figure(png, name, caption):
    """An image with its caption, which is of HTML; `name` is read out in place of the image."""
    source = "data:image/png;base64," + base64.b64encode(png).decode("ascii")
    kind = ' class="narrow"' if width_inches(png) < NARROW_INCHES else ""
    return (
        f'<figure{kind}><img alt="{escaped(name)}" src="{source}">\n'
        f"<figcaption>{caption}</figcaption></figure>"
    )


def figures(images):
    """The results of figure(), narrow ones side by side."""
    return '<div class="figures">\n' + "\n".join(images) + "\n</div>" if images else ""


def width_inches(png):
    """The width of a PNG that says its resolution, as ours do."""
    (pixels,) = struct.unpack_from(">I", png, 16)
    at = png.find(b"pHYs")
    (per_metre,) = struct.unpack_from(">I", png, at + 4)
    return pixels / per_metre / METRES_PER_INCH


def details(summary, content):
    """`content`, of HTML, is shown when it is asked for."""
    return f"<details><summary>{escaped(summary)}</summary>{content}</details>"


def setup_text(manifest):
    """What a result folder's manifest says of what was run."""
    swept = {axis["key"]: axis.get("labels", axis["values"]) for axis in manifest["axes"]}
    known = {
        "swept": swept,
        "seeds": manifest.get("seeds"),
        "build": manifest.get("build"),
        "first run, with every default": manifest["points"][0].get("scenario"),
    }
    return escaped(json.dumps(known, indent=1, ensure_ascii=False))
