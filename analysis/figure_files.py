# SPDX-License-Identifier: BSD-3-Clause
"""Figures as files: drawn in memory, written whole, marked with the tables they were drawn from."""

import io
import logging
import warnings
from pathlib import Path

import matplotlib
import numpy
from PIL import Image
from PIL.PngImagePlugin import PngInfo

matplotlib.use("Agg")

from matplotlib import pyplot  # noqa: E402  (the backend must be chosen first)
from matplotlib.backends.backend_pdf import PdfPages  # noqa: E402

from analysis import output, style  # noqa: E402

FORMATS = output.FIGURES
MOST_COLOURS = 256  # of a palette
PACKED = numpy.array([1 << 16, 1 << 8, 1])  # red, green and blue as one number
DRAWN_FROM = (
    "jobs.csv", "iterations.csv", "switch.csv", "links.csv", "link_series.csv", "occupation.csv",
    "flows.csv",
)  # fmt: skip

logging.getLogger("matplotlib").setLevel(logging.ERROR)  # of its caches: no matter of a user's


def save(option, figure, path):
    """Writes one figure as what the path's suffix says."""
    suffix = suffix_of(option, path)
    (content,) = rendered([figure], [suffix], "")[suffix]
    output.write(option, {path: (suffix, content)})


def suffix_of(option, path):
    suffix = Path(path).suffix[1:]
    if suffix not in FORMATS:
        names = " or ".join(f".{one}" for one in FORMATS)
        raise output.OutputError(f"{option}: {path}; allowed: a file whose name ends in {names}")
    return suffix


def check(option, path):
    """Refuses, before any work, what save() would refuse."""
    output.check(option, path, suffix_of(option, path))


def save_results(option, results, pages, formats, folder):
    """Writes figures into a folder: {stem: its pages}, such as jct.png, jct-2.png and a jct.pdf of
    both. If it is that of the results, removes figures of other tables, and pages that there are no
    longer.

    Returns the paths of the first format, and those that were removed for their tables.
    """
    source = source_of(results)
    contents, shown = contents_of(folder, pages, formats, source)
    output.write(option, contents)
    is_own = folder == results.folder
    return shown, removed(folder, contents, pages, formats, source) if is_own else []


def save_pages(option, folder, pages, formats):
    """The same into a folder that has no tables; the paths of the first format."""
    contents, shown = contents_of(folder, pages, formats, "")
    output.write(option, contents)
    return shown


def contents_of(folder, pages, formats, source):
    """What files the pages are, {path: (mark, bytes)}, and the paths of the first format."""
    contents, shown = {}, []
    for stem, figures in pages.items():
        for suffix, files in rendered(figures, formats, source).items():
            paths = [path_of(folder, stem, page, suffix) for page in range(len(files))]
            contents |= {path: (suffix, file) for path, file in zip(paths, files)}
            shown += paths if suffix == formats[0] else []
    return contents, shown


def path_of(folder, stem, page, suffix):
    return folder / (f"{stem}.{suffix}" if page == 0 else f"{stem}-{page + 1}.{suffix}")


def source_of(results):
    sums = results.manifest["tables_crc32"]
    return "tables_crc32: " + " ".join(
        f"{file} {sums[file]}" for file in DRAWN_FROM if file in sums
    )


def rendered(figures, formats, source):
    """{format: the contents of its files}: a PNG for each figure, one PDF. Without dates, so that
    equal results give equal files."""
    images = {suffix: [] for suffix in formats}
    document = io.BytesIO()
    about = {"Creator": output.MARK, "Keywords": source, "CreationDate": None}
    with warnings.catch_warnings(), pyplot.rc_context(style.PAPER), PdfPages(
        document, metadata=about
    ) as pdf:
        warnings.filterwarnings("ignore", message="Glyph .* missing")
        for figure in figures:
            if "png" in formats:
                images["png"].append(png_of(figure, {"Software": output.MARK, "Source": source}))
                figure.set_layout_engine("none")  # everything has its place now, in the PDF too
            if "pdf" in formats:
                pdf.savefig(figure)
            pyplot.close(figure)
    if "pdf" in formats:
        images["pdf"].append(document.getvalue())
    return images


def png_of(figure, texts):
    """With a palette, which takes a fourth of the bytes: the most frequent colours are exact, and of
    what smoothes edges some shades stand for their neighbours."""
    drawn = io.BytesIO()
    figure.savefig(drawn, format="png", pil_kwargs={"compress_level": 1})
    image = Image.open(drawn).convert("RGB")
    counted = sorted(image.getcolors(image.width * image.height), reverse=True)
    colours = numpy.array([colour for _, colour in counted])
    palette = colours[:MOST_COLOURS]
    nearest = ((colours[:, None] - palette) ** 2).sum(axis=2).argmin(axis=1)
    place = numpy.zeros(1 << 24, "u1")  # in the palette, by colour
    place[colours @ PACKED] = nearest
    small = Image.fromarray(place[numpy.asarray(image) @ PACKED], "P")
    small.putpalette(palette.astype("u1").tobytes())
    about = PngInfo()
    for key, text in texts.items():
        about.add_text(key, text)
    content = io.BytesIO()
    small.save(content, "png", pnginfo=about, dpi=Image.open(drawn).info["dpi"])
    return content.getvalue()


def removed(folder, written, stems, formats, source):
    """Removes our figures that do not belong to what was written; those of other tables."""
    stale = []
    for path in sorted(folder.iterdir()):
        if path in written or not output.is_figure_of_results(path):
            continue
        is_current = source.encode() in path.read_bytes()
        is_page_too_many = path.stem.partition("-")[0] in stems and path.suffix[1:] in formats
        if not is_current:
            stale.append(path)
        if not is_current or is_page_too_many:
            path.unlink()
    return stale
