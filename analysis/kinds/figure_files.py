# SPDX-License-Identifier: BSD-3-Clause
"""Figures as files: drawn in memory, written atomically, and marked with the tables they were drawn from."""

import contextlib
import io
import warnings
from pathlib import Path

import numpy
from matplotlib import pyplot
from matplotlib.backends.backend_agg import FigureCanvasAgg
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from analysis import kinds
from analysis.kinds import result_figures, style
from analysis.results import ROWS_OF
from hw.commands.errors import CommandError
from hw.files import output

FORMATS = output.FIGURES
MOST_COLOURS = 256  # of a palette
COLOUR_BAR = "<colorbar>"  # matplotlib's label of such axes


def save(option, figure, path):
    """Writes one figure in the format of the path's suffix."""
    suffix = suffix_of(option, path)
    (content,) = rendered([figure], [suffix], "")[suffix]
    output.write(option, {path: (suffix, content)})


def suffix_of(option, path):
    suffix = Path(path).suffix[1:]
    if suffix not in FORMATS:
        names = " or ".join(f".{one}" for one in FORMATS)
        raise CommandError(f"{option}: {path}; allowed: a file whose name ends in {names}")
    return suffix


def check(option, path):
    """Checks before any work that save() will be able to write."""
    output.check(option, path, suffix_of(option, path))


def save_results(option, results, pages, formats, folder):
    """Writes figures into a folder: {stem: its pages}, such as jct.png, jct-2.png and one jct.pdf
    with both. Removes surplus pages and figures of other tables: all of them in the result folder
    itself, elsewhere only those that such a command writes.

    Returns the paths of the first format, and the paths that were removed because of their tables.
    """
    sources = [source_of(one) for one in results.parts]
    contents, shown = contents_of(folder, pages, formats, " ".join(sources))
    output.write(option, contents)
    remove_further_pages(folder, contents, pages, formats)
    is_own = folder == results.folder
    stems = None if is_own else kinds.stems_together(pages)
    return shown, removed(folder, contents, sources, stems)


def save_pages(option, folder, pages, formats):
    """Writes figures into a folder without tables; returns the paths of the first format."""
    contents, shown = contents_of(folder, pages, formats, "")
    output.write(option, contents)
    remove_further_pages(folder, contents, pages, formats)
    return shown


def contents_of(folder, pages, formats, source):
    """The contents of the files, {path: (mark, bytes)}, and the paths of the first format."""
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
        f"{file} {sums[file]}" for file in ROWS_OF if file in sums and file in kinds.tables()
    )


def rendered(figures, formats, source):
    """{format: contents of its files}: a PNG for each figure, one PDF. The files contain no dates,
    so that equal results give equal files."""
    images = {suffix: [] for suffix in formats}
    document = io.BytesIO()
    pages = pdf_pages(document, source) if "pdf" in formats else contextlib.nullcontext()
    with warnings.catch_warnings(), pyplot.rc_context(style.PAPER), pages as pdf:
        warnings.filterwarnings("ignore", message="Glyph .* missing")
        for figure in figures:
            if "png" in formats:
                images["png"].append(png_of(figure, {"Software": output.MARK, "Source": source}))
                figure.set_layout_engine("none")  # the layout is final, also for the PDF
            if "pdf" in formats:
                pdf.savefig(figure)
            pyplot.close(figure)
    if "pdf" in formats:
        images["pdf"].append(document.getvalue())
    return images


def pdf_pages(document, source):
    from matplotlib.backends.backend_pdf import PdfPages  # slow to import, and reports have no PDF

    about = {"Creator": output.MARK, "Keywords": source, "CreationDate": None}
    return PdfPages(document, metadata=about)


def png_of(figure, texts):
    """A PNG with these text chunks; uses a palette unless the figure has a colour map. Draws the
    figure once: savefig() would draw it twice, first for the layout."""
    dpi = style.PAPER["savefig.dpi"]
    figure.set_dpi(dpi)
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    pixels = numpy.asarray(canvas.buffer_rgba())
    about = PngInfo()
    for key, text in texts.items():
        about.add_text(key, text)
    content = io.BytesIO()
    image = Image.fromarray(pixels).convert("RGB") if has_colour_map(figure) else with_palette(pixels)
    image.save(content, "png", pnginfo=about, dpi=(dpi, dpi))
    return content.getvalue()


def has_colour_map(figure):
    return any(axes.get_label() == COLOUR_BAR for axes in figure.axes)


def with_palette(pixels):
    """An image with a palette, which saves three quarters of the bytes, of opaque RGBA pixels.
    Frequent colours are exact; some shades of smoothed edges are replaced by similar ones."""
    packed = pixels.view("u4").ravel()
    ends = numpy.flatnonzero(packed[1:] != packed[:-1]) + 1  # of runs of one colour
    starts = numpy.concatenate([[0], ends])
    lengths = numpy.diff(starts, append=packed.size)
    of_runs = packed.view(">u4")[starts] >> 8  # 0xRRGGBB
    colours, colour_of_run = numpy.unique(of_runs, return_inverse=True)
    counts = numpy.bincount(colour_of_run, lengths)
    frequent = numpy.lexsort((colours, counts))[::-1][:MOST_COLOURS]
    rgb = (colours[:, None] >> numpy.array([16, 8, 0]) & 255).astype(int)
    palette = rgb[frequent]
    # The nearest: squared distances, less the part that is the same for the whole palette.
    nearest = ((palette**2).sum(axis=1) - 2 * rgb @ palette.T).argmin(axis=1)
    indices = nearest.astype("u1")[colour_of_run].repeat(lengths)
    image = Image.fromarray(indices.reshape(pixels.shape[:2]), "P")
    image.putpalette(palette.astype("u1").tobytes())
    return image


def remove_further_pages(folder, written, stems, formats):
    """Removes pages of our figures beyond their present number."""
    for path in sorted(folder.iterdir()):
        stem, _, page = path.stem.rpartition("-")
        is_page = stem in stems and page.isdecimal() and path.suffix[1:] in formats
        if is_page and path not in written and path.is_file():
            if output.own_mark(path) == path.suffix[1:]:
                path.unlink()


def removed(folder, written, sources, stems):
    """Removes our figures that were drawn from other tables, all or those of some stems. Returns
    their paths."""
    stale = []
    for path in sorted(folder.iterdir()):
        is_meant = stems is None or path.stem.partition("-")[0] in stems
        if path in written or not is_meant or not result_figures.is_one(path):
            continue
        content = path.read_bytes()
        if not any(source.encode() in content for source in sources):
            path.unlink()
            stale.append(path)
    return stale
