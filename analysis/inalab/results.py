# SPDX-License-Identifier: BSD-3-Clause
"""Results of runs: tables, means, figures, comparisons."""

import contextlib
import itertools

import pandas
from matplotlib import pyplot

from analysis import __main__ as commands
from analysis import curves, kinds, layout, results
from analysis.kinds import breakdown, style
from analysis.kinds import commands as figures
from analysis.regress import compare, comparison
from inalab.errors import translated

BREAKDOWN = "breakdown"  # another command than plot
OPTIONS = [option for option in figures.OPTIONS if option not in figures.NAMES_OF]
SCREEN_DPI = 150


@contextlib.contextmanager
def looks_of_paper():
    """The looks of all figures, until the end. pyplot.rc_context() would also undo what a notebook's
    backend sets when it draws its first figure, after which no figure is shown."""
    before = {key: pyplot.rcParams[key] for key in style.PAPER}
    pyplot.rcParams.update(style.PAPER)
    try:
        yield
    finally:
        pyplot.rcParams.update(before)


def load(folder):
    """The Results in a folder that `./ina run` or inalab.run(out=...) has made."""
    with translated():
        return Results(folder)


def frame_of(name, of):
    return property(lambda self: self._table(name), doc=f"{name}.csv as a frame: a row per {of}.")


class Results:
    """A result folder.

    Tables are frames with the columns of docs/reference/results.md: the unit is the end of a
    column's name (`jct_us`). Numeric cells are numbers, empty ones NaN. Swept keys are columns, too:
    numbers if the scenario has numbers, otherwise texts. A quantity (`"5MB"`) has its number in a
    further column (`memory_bytes`).
    """

    def __init__(self, folder):
        self._read = results.read(folder)
        self._tables = {}

    jobs = frame_of("jobs", "job of each run")
    iterations = frame_of("iterations", "iteration of each job")
    links = frame_of("links", "direction of each link")
    switch = frame_of("switch", "job and switch at each instant")
    flows = frame_of("flows", "flow of other traffic")
    packets = frame_of("packets", "direction of each link, of other traffic")
    link_series = frame_of("link_series", "interval of each link")
    occupation = frame_of("occupation", "bin of durations for which a job held aggregators")

    def _table(self, name):
        """A table, read once. Raises inalab.Error if it is not what the run wrote, or if the scenario
        did not ask for it."""
        if name not in self._tables:
            with translated():
                self._tables[name] = self._with_numbers(self._read.table(f"{name}.csv"))
        return self._tables[name]

    @property
    def folder(self):
        """The path of the result folder."""
        return self._read.folder

    @property
    def name(self):
        """The name of the experiment."""
        return self._read.name

    @property
    def findings(self):
        """What dominates the runs, a sentence each, as `./ina run` prints them."""
        return [found["text"] for found in self._read.manifest.get("findings", [])]

    def __repr__(self):
        return f"<Results of {self.name}: {len(self._read.manifest['points'])} runs>"

    def jct(self, baseline=None):
        """A row per point of the sweep: the average JCT, `jct_ms`, over jobs that finished, then over
        seeds; the ends of its 95 % interval (Student's t), `jct_low_ms` and `jct_high_ms`, NaN with one
        seed; `jct_ratio` to the baseline with its interval; numbers of `seeds`, `jobs`, `failed_jobs`."""
        with translated():
            jobs = self._read.jobs()
            shape = self._layout(jobs, layout.Choice(baseline=baseline))
            points = curves.points(jobs, shape)
            jct = curves.JCT
            means = [jct.mean, jct.low, jct.high, jct.ratio, jct.ratio_low, jct.ratio_high]
            return self._with_numbers(points[[*shape.keys, *means, "seeds", "jobs", "failed_jobs"]])

    def breakdown(self):
        """A row per point of the sweep: `period_us`, the average time of an iteration, and the parts
        that it consists of, as in the figure of `./ina breakdown`."""
        with translated():
            return self._with_numbers(breakdown.means(self._read, layout.Choice())[0])

    def plot(self, kind=None, **options):
        """The first page of figures(), a matplotlib figure."""
        with translated():
            pages = next(iter(self._drawn(kind, options).pages.values()))
            return self._figures(itertools.islice(pages, 1))[0]

    def figures(self, kind=None, **options):
        """{name: pages} of the figures that `./ina plot --kind KIND` draws, or `./ina breakdown`.

        `options` are those of the command: x, lines, panels, baseline, ratio, spread, only, links.
        Several values of `only` are a list.
        """
        with translated():
            drawn = self._drawn(kind, options).pages
            return {name: self._figures(pages) for name, pages in drawn.items()}

    def compare(self, other, tolerance=compare.TOLERANCE, statistical=False):
        """The Comparison with other Results, as `./ina compare` makes it: its `table` has a row per
        point, `verdict` is of all points, as text it is what the command prints. `tolerance` is the
        largest share that a mean may differ; `statistical`: over any seeds."""
        with translated():
            mode = compare.STATISTICAL if statistical else compare.EXACT
            return comparison.of(self._read, other._read, mode, tolerance)

    def _layout(self, jobs, choice):
        return layout.layout(self._read.with_system(jobs), self._read.seeds, choice)

    def _with_numbers(self, frame):
        """A frame whose swept values are numbers if the scenario has numbers, and with a column of
        numbers next to each swept quantity."""
        numeric = [axis.key for axis in self._read.axes if axis.are_numbers]
        frame = frame.assign(**{key: pandas.to_numeric(frame[key]) for key in numeric})
        for key, (column, numbers) in self._read.numbers.items():
            if column not in frame:
                frame.insert(frame.columns.get_loc(key) + 1, column, frame[key].map(numbers))
        return frame

    def _drawn(self, kind, options):
        command = [BREAKDOWN] if kind == BREAKDOWN else ["plot", *([] if kind is None else [f"--kind={kind}"])]
        for name, value in options.items():
            if name not in OPTIONS:
                raise results.AnalysisError(f"found {name}=; allowed: {', '.join(OPTIONS)}")
            values = value if isinstance(value, (list, tuple)) else [value]
            command += [f"--{name}={one}" for one in values]
        command.append(str(self.folder))
        parsed = commands.parser(command).parse_args(command)
        if kind == BREAKDOWN:
            choice = layout.Choice(parsed.x, parsed.lines, parsed.panels)
            return kinds.all_kinds()[BREAKDOWN].draw(self._read, kinds.Wanted(choice))
        read, chosen = figures.chosen(parsed)
        return chosen.draw(read, figures.wanted(parsed))

    def _figures(self, pages):
        """Pages as a list. Pyplot forgets them, since a notebook would show them a second time."""
        with looks_of_paper():
            drawn = list(pages)
        for figure in drawn:
            figure.set_dpi(SCREEN_DPI)
            pyplot.close(figure)
        return drawn
