# SPDX-License-Identifier: BSD-3-Clause
"""The Gantt chart of a time line: the computation of each worker and, below it, the partitions
whose results it waits for, coloured by layer. Each job has a panel."""

import re

import numpy
import pandas
from matplotlib import pyplot
from matplotlib.cm import ScalarMappable
from matplotlib.collections import PolyCollection
from matplotlib.colors import Normalize
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from analysis import curves, layout
from analysis.kinds import Drawn, figure_kind, style
from analysis.results import AnalysisError, Axis

JOB, WORKER = "job", "worker"
WORKER_NAME = re.compile(r"job (\d+) \((.*)\) worker (\d+)")
WHAT_NAME = re.compile(r"(?:(forward|backward), )?layer (\d+)(?:, partition (\d+))?")
COMMUNICATION = "communication"
PASSES = {"forward": "#444444", "backward": "#AAAAAA"}
MANY_LAYERS = "viridis"  # with more layers than distinguishable colours
MOST_COLOURS = 8
MOST_ROWS = 32  # workers per page
EDGE_POINTS = 0.2  # between layers that are computed in sequence
ROW_INCHES = (0.22, 0.45)  # per worker, with many and with few workers
ROWS_INCHES = 2.0  # minimum for all rows together
JOB_INCHES = 0.25  # for a panel's title
FRAME_INCHES = 0.8  # for legend, label and note
# Positions in a worker's row, from its top: computation, then communication.
COMPUTE_FROM, COMPUTE_UNTIL = 0.06, 0.36
COMMUNICATION_FROM, COMMUNICATION_UNTIL = 0.42, 0.94


@figure_kind(
    name="gantt", order=8, summary="or the activity of each worker, from a file of ina trace",
    options=("only",), captions={"gantt": ""}, tables=(), of_time_line=True,
)  # fmt: skip
def draw(line, wanted):
    spans = read(line, wanted.only)
    return Drawn({"gantt": draw_spans(spans)}, {"workers": curves.records(numbers(spans))})


def read(line, only):
    """Spans of a time_line.TimeLine within `only` (`job=0`, `worker=3`): worker, pass or
    communication, layer and partition, begin and end in ms, and lane within the worker's row."""
    spans = pandas.DataFrame(spans_of(line))
    if spans.empty:
        raise AnalysisError(f"{line.path}: no worker computes or waits in this file; allowed: a longer window")
    keys = [
        Axis(key, tuple(sorted(set(spans[key]), key=style.natural))) for key in (JOB, WORKER)
    ]
    _, spans = layout.narrowed(keys, (), spans, only)
    return with_lanes(spans.reset_index(drop=True))


def spans_of(line):
    workers = {pid: WORKER_NAME.fullmatch(name) for pid, name in line.processes.items()}
    begun = {}
    for event in line.events:
        worker = workers.get(event["pid"])
        if worker is None:
            continue
        if event["ph"] == "b":
            begun[event["pid"], event.get("id")] = event
        elif event["ph"] == "e":
            begin = begun.pop((event["pid"], event.get("id")), event)
            yield span_of(line, worker, begin, event["ts"])
        elif event["ph"] == "X":
            yield span_of(line, worker, event, event["ts"] + event.get("dur", 0))


def span_of(line, worker, event, end_us):
    what = WHAT_NAME.fullmatch(event["name"])
    if what is None:
        raise AnalysisError(f'{line.path}: found "{event["name"]}" of a worker; allowed: a layer')
    job, profile, rank = worker.groups()
    return {
        JOB: job, "profile": profile, WORKER: rank, "what": what[1] or COMMUNICATION,
        "layer": int(what[2]), "partition": int(what[3] or 0),
        "begin_ms": event["ts"] / curves.US_PER_MS, "end_ms": end_us / curves.US_PER_MS,
    }


def with_lanes(spans):
    """Gives each partition of a job its own lane; the front layer is at the top."""
    key = list(zip(spans["layer"], spans["partition"]))
    rank = {}
    for job, of_job in spans.assign(key=key).groupby(JOB):
        waited = of_job.loc[of_job["what"] == COMMUNICATION, "key"]
        rank |= {(job, one): index for index, one in enumerate(sorted(set(waited)))}
    return spans.assign(lane=[rank.get((job, one), 0) for job, one in zip(spans[JOB], key)])


def draw_spans(spans):
    """Yields the pages."""
    colours = colours_of(sorted(set(spans["layer"])))
    ends = spans["begin_ms"].min(), spans["end_ms"].max()
    for rows in pages_of(spans):
        yield draw_page(spans, rows, colours, ends)


def pages_of(spans):
    """[{job: its workers}] for each page."""
    workers = spans[[JOB, WORKER]].drop_duplicates().itertuples(index=False)
    workers = sorted(workers, key=lambda one: (int(one.job), int(one.worker)))
    for start in range(0, len(workers), MOST_ROWS):
        page = {}
        for job, worker in workers[start : start + MOST_ROWS]:
            page.setdefault(job, []).append(worker)
        yield page


def colours_of(layers):
    """{layer: colour}"""
    if len(layers) <= MOST_COLOURS:
        return {layer: look.colour for layer, look in style.looks_of(layers, {}).items()}
    scale = scale_of(layers)
    return {layer: scale.to_rgba(layer) for layer in layers}


def scale_of(layers):
    return ScalarMappable(Normalize(min(layers), max(layers)), MANY_LAYERS)


def draw_page(spans, rows, colours, ends):
    least, most = ROW_INCHES
    row_inches = min(max(least, ROWS_INCHES / sum(map(len, rows.values()))), most)
    heights = [len(workers) * row_inches for workers in rows.values()]
    height = sum(heights) + JOB_INCHES * len(rows) + FRAME_INCHES
    figure, cells = pyplot.subplots(
        len(rows), sharex=True, squeeze=False, layout="constrained",
        figsize=(style.ONE_COLUMN_INCHES, height), height_ratios=heights,
    )
    cells = cells[:, 0]
    for (job, workers), axes in zip(rows.items(), cells):
        of_job = spans[spans[JOB] == job]
        axes.set_title(f"Job {job} ({style.short(of_job['profile'].iloc[0])})")
        draw_job(axes, of_job, workers, colours)
        axes.set_xlim(*ends)
    cells[-1].set_xlabel("Time (ms)")
    figure.supylabel("Worker", fontsize=8)
    handles = legend_of(spans, colours)
    if len(colours) > MOST_COLOURS:
        bar = figure.colorbar(scale_of(list(colours)), ax=list(cells), pad=0.02, aspect=30)
        bar.set_label("Layer whose results are waited for")
        bar.ax.yaxis.set_major_locator(MaxNLocator(integer=True))
        bar.outline.set_visible(False)
    style.frame(figure, handles.values(), list(handles), "upper bars: computing, lower ones: communication")
    return figure


def legend_of(spans, colours):
    present = set(spans["what"])
    found = {
        name.capitalize(): Patch(color=colour) for name, colour in PASSES.items() if name in present
    }
    if len(colours) <= MOST_COLOURS:
        found |= {f"Layer {layer}": Patch(color=colour) for layer, colour in colours.items()}
    return found


def draw_job(axes, spans, workers, colours):
    spans = spans[spans[WORKER].isin(workers)]
    row = spans[WORKER].map({worker: index for index, worker in enumerate(workers)})
    lane = (COMMUNICATION_UNTIL - COMMUNICATION_FROM) / (spans["lane"].max() + 1)
    waits = spans["what"] == COMMUNICATION
    top = row + numpy.where(waits, COMMUNICATION_FROM + lane * spans["lane"], COMPUTE_FROM)
    bottom = row + numpy.where(
        waits, COMMUNICATION_FROM + lane * (spans["lane"] + 1), COMPUTE_UNTIL
    )
    begin, end = spans["begin_ms"], spans["end_ms"]
    corners = [(begin, top), (end, top), (end, bottom), (begin, bottom)]
    face = [
        PASSES.get(what) or colours[layer] for what, layer in zip(spans["what"], spans["layer"])
    ]
    axes.add_collection(PolyCollection(
        numpy.array(corners).transpose(2, 0, 1), facecolors=face, edgecolors="white",
        linewidths=numpy.where(waits, 0, EDGE_POINTS),
    ))  # fmt: skip
    axes.set_ylim(len(workers), 0)
    axes.set_yticks(numpy.arange(len(workers)) + 0.5, workers)
    axes.tick_params(axis="y", length=0)
    axes.grid(visible=False)


def numbers(spans):
    """One row per worker: the time in which it computes, and the time in which it only waits."""
    found = []
    for (job, worker), of_worker in spans.groupby([JOB, WORKER], sort=False):
        waits = of_worker["what"] == COMMUNICATION
        computes = union(of_worker[~waits])
        both = union(of_worker)
        found.append({
            JOB: job, WORKER: worker, "compute_ms": computes, "communication_ms": union(of_worker[waits]),
            "communication_alone_ms": both - computes,
        })
    return pandas.DataFrame(found)


def union(spans):
    """The total time covered by at least one span."""
    total, until = 0.0, -numpy.inf
    for begin, end in sorted(zip(spans["begin_ms"], spans["end_ms"])):
        total += max(0.0, end - max(begin, until))
        until = max(until, end)
    return total
