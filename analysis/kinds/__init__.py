# SPDX-License-Identifier: BSD-3-Clause
"""Kinds of figures of a result folder. A kind is a module of this package whose function `draw` has
the decorator @figure_kind(...). No other file lists the kinds: see all_kinds().

Importing a kind loads matplotlib, which is slow and not needed by commands without figures.
Therefore this file imports none.
"""

import importlib
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from analysis import error_bars, layout

REGISTERED = {}  # {name: Kind} of the imported modules


@dataclass(frozen=True)
class Wanted:
    """The user's choices."""

    choice: layout.Choice = layout.Choice()
    only: tuple[str, ...] = ()  # KEY=VALUE
    links: tuple[str, ...] = ()  # patterns
    spread: str = error_bars.INTERVAL
    ratio: str = ""  # of two lines, such as atp/dsa


@dataclass(frozen=True)
class Drawn:
    pages: dict  # {file stem: figures}
    numbers: dict  # for --json
    note: str = ""


@dataclass(frozen=True)
class InReport:
    """A section of `ina report`."""

    order: float
    title: str
    names_axes: bool = False  # captions name the keys of x axis, lines and panels
    needs_jobs: bool = True  # false: also drawn for runs with background traffic only


@dataclass(frozen=True)
class Kind:
    """A kind of figures: one or several figures that are drawn together."""

    name: str
    draw: Callable  # (results.Results, Wanted) -> Drawn
    captions: Mapping[str, str]  # by file stem
    tables: tuple[str, ...]  # sources of the figures
    order: float = 0  # position in the help of `plot --kind`
    summary: str = ""  # in that help; empty: another command draws the kind
    options: tuple[str, ...] = ()  # options of `plot` that only some kinds have
    of_time_line: bool = False  # draws a time_line.TimeLine instead of Results
    report: InReport | None = None  # None: no section
    command: str = ""  # subcommand of ina that draws all figures; empty: plot --kind NAME

    @property
    def drawn_by(self):
        return self.command or f"plot --kind {self.name}"


def figure_kind(**properties):
    """Decorator that registers a function as the `draw` of a Kind with these properties."""

    def register(draw):
        kind = Kind(draw=draw, **properties)
        REGISTERED[kind.name] = kind
        return draw

    return register


def all_kinds():
    """{name: Kind}, in the order of the help."""
    for module in pkgutil.iter_modules(__path__):
        importlib.import_module(f"{__name__}.{module.name}")
    return dict(sorted(REGISTERED.items(), key=lambda named: named[1].order))


def plotted():
    """{name: Kind} of the kinds of `plot --kind`."""
    return {name: kind for name, kind in all_kinds().items() if kind.summary}


def reported():
    """The kinds with a section in reports, in the reports' order."""
    with_section = [kind for kind in all_kinds().values() if kind.report]
    return sorted(with_section, key=lambda kind: kind.report.order)


def stems():
    """File stems of all kinds. A command may replace or remove such files in a result folder."""
    return {stem for kind in all_kinds().values() if not kind.of_time_line for stem in kind.captions}


def stems_together(given):
    """The stems of all figures that are drawn together with one of the given ones."""
    drawn = [kind.captions.keys() for kind in all_kinds().values()]
    return set(given).union(*(one for one in drawn if not one.isdisjoint(given)))


def tables():
    """All tables that figures are drawn from."""
    return {table for kind in all_kinds().values() for table in kind.tables}
