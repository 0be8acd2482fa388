# SPDX-License-Identifier: BSD-3-Clause
"""Content of a report: points with their means, warnings, and figures."""

from dataclasses import dataclass
from functools import partial
from itertools import islice

from matplotlib import pyplot

from analysis import curves, estimates, kinds, layout
from analysis.kinds import figure_files, style
from analysis.results import COMPARED, FINISHED, AnalysisError
from hw.files import output

MOST_PAGES = 2  # per figure
WIDE = 0.1  # half an interval, relative to the mean
UNCOMMITTED = "-dirty"
# Names in captions, by swept key.
REMARKS = {
    "/switch/memory_bytes": "Memory matters only if tasks collide. In runs without jitter or "
    "unequal links, the packets of a task arrive at the same instant, and few tasks collide. Under "
    "DSA a split task waits for the reminder, which can cost more time than memory saves.",
}


@dataclass(frozen=True)
class Image:
    png: bytes
    caption: str


@dataclass(frozen=True)
class Figure:
    kind: str
    title: str
    command: str  # subcommand of ina
    images: tuple[Image, ...]
    is_whole: bool  # no pages are left out
    missing: str = ""  # reason if there is no figure


def check(read):
    """Rejects a folder with a table that differs from what the run wrote."""
    for file in read.tables:
        read.checked_bytes(file)


def points(jobs, shape):
    """curves.points() with the Estimate over seeds of each measure, by its Measure; None if no job finished."""
    table = curves.points(jobs, shape)
    measured = curves.measured(jobs)
    for measure in curves.MEASURES:
        by_seed = curves.mean_by_seed(measured, shape.keys, measure).dropna(subset=[measure.name])
        by_point = by_seed.groupby(shape.keys, group_keys=True)[measure.name]
        found = by_point.apply(estimates.estimate).to_dict()
        keys = table[shape.keys].itertuples(index=False, name=None)
        table[measure] = [found.get(key if len(key) > 1 else key[0]) for key in keys]
    return table


def warnings(read, jobs, table):
    """Caveats that figures and means do not show, one sentence each."""
    of_jobs = (of_failures(jobs), of_seeds(read), of_intervals(table))
    return [text for text in of_jobs if text] + warnings_without_jobs(read)


def warnings_without_jobs(read):
    texts = (of_drops(read), of_rejections(read), of_builds(read), of_testbed(read))
    return [text for text in texts if text]


def findings(read):
    """The simulator's findings, one line each; a testbed has none."""
    return [found["text"] for found in read.manifest.get("findings", [])]


def of_failures(jobs):
    failed = jobs[jobs["status"] != FINISHED]
    if failed.empty:
        return ""
    kinds_of = ", ".join(f"{count} {one}" for one, count in failed["status"].value_counts().items())
    return f"{len(failed)} of {len(jobs)} jobs failed ({kinds_of}): no mean includes them."


def of_seeds(read):
    return "There is only one seed, so no mean has an interval." if len(read.seeds) == 1 else ""


def of_intervals(table):
    found = [one for one in table[curves.JCT] if one is not None and one.half_width is not None]
    wide = sum(one.half_width > WIDE * one.mean for one in found)
    if not wide:
        return ""
    return (
        f"The interval of {wide} of {len(found)} average JCTs is wider than ± {WIDE:.0%} of "
        "the mean. More seeds make intervals narrower (./ina run FILE --seeds 1-20)."
    )


def of_drops(read):
    """Warning about drops on a testbed. In the simulator, drops are findings."""
    if "testbed" not in read.manifest:
        return ""
    links = read.table("links.csv")
    if "frames_dropped" not in links.columns or not links["frames_dropped"].any():
        return ""
    worst = links.groupby("link")["frames_dropped"].sum().idxmax()
    runs = links[links["frames_dropped"] > 0].groupby(["point", "seed"]).ngroups
    return (
        f"{links['frames_dropped'].sum():.0f} frames were dropped at full buffers, in {runs} of "
        f"{len(read.manifest['points'])} runs, most of them before {worst}."
    )


def of_rejections(read):
    counts = {
        "switch_rejected_frames": "were rejected by a switch",
        "switch_frames_without_route": "had no route at a switch",
        "switch_frames_lost_between_passes": "were lost in a full recirculation queue",
    }
    found = {key: sum(run.get(key, 0) for run in read.manifest["points"]) for key in counts}
    said = [f"{found[key]} frames {what}" for key, what in counts.items() if found[key]]
    return f"{' and '.join(said)}." if said else ""


def of_builds(read):
    commit = str(read.manifest.get("build", {}).get("commit", ""))
    if not commit.endswith(UNCOMMITTED):
        return ""
    return f"The simulator was built from uncommitted sources ({commit})."


def of_testbed(read):
    if "testbed" not in read.manifest:
        return ""
    return "Real processes ran on a testbed, so times are those of the machine's clock."


def figures(read):
    """Yields the Figure of each kind whose tables exist."""
    shape = layout_of(read, read.jobs()) if read.has_jobs else None
    for kind in kinds.reported():
        if not set(kind.tables) <= set(read.tables) or kind.report.needs_jobs and not read.has_jobs:
            continue
        figure = partial(Figure, kind.name, kind.report.title, kind.drawn_by)
        try:
            pages = kind.draw(read, kinds.Wanted()).pages
        except AnalysisError as error:
            yield figure((), True, str(error))
            continue
        images, is_whole = [], True
        for stem, drawn in pages.items():
            drawn = iter(drawn) if len(pages) > 1 else map(widened, drawn)
            images += rendered(read, kind, stem, islice(drawn, MOST_PAGES), shape)
            is_whole = is_whole and next(drawn, None) is None
        pyplot.close("all")  # closes pages that are not shown
        yield figure(tuple(images), is_whole)


def widened(figure):
    """Widens a single-column figure, which is alone on the page, to the width of the others."""
    _, height = figure.get_size_inches()
    figure.set_size_inches(style.TWO_COLUMNS_INCHES, height)
    return figure


def rendered(read, kind, stem, pages, shape):
    """The pages of a figure with their captions."""
    source = figure_files.source_of(read)
    pngs = figure_files.rendered(pages, [output.PNG], source)[output.PNG]
    return [Image(png, caption(kind, stem, shape, page)) for page, png in enumerate(pngs)]


def layout_of(read, jobs):
    return layout.layout(read.with_system(jobs), read.seeds)


def caption(kind, stem, shape, page):
    """The caption of a page of a kinds.Kind; `shape`: the layout of the average times."""
    parts = [kind.captions[stem]]
    if kind.report.names_axes:
        parts.append(arrangement(shape))
        parts += [REMARKS.get(axis.key, "") for axis in shape.axes if axis.is_varied]
    if page > 0:
        parts.append(f"Page {page + 1}.")
    return " ".join(filter(None, parts))


def arrangement(shape):
    """Text about the axes in use; names of systems and variants need no key."""
    named = [("x axis", shape.x), ("lines or bars", shape.lines)]
    named += [("panels", axis) for axis in shape.panels]
    shown = [
        f"{role}: {name_of(axis)}" for role, axis in named if axis is not None and axis.is_varied
    ]
    text = "; ".join(shown)
    return f"{text[0].upper()}{text[1:]}." if shown else ""


def name_of(axis):
    return f"{axis.key}s" if axis.key in COMPARED else style.axis_name(axis)
