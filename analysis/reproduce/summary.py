# SPDX-License-Identifier: BSD-3-Clause
"""Summary of all rows: what is confirmed, what is not, and what the papers leave open.

All prose about verdicts, for the page and the Markdown tables, is here. Its numbers are counted or
read from the rows.
"""

from analysis.reproduce import reproduction, verdicts

VERDICTS = {
    verdicts.REPRODUCED: "the paper prints a number, and the mean is within the accepted range around it",
    verdicts.AS_STATED: "the paper states words or an order, and the mean agrees; for an order, the whole interval agrees",
    verdicts.TUNED: "one of the two above, or a trend, but with a setting that was chosen because it fits",
    verdicts.DEPENDS: "some lines of the row agree with the paper, others do not",
    verdicts.TREND: "no line reproduces the number, but the mean of at least one shows the trend",
    verdicts.CONTRADICTS: "the mean agrees with arithmetic, but the paper does not",
    verdicts.NOT_REPRODUCED: "no line reproduces the number",
    verdicts.UNDECIDED: "the paper states an order, but an interval includes both sides",
    verdicts.NOT_AS_STATED: "no line agrees with the words or the order",
    verdicts.AGREES: "the mean agrees with arithmetic, and no published number differs",
    verdicts.BOUND_MISSED: "nothing was published, and the mean differs from arithmetic",
    verdicts.COMPARED: "nothing was published, or the line has a setting that the paper contradicts",
    verdicts.NOT_RUN: "there are no results yet, or no scenario",
    verdicts.NOT_SIMULATED: "the simulator cannot show this result",
    reproduction.OTHER_SETUP: "--set changed the scenarios, so there is no verdict",
}
INTERVALS = (
    "A row has one verdict for all of its lines. The lines are the default, that is, the scenario as the "
    "assumptions describe it, and choices that the paper leaves open or that the simulator offers. Lines for "
    "comparison do not count for the verdict. If all lines of a row have the same verdict, the row may show "
    "only the default. If an order holds in some lines and is undecided in all others, the row is undecided. "
    "Simulated: the mean over seeds ± half of its 95 % interval (Student's t). A value without an interval "
    "has one seed, since links are equal and nothing is random. Near the edge: a part of the interval would "
    "have another verdict."
)
ATP_OVER_DSA = "ATP / DSA, 8 jobs"
DEFAULT = reproduction.DEFAULT
FINDINGS = (
    (
        "Results that depend on packets alone are confirmed: SwitchML's rate does not depend on the number of "
        "workers (S1), and aggregation at two levels divides the traffic to ATP's server by {levels} (A2). "
        "512 slots fill 100 Gbps if the round trip is at most 7.4 us; v1 does not publish it (S2).",
        {"levels": ("A2", "frames to the server, racks only / two levels", DEFAULT)},
    ),
    (
        "A benefit of DSA's priorities is not confirmed: with DNN A, always preempting takes {always} times "
        "as long as DSA's policy. The paper's two factors over ATP give 1.13 (D4).",
        {"always": ("D4", "DNN A: always preempt / DSA's priority", DEFAULT)},
    ),
    (
        "Gains of trainings that compute for longer than they communicate are not confirmed: with VGG16, "
        "ATP's speed divided by that of BytePS is {vgg}. The paper has 1.25 (A-fig8).",
        {"vgg": ("A-fig8", "VGG16: ATP's speed / BytePS's, to the same accuracy", DEFAULT)},
    ),
    (
        "Two numbers depend on the time that hosts need for a packet, and no paper prints this time. Without "
        "it, ATP aggregates {goodput} Gbps instead of 60 (A1), and is {small} times as fast as SwitchML "
        "instead of up to 1.5 (A8). A time for a packet can be derived from the 60 Gbps and from E.1's gain "
        "of 1.3. With this time ATP is {whole} times as fast if both are rates of whole packets, and {values} "
        "times if both are rates of values.",
        {
            "goodput": ("A1", "aggregation goodput, 8 workers", DEFAULT),
            "small": ("A8", "SwitchML's time / ATP's, communication alone", DEFAULT),
            "values": ("A8", "SwitchML's time / ATP's, communication alone", "hosts atp-e1-payload"),
            "whole": ("A8", "SwitchML's time / ATP's, communication alone", "hosts atp-e1-wire"),
        },
    ),
    (
        "The gain of DSA over ATP depends on the base RTT, which the paper does not define. With 8 jobs of "
        "DNN A and addresses by hash, as both papers state, the gain is {hash} if the RTT includes the server "
        "and {far} if it does not. The paper has up to 1.35 (D1). By table, as in ATP's published code, the "
        "gains are {table} and {far_table}.",
        {
            "hash": ("D1", f"DNN A: {ATP_OVER_DSA}", "by hash, base RTT through the server"),
            "table": ("D1", f"DNN A: {ATP_OVER_DSA}", "by table, base RTT through the server"),
            "far": ("D1", f"DNN A: {ATP_OVER_DSA}", "by hash, base RTT without the server"),
            "far_table": ("D1", f"DNN A: {ATP_OVER_DSA}", "by table, base RTT without the server"),
        },
    ),
    (
        "Two further choices are left open: how much of the communication overlaps with computation, and "
        "whether jobs share a server. Depending on the overlap, SwitchML trains VGG16 at {none} or {full} "
        "images/s; the paper has 454 (S7). Depending on the server, two jobs of ATP lose {apart} or {shared} "
        "% of their speed; the paper has 10 (A7).",
        {
            "none": ("S7", "VGG16, 8 workers, 10 Gbps", "no overlap"),
            "full": ("S7", "VGG16, 8 workers, 10 Gbps", "backward overlaps with sending as the layers allow"),
            "apart": ("A7", "VGG16, 3 + 3 workers: speed lost", "two servers, hash"),
            "shared": ("A7", "VGG16, 3 + 3 workers: speed lost", "one server, hash"),
        },
    ),
)


def sentences(judged):
    """At most ten findings, without those about results that were not requested or not run."""
    texts = [*counted_texts(reproduction.counted(judged)), *findings(judged), span_text(judged)]
    return [text for text in texts if text]


def counted_texts(rows):
    """Counts printed numbers and words separately, without rows for which a setting was chosen."""
    demands = [row for row in rows if "accept" in row.row]
    free = [row for row in demands if "tuned" not in row.row and row.verdict != verdicts.TUNED]
    numbers = [row.verdict for row in free if verdicts.has_number(row.row)]
    words = [row.verdict for row in free if states_words(row.row)]
    agreeing = sum(row.verdict == verdicts.AGREES for row in free)
    tuned = len(demands) - len(free)
    yield outcomes_text("published numbers", numbers)
    yield outcomes_text("published statements without a number", words)
    yield others_text(agreeing, tuned)


def states_words(row):
    """Whether the paper describes the measured quantity without printing a number."""
    is_of_bound = row["accept"].get("of") == "bound"
    return not verdicts.has_number(row) and not (is_of_bound and verdicts.demand_of_paper(row) is None)


def others_text(agreeing, tuned):
    if not agreeing and not tuned:
        return ""
    return (
        f"{agreeing} further rows agree with arithmetic, but nothing was published about them. {tuned} rows "
        "need a setting that was chosen because it fits, and therefore confirm nothing."
    )


def outcomes_text(what, found):
    """The number of rows per outcome, in the order of the verdicts."""
    known = [name for name in reproduction.VERDICTS if name in found]
    if not known:
        return ""
    parts = ", ".join(f"{found.count(name)} {name}" for name in known)
    return f"{len(found)} {what}: {parts}."


def findings(judged):
    for template, places in FINDINGS:
        values = {name: value_at(judged, *place) for name, place in places.items()}
        if None not in values.values():
            yield template.format(**values)


def value_at(judged, name, what, choice):
    for row in rows_of(judged, name):
        for one in row.shown:
            if one.row["what"] == what and one.choice == choice:
                return reproduction.number_text(one.found.mean, one.row.get("unit", ""))
    return None


def rows_of(judged, *names):
    return [row for one in judged if one.result.id in names for row in one.rows]


def span_text(judged):
    """The range of values that the choices give for one published number."""
    means = [
        one.found.mean
        for row in rows_of(judged, "D1", "D1-choices", "D1-memory")
        for one in row.shown
        if one.row["what"].removeprefix("DNN A: ").startswith(ATP_OVER_DSA)
    ]
    if len(means) < 2:
        return ""
    low, high = (reproduction.number_text(end, "") for end in (min(means), max(means)))
    return (
        f"Over all choices that were tried, DSA is {low} to {high} times as fast as ATP with 8 jobs of DNN A "
        "(D1-choices, D1-memory)."
    )
