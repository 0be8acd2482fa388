# SPDX-License-Identifier: BSD-3-Clause
"""Pages in HTML: each one file that needs no other, its images within it."""

import base64
import html
import json

from analysis import output

STYLE = """
body { font: 15px/1.45 sans-serif; color: #222; max-width: 76rem; margin: 2rem auto; padding: 0 1rem }
h1 { font-size: 1.6rem } h2 { font-size: 1.2rem; margin-top: 2.5rem }
table { border-collapse: collapse; width: 100%; font-size: 13px }
th, td { text-align: left; vertical-align: top; padding: .3rem .6rem; border-bottom: 1px solid #ddd }
th { background: #f4f4f4 } td.number { white-space: nowrap; font-variant-numeric: tabular-nums }
small { color: #666 } img { max-width: min(100%, 56rem); height: auto }
pre { font-size: 12px; background: #f8f8f8; padding: .6rem; overflow: auto; max-height: 24rem }
"""


def page(title, parts, style=""):
    """The text of a page of HTML parts; `style` is beside that of all pages."""
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n{output.HTML_MARK}\n'
        f"<title>{escaped(title)}</title>\n<style>{STYLE}{style}</style>\n</head>\n<body>\n"
        + "\n".join(parts)
        + "\n</body>\n</html>\n"
    )


def escaped(text):
    return html.escape(str(text))


def table(header, rows):
    """`rows` are of HTML."""
    head = "".join(f"<th>{escaped(name)}</th>" for name in header)
    return f"<table>\n<tr>{head}</tr>\n" + "\n".join(rows) + "\n</table>"


def image(png, text):
    source = "data:image/png;base64," + base64.b64encode(png).decode("ascii")
    return f'<img alt="{escaped(text)}" src="{source}">'


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
