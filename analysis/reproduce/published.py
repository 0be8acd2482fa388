# SPDX-License-Identifier: BSD-3-Clause
"""Published results, as described in published/: value, source, and how it is measured here.

Keys of a row:
- `what`, `unit`: name of the compared quantity, and the unit in which it is shown
- `in`, `measure`: the scenario, and the measure of its results (measures.py)
- `readings`: choices in place of `measure`, all of which are shown
- `also`: choices next to `measure`, shown if their verdict differs from that of `measure`
- `published`, `source`: the number that the paper prints, or its two ends, and its place
- `stated`: the paper's words, which are shown
- `reads_as`: a number for words without one
- `bound`, `bound_from`: the result of arithmetic, and its derivation
- `accept`, `trend`: accepted range, either `within` a share, `points` or a `factor` `of`
  `published`, `reads_as` or `bound`; or `at_least`, `at_most` or `above` a number
- `agrees`: the condition of the paper's words, if `accept` refers to the bound (default: the same)
- `tuned`: the setting that was chosen because it fits
- `reason`: why the row has its verdict
- `missing`, `cannot`: instead of a measure, why there is none yet, or never

A choice has `choice`, `measure` and, if they differ, `in`, `bound`, `bound_from`, `reason` and `tuned`.
Its other keys are those of the row. The verdict of a row covers its measure and all of its choices,
except choices that are `contrary` to what the paper states. Their key has that statement. They are
shown for comparison.
"""

from dataclasses import dataclass
from pathlib import Path

from analysis import results
from analysis.reproduce import measures, verdicts
from analysis.results import AnalysisError

FOLDER = Path(__file__).resolve().parent / "published"
SCENARIOS = "scenarios/papers"
ALL = "all"
MEASURED_KEYS = {"in", "measure", "bound", "bound_from", "reason"}  # of a row, or of a choice in it
ROW_KEYS = MEASURED_KEYS | {
    "what", "unit", "published", "stated", "reads_as", "source", "accept", "agrees", "trend", "tuned",
    "readings", "also", "missing", "cannot",
}  # fmt: skip
CHOICE_KEYS = MEASURED_KEYS | {"choice", "contrary", "tuned"}
MEASURED = ("measure", "readings")
WITHOUT_MEASURE = ("missing", "cannot")
RESULT_KEYS = {"title", "assumptions", "figures", "rows", "explores"}
FIGURE_KEYS = {"in", "title", "x", "lines", "panels", "measure", "kind", "links"}


@dataclass(frozen=True)
class Result:
    """A result of a paper with its id, such as D1, and rows of numbers."""

    id: str
    paper: str  # name, such as "dsa"
    cite: str
    title: str
    assumptions: tuple[str, ...]
    figures: tuple[dict, ...]
    rows: tuple[dict, ...]
    explores: str | None = None  # the result whose numbers its rows repeat with other choices

    @property
    def scenarios(self):
        """Files below scenarios/papers whose results the rows need, each once."""
        needed = [figure["in"] for figure in self.figures] + [
            name
            for row in self.rows
            for measured in measured_in(row)
            for name in measures.scenarios_of(measured["measure"], measured.get("in"))
        ]
        return list(dict.fromkeys(needed))


def measured_in(row):
    """The measured parts of a row, each with its `measure` and `in`: the row itself, or its choices."""
    own = [row] if "measure" in row else []
    return own + [of_choice(row, one) for key in ("readings", "also") for one in row.get(key, [])]


def of_choice(row, choice):
    """The row with this choice as its only one."""
    kept = {key: value for key, value in row.items() if key not in ("readings", "also", "reason")}
    return kept | choice | {"is_tuned_alone": "tuned" in choice}


def default_of(row, choice):
    """The row's own measure as one of its choices."""
    return of_choice(row, {key: row[key] for key in MEASURED_KEYS & set(row)} | {"choice": choice})


def without_measure(row):
    """The part of a row that all of its choices share."""
    return {key: value for key, value in row.items() if key not in MEASURED_KEYS}


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
        if "explores" in one and one["explores"] not in content["results"]:
            raise AnalysisError(f"{pointer}/explores: allowed: a result of this file")
        for index, row in enumerate(one["rows"]):
            check_row(row, f"{pointer}/rows/{index}")
        figures = one.get("figures", [])
        for index, figure in enumerate(figures):
            refuse_others(figure, FIGURE_KEYS, f"{pointer}/figures/{index}")
        yield Result(
            name, path.stem, content["cite"], one["title"], tuple(one["assumptions"]),
            tuple(figures), tuple(one["rows"]), one.get("explores"),
        )


def check_row(row, pointer):
    refuse_others(row, ROW_KEYS, pointer)
    if len({*MEASURED, *WITHOUT_MEASURE} & set(row)) != 1:
        raise AnalysisError(
            f"{pointer}: allowed: `measure` or `readings`, or why there is none: `missing`, so far, or "
            "`cannot`, for ever"
        )
    check_choices(row, pointer)
    check_published(row, pointer)
    for measured in measured_in(row):
        check_measured(measured, f"{pointer}/{measured.get('choice', 'measure')}")
        for key in ("accept", "agrees", "trend"):
            if key in measured:
                check_demand(measured, measured[key], f"{pointer}/{key}")


def check_choices(row, pointer):
    """Checks the choices: readings are alternatives, hence at least two; `also` needs a measure."""
    for key, least in (("readings", 2), ("also", 1)):
        if key in row and len(row[key]) < least:
            raise AnalysisError(f"{pointer}/{key}: allowed: at least {least}")
        for index, choice in enumerate(row.get(key, [])):
            refuse_others(choice, CHOICE_KEYS, f"{pointer}/{key}/{index}")
            if not {"choice", "measure"} <= set(choice):
                raise AnalysisError(f"{pointer}/{key}/{index}: allowed: with `choice` and `measure`")
        if key in row and all("contrary" in choice for choice in row[key]) and "measure" not in row:
            raise AnalysisError(f"{pointer}/{key}: allowed: at least one choice that is not `contrary`")
    if "also" in row and "measure" not in row:
        raise AnalysisError(f"{pointer}: `also` without the `measure` that it is compared with")


def check_measured(measured, place):
    measures.check(measured["measure"], place)
    if not isinstance(measured["measure"], dict):
        raise AnalysisError(f"{place}: a number measures nothing")
    if "bound" in measured and "bound_from" not in measured:
        raise AnalysisError(f"{place}: `bound` without `bound_from`, how it follows")


def check_published(row, pointer):
    """Checks that a row counts as printed only if the paper prints the number."""
    if "published" in row and "source" not in row:
        raise AnalysisError(f"{pointer}: `published` without its `source`")
    if "published" in row and not any(map(str.isdigit, row.get("stated", "0"))):
        raise AnalysisError(f"{pointer}: `stated` without a number; allowed: `reads_as` for `published`")
    if "reads_as" in row and ("published" in row or "stated" not in row):
        raise AnalysisError(f"{pointer}: allowed: `reads_as`, a number for words, with `stated` alone")
    if "trend" in row and "published" not in row:
        raise AnalysisError(f"{pointer}: `trend` without `published`; allowed: words as `accept`")
    if "agrees" in row and row.get("accept", {}).get("of") != "bound":
        raise AnalysisError(f"{pointer}: allowed: `agrees` where `accept` is of the bound")


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
    """The names, ids, papers or all, that the user's words denote in any case, each once."""
    names = [ALL, *sorted({result.paper for result in results.values()}), *results]
    by_text = {name.lower(): name for name in names}
    for text in texts:
        if text.lower() not in by_text:
            raise AnalysisError(f'found "{text}"; allowed: {", ".join(names)}')
    return list(dict.fromkeys(by_text[text.lower()] for text in texts))


def chosen(results, names):
    """The results that the names denote, each once."""
    ids = dict.fromkeys(
        one.id for name in names for one in results.values() if name in (one.id, one.paper, ALL)
    )
    return [results[one] for one in ids]


def list_of(results):
    """Ids with their titles, in lines for a terminal."""
    width = max(map(len, results))
    return "\n".join(f"{one.id:{width}}  {one.paper}: {one.title}" for one in results.values())
