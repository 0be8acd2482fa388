# SPDX-License-Identifier: BSD-3-Clause
"""The command sensitivity."""

import argparse
from pathlib import Path

from analysis import json_option
from analysis.printing import note, print_result
from analysis.results import AnalysisError
from analysis.sensitivity import findings, noted, outcomes, ranges, scenario, settings, simulator
from hw.commands import statuses
from hw.files import output

COMMAND = "sensitivity"
MOST_TRAJECTORIES = 1000


def add_sensitivity(command):
    command.add_argument("file", metavar="FILE", help="scenario that sweeps nothing except variants or systems")
    command.add_argument(
        "--keys", metavar="KEY[=LOW..HIGH][,...]", action="append", default=[],
        help=f"keys to change; a key needs a range unless {ranges.FILE.name} has one (default: all keys of that file)",
    )
    command.add_argument(
        "--set", metavar="/KEY=VALUE", action="append", default=[],
        help="set a key; a swept key is then no longer swept (several times)",
    )
    command.add_argument("--seeds", metavar="1-5", help="seeds to use instead of those of the scenario")
    command.add_argument(
        "--trajectories", metavar="N", type=trajectories, default=4,
        help="number of trajectories of the Morris screening; 0: no screening (default: %(default)s)",
    )
    command.add_argument(
        "--morris-seed", metavar="N", type=int, default=1, help="seed of the trajectories (default: %(default)s)"
    )
    command.add_argument("--parallel", metavar="N", help="number of parallel runs (default: the number of processors)")
    command.add_argument(
        "--out", metavar="DIR", default="results",
        help=f"parent folder of the experiment's result folder, which will contain {noted.FOLDER}/ (default: %(default)s)",
    )
    command.add_argument("--replace", action="store_true", help="repeat runs that another build made, as in ina run")
    command.add_argument(
        "--estimate", action="store_true", help="only print the number of runs and their approximate time; run nothing"
    )
    json_option.add_to(command, "the findings")
    command.add_argument("--program", required=True, help=argparse.SUPPRESS)  # the simulator
    command.set_defaults(command=run_sensitivity)


def trajectories(text):
    if text.isascii() and text.isdecimal() and int(text) <= MOST_TRAJECTORIES:
        return int(text)
    raise argparse.ArgumentTypeError(f'found "{text}"; allowed: a whole number from 0 to {MOST_TRAJECTORIES}')


def run_sensitivity(options):
    json_option.check(options, COMMAND)
    chosen = ranges.chosen(options.keys)
    given = [f"--set={one}" for one in options.set]
    given += [] if options.seeds is None else [f"--seeds={options.seeds}"]
    ina = simulator.Simulator(options.program, options.file, tuple(given))
    name = ina.own().name
    point = scenario.read(options.file, options.set)
    point.check_point()
    plan = Plan.of(ina, point, chosen, options)
    print_result(options, plan.text(name))
    for why, keys in plan.reasons.items():
        note(f"skipped: {', '.join(keys)}: {why}")
    if options.estimate:
        print_result(options, plan.estimate_text(ina.estimate()))
        return 0
    out = output.made_folder("--out", Path(options.out) / name / noted.FOLDER)
    check_outputs(out)
    forwarded = [] if options.parallel is None else ["--parallel", options.parallel]
    status, failed = ina.run(plan.settings, out, forwarded + ["--replace"] * options.replace)
    if status not in (0, statuses.FAILED_RUN):
        return status
    write(options, out, *results_of(plan, point, name, options, out, failed))
    return status


class Plan:
    """The planned runs: `changes` and `screening` of keys, without those in `skipped`."""

    def __init__(self, changes, screening, skipped, runs, seed):
        self.changes, self.screening, self.skipped, self.seed = changes, screening, skipped, seed
        self.runs = runs  # {Setting: number of runs}

    @staticmethod
    def of(ina, point, chosen, options):
        skipped = {key: why for key in chosen if (why := point.why_unused(key))}
        changes, refused, runs = accepted(ina, point, [one for key, one in chosen.items() if key not in skipped])
        skipped |= refused
        if not changes:
            reasons = "; ".join(f"{key}: {why}" for key, why in skipped.items())
            raise AnalysisError(f"--keys: no key to change: {reasons}")
        used = {one.range.key: one.range for one in changes}
        screening = settings.screening_of(used, options.trajectories, options.morris_seed)
        new = [one for one in dict.fromkeys(screening.settings.values()) if one not in runs]
        runs |= {setting: one.runs for setting, one in zip(new, ina.check_all(new)) if not one.refusal}
        return Plan(changes, screening, skipped, runs, options.morris_seed)

    @property
    def settings(self):
        return list(self.runs)

    @property
    def reasons(self):
        """{reason: keys that are skipped for it}"""
        found = {}
        for key, why in self.skipped.items():
            found.setdefault(why, []).append(key)
        return found

    @property
    def count(self):
        return sum(self.runs.values())

    def text(self, name):
        each = self.runs[settings.AT_POINT]
        text = (
            f"{name}: {self.count} runs: {len(self.runs)} settings of {each} runs each, of "
            f"{counted(len(self.changes), 'key')}, one at a time"
        )
        paths = counted(self.trajectories, "trajectory", "trajectories")
        return f"{text} and in {paths} (seed {self.seed})" if self.trajectories else text

    @property
    def trajectories(self):
        return len(self.screening.steps) // len(self.changes)

    def estimate_text(self, estimate):
        """`estimate`: the simulator's estimate for the point."""
        each = simulator.seconds_of(estimate)
        factor = self.count / self.runs[settings.AT_POINT]
        lines = [f"the point: {estimate}"]
        if each is not None:
            lines.append(f"all settings: about {duration(each * factor)}, if each setting takes as long as the unchanged scenario")
        return "\n".join(lines)


def accepted(ina, point, wanted):
    """(changes, {key: why it was rejected}, {Setting: runs}), the point first."""
    changes = [settings.change_of(one, point) for one in wanted]
    distinct = list(dict.fromkeys([settings.AT_POINT, *(one for change in changes for one in change.settings)]))
    checked = dict(zip(distinct, ina.check_all(distinct)))
    kept, refused = [], {}
    for change in changes:
        whys = [checked[setting].refusal for setting in change.settings if checked[setting].refusal]
        if whys:
            refused[change.range.key] = whys[0]
        else:
            kept.append(change)
    used = {settings.AT_POINT, *(one for change in kept for one in change.settings)}
    return kept, refused, {one: checked[one].runs for one in distinct if one in used}


def counted(number, one, several=""):
    return f"{number} {one if number == 1 else several or f'{one}s'}"


def duration(seconds):
    for unit, size in (("h", 3600), ("min", 60)):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds:.0f} s"


def results_of(plan, point, name, options, out, failed):
    """(Findings, pages of the figure)"""
    from analysis.sensitivity import tornado  # it loads matplotlib, which --estimate does not need

    reads = {one.name: simulator.read(out, one) for one in plan.settings if one.name not in failed}
    jcts = {key: outcomes.jcts_of(read) for key, read in reads.items() if read is not None}
    at_point = reads.get(settings.POINT)
    if at_point is None:
        raise AnalysisError(f"{options.file}: the unchanged scenario failed; allowed: a scenario whose runs succeed")
    found = findings.of(
        name,
        {"file": options.file, "set": list(options.set), "seeds": [int(seed) for seed in at_point.seeds]},
        at_point.manifest.get("build", {}), plan.changes, plan.skipped, failed,
        (plan.screening, plan.seed, plan.trajectories),
        jcts, outcomes.subjects_of(point.systems, outcomes.baseline_of(at_point)),
        lambda key: own_text(point, key),
    )  # fmt: skip
    return found, tornado.draw(found.rows)


def own_text(point, key):
    value = point.value(key)
    return "its own value" if value is None else ranges.text_of(value)


def files_of(out):
    """{path: mark} of the outputs that have one."""
    return {
        out / noted.FILE: noted.WRITER, out / noted.PAGE: output.HTML,
        **{out / f"tornado.{suffix}": suffix for suffix in output.FIGURES},
    }  # fmt: skip


def check_outputs(out):
    for path, mark in files_of(out).items():
        output.check(COMMAND, path, mark)


def write(options, out, found, pages):
    from analysis.kinds import figure_files
    from analysis.sensitivity import page

    images = figure_files.rendered(pages, output.FIGURES, "")
    contents = {out / noted.PAGE: (output.HTML, page.page(found, images[output.PNG]).encode())}
    for suffix, files in images.items():
        for index, content in enumerate(files):
            contents[figure_files.path_of(out, "tornado", index, suffix)] = (suffix, content)
    figure_files.remove_further_pages(out, contents, ["tornado"], output.FIGURES)
    output.put({out / file: content for file, content in found.tables().items()})
    output.write(COMMAND, contents)
    output.write_json(COMMAND, out / noted.FILE, noted.WRITER, found.to_json())
    json_option.write(options, COMMAND, found.to_json())
    print_result(options, "\n".join([*findings.texts_of(found), str(out / noted.PAGE)]))
