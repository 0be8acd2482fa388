# SPDX-License-Identifier: BSD-3-Clause
"""Published results, as the files in published/ say them: what, where, how it is measured here."""

from dataclasses import dataclass
from pathlib import Path

from analysis import results
from analysis.reproduce import measures, verdicts
from analysis.results import AnalysisError

FOLDER = Path(__file__).resolve().parent / "published"
SCENARIOS = "scenarios/papers"
ALL = "all"
ROW_KEYS = {
    "what", "unit", "in", "measure", "published", "stated", "source", "bound", "bound_from", "accept",
    "trend", "reason", "missing", "cannot",
}  # fmt: skip
WITHOUT_MEASURE = ("missing", "cannot")
RESULT_KEYS = {"title", "assumptions", "figures", "rows"}
FIGURE_KEYS = {"in", "title", "x", "lines", "panels", "measure", "kind", "links"}


@dataclass(frozen=True)
class Result:
    """A result of a paper under its id, such as D1, with rows of numbers."""

    id: str
    paper: str  # its name, such as "dsa"
    cite: str
    title: str
    assumptions: tuple[str, ...]
    figures: tuple[dict, ...]
    rows: tuple[dict, ...]

    @property
    def scenarios(self):
        """Files below scenarios/papers whose results the rows need, each once."""
        needed = [figure["in"] for figure in self.figures] + [
            name
            for row in self.rows
            if "measure" in row
            for name in measures.scenarios_of(row["measure"], row.get("in"))
        ]
        return list(dict.fromkeys(needed))


def read(folder=None):
    """The results of all papers, by id."""
    found = {}
    for path in sorted(Path(folder or FOLDER).glob("*.json")):
        for result in read_paper(path):
            if result.id in found:
                raise AnalysisError(f"{path}: {result.id} is in another file too")
            found[result.id] = result
    return found


def read_paper(path):
    content = results.parse_json(path.read_bytes(), path)
    for name, one in content["results"].items():
        pointer = f"{path}: /results/{name}"
        refuse_others(one, RESULT_KEYS, pointer)
        for index, row in enumerate(one["rows"]):
            check_row(row, f"{pointer}/rows/{index}")
        figures = one.get("figures", [])
        for index, figure in enumerate(figures):
            refuse_others(figure, FIGURE_KEYS, f"{pointer}/figures/{index}")
        yield Result(
            name, path.stem, content["cite"], one["title"], tuple(one["assumptions"]),
            tuple(figures), tuple(one["rows"]),
        )


def check_row(row, pointer):
    refuse_others(row, ROW_KEYS, pointer)
    if len({"measure", *WITHOUT_MEASURE} & set(row)) != 1:
        raise AnalysisError(
            f"{pointer}: allowed: `measure`, or why there is none: `missing`, so far, or `cannot`, for "
            "ever"
        )
    if "measure" in row:
        measures.check(row["measure"], f"{pointer}/measure")
        if not isinstance(row["measure"], dict):
            raise AnalysisError(f"{pointer}/measure: a number measures nothing")
    if "published" in row and "source" not in row:
        raise AnalysisError(f"{pointer}: `published` without its `source`")
    if "bound" in row and "bound_from" not in row:
        raise AnalysisError(f"{pointer}: `bound` without `bound_from`, how it follows")
    for key in ("accept", "trend"):
        if key in row:
            check_demand(row, row[key], f"{pointer}/{key}")


def check_demand(row, demand, pointer):
    kinds = [kind for kind in verdicts.KINDS if kind in demand]
    if len(kinds) != 1:
        raise AnalysisError(f"{pointer}: allowed: one of {', '.join(verdicts.KINDS)}")
    needs = kinds[0] in verdicts.OF_A_NUMBER
    if needs != ("of" in demand) or (needs and row.get(demand["of"]) is None):
        raise AnalysisError(f"{pointer}: allowed: `of`, what the row has, with {kinds[0]} alone")


def refuse_others(content, allowed, pointer):
    others = sorted(set(content) - allowed)
    if others:
        raise AnalysisError(f"{pointer}: found {others[0]}; allowed: {', '.join(sorted(allowed))}")


def names_of(results, texts):
    """The names, ids, papers or all, that a user means, whatever their case; each once."""
    names = [ALL, *sorted({result.paper for result in results.values()}), *results]
    by_text = {name.lower(): name for name in names}
    for text in texts:
        if text.lower() not in by_text:
            raise AnalysisError(f'found "{text}"; allowed: {", ".join(names)}')
    return list(dict.fromkeys(by_text[text.lower()] for text in texts))


def chosen(results, names):
    """The results that names stand for, each once."""
    ids = dict.fromkeys(
        one.id for name in names for one in results.values() if name in (one.id, one.paper, ALL)
    )
    return [results[one] for one in ids]


def list_of(results):
    """Ids with their titles, in lines for a terminal."""
    width = max(map(len, results))
    return "\n".join(f"{one.id:{width}}  {one.paper}: {one.title}" for one in results.values())
