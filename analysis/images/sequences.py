# SPDX-License-Identifier: BSD-3-Clause
"""Draws time lines of `ina trace --frames` as sequence diagrams, and writes what they show as JSON.

    python3 -m analysis.images.sequences FOLDER TRACE...

FOLDER gets sequence-NAME.png for each NAME.trace.json, and sequences.json with the messages of all of them.
"""

import json
import sys
from collections import defaultdict, deque
from dataclasses import asdict, dataclass
from pathlib import Path

from analysis import time_line

COLLISION, SECOND_LEVEL, PARTIAL = 4, 8, 64  # flags of frames: hw/protocol/wire/frame.hpp
LONGEST_GAP_US = 3.0  # longer times without any event are cut to this
JOB_COLOURS = ("#0072B2", "#D55E00")
INCHES_PER_LINE = 1.25
INCHES_PER_US = 0.2


@dataclass(frozen=True)
class Message:
    """A frame on one link, times in microseconds."""

    job: int
    text: str
    sender: str
    receiver: str
    sent_us: float
    arrived_us: float


@dataclass(frozen=True)
class Occupation:
    """A task's hold of an aggregator, times in microseconds."""

    job: int
    text: str
    from_us: float
    until_us: float


def messages_of(line):
    """The frames of a time line. Frames of one kind on one link arrive in the order in which they were sent."""
    under_way = defaultdict(deque)
    for event in sorted(line.events, key=lambda event: (event["ts"], event["name"].endswith("sent"))):
        kind, _, what = event["name"].rpartition(" ")
        link = line.threads.get((event["pid"], event["tid"]), "")
        if what == "sent":
            under_way[link, kind].append(event)
        elif what == "arrived":
            sent = under_way[link, kind].popleft()
            sender, _, receiver = link.partition(">")
            yield Message(sent["args"]["job"], text_of(kind, sent["args"]), sender, receiver, sent["ts"], event["ts"])


def text_of(kind, fields):
    flags = fields["flags"]
    if kind == "gradient" and flags & PARTIAL:
        kind = "partial sum"
    elif kind == "gradient" and flags & SECOND_LEVEL and not flags & COLLISION:
        kind = "sum"
    return f"{kind} {fields['psn']}"


def occupations_of(line):
    for event in line.events:
        if event["ph"] == "X" and "ended" in event["args"]:
            job = int(event["name"].removeprefix("job "))
            text = f"{event['args']['psn']}: {event['args']['ended']}"
            yield Occupation(job, text, event["ts"], event["ts"] + event["dur"])


def position_of(messages, occupations):
    """A function from a time to its position, in microseconds without the long gaps, and the times of events."""
    times = sorted(
        {time for one in messages for time in (one.sent_us, one.arrived_us)}
        | {time for one in occupations for time in (one.from_us, one.until_us)}
    )
    positions = {times[0]: 0.0}
    for before, time in zip(times, times[1:]):
        positions[time] = positions[before] + min(time - before, LONGEST_GAP_US)
    cuts = [(before, time) for before, time in zip(times, times[1:]) if time - before > LONGEST_GAP_US]
    return positions, cuts


def life_lines(ends, messages):
    """One job: hosts to the left of the switch, servers to the right. Two jobs: one at each side."""
    job_of = {name: one.job for one in messages for name in (one.sender, one.receiver) if name != "switch"}
    if len(set(job_of.values())) == 1:
        left = [name for name in ends if name.startswith("host")]
    else:  # the job of an idle server is the number of the server
        job_of |= {name: int(name.removeprefix("ps")) for name in ends - set(job_of)}
        left = [name for name in ends if job_of[name] == 0]
    left.sort(key=lambda name: (name.startswith("host") and len(set(job_of.values())) > 1, name))
    return [*left, "switch", *sorted(ends - set(left))], job_of


def draw(ends, messages, occupations, file):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    positions, cuts = position_of(messages, occupations)
    names, job_of = life_lines(ends, messages)
    end = max(positions.values())
    size = (INCHES_PER_LINE * len(names) + 0.6, INCHES_PER_US * end + 0.9)
    plt.rcParams.update({"font.size": 8})
    figure, axes = plt.subplots(figsize=size, layout="constrained")
    colours = JOB_COLOURS if len(set(job_of.values())) > 1 else (JOB_COLOURS[0], "black")
    for x, name in enumerate(names):
        axes.plot([x, x], [-0.6, end + 0.8], color="0.7", linewidth=0.8, zorder=0)
        axes.text(x, -1.0, label_of(name, job_of), ha="center", va="bottom", fontweight="bold")
    switch = names.index("switch")
    for one in occupations:
        top, bottom = positions[one.from_us], positions[one.until_us]
        axes.bar(switch, max(bottom - top, 0.25), 0.09, top, color=colours[one.job], alpha=0.45, zorder=1)
    for one in messages:
        arrow(axes, names, positions, one, colours[one.job])
    for before, time in cuts:
        middle = (positions[before] + positions[time]) / 2
        axes.text(-0.45, middle, f"... {time - before:.0f} us ...", ha="right", va="center", color="0.35")
    ticks = sorted({round(position, 6): time for time, position in positions.items()}.items())
    kept = [ticks[0]]
    for tick in ticks[1:]:
        if tick[0] - kept[-1][0] > 0.75:
            kept.append(tick)
    axes.set_yticks([position for position, _ in kept], [f"{time:.1f} us" for _, time in kept])
    axes.tick_params(axis="y", length=0)
    axes.set_xticks([])
    axes.set(xlim=(-0.35, len(names) - 0.65), ylim=(end + 0.9, -1.9))
    for spine in axes.spines.values():
        spine.set_visible(False)
    figure.savefig(file, dpi=160, metadata={"Software": "INA Lab"})
    plt.close(figure)


def label_of(name, job_of):
    if name == "switch":
        return "switch"
    job = f"\njob {job_of[name]}" if len(set(job_of.values())) > 1 else ""
    return name.replace("host", "host ").replace("ps", "server ") + job


def arrow(axes, names, positions, one, colour):
    start, end = names.index(one.sender), names.index(one.receiver)
    top, bottom = positions[one.sent_us], positions[one.arrived_us]
    axes.annotate(
        "", (end, bottom), (start, top),
        arrowprops={"arrowstyle": "-|>", "color": colour, "shrinkA": 0, "shrinkB": 0, "linewidth": 1.1},
    )  # fmt: skip
    # Next to the end that is not the switch, where arrows of different hosts do not meet.
    share = 0.3 if one.sender != "switch" else 0.7
    x, y = start + share * (end - start), top + share * (bottom - top)
    axes.text(x, y - 0.12, one.text, color=colour, ha="center", va="bottom",
              bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 0.5})  # fmt: skip


def main(folder, *traces):
    shown = {}
    for file in map(Path, traces):
        line = time_line.read(file)
        name = file.name.removesuffix(".trace.json")
        messages, occupations = list(messages_of(line)), list(occupations_of(line))
        ends = {end for link in line.threads.values() for end in link.split(">") if ">" in link} - {"switch"}
        draw(ends, messages, occupations, Path(folder) / f"sequence-{name}.png")
        shown[name] = {"messages": list(map(asdict, messages)), "occupations": list(map(asdict, occupations))}
    text = json.dumps(shown, indent=1)
    (Path(folder) / "sequences.json").write_text(f"{text}\n", encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
