# SPDX-License-Identifier: BSD-3-Clause
"""`plot FILE --kind gantt`: charts of files of `ina trace`."""

import json

import pytest
from matplotlib.collections import PolyCollection

from analysis import time_line
from analysis.__main__ import main
from analysis.kinds import gantt

COMPUTE, COMMUNICATION = 1, 2


def names(jobs, workers):
    for pid, (job, worker) in enumerate((j, w) for j in range(jobs) for w in range(workers)):
        name = f"job {job} (dnn-a) worker {worker}"
        yield {"ph": "M", "name": "process_name", "pid": pid, "tid": 0, "args": {"name": name}}
    yield {"ph": "M", "name": "process_name", "pid": 99, "tid": 0, "args": {"name": "switch"}}


def computes(pid, what, begin, duration):
    return {"ph": "X", "name": what, "pid": pid, "tid": COMPUTE, "ts": begin, "dur": duration}


def waits(pid, layer, partition, begin, end):
    event = {
        "name": f"layer {layer}, partition {partition}", "pid": pid, "tid": COMMUNICATION,
        "id": 1000 * pid + 100 * layer + partition,
    }  # fmt: skip
    return [event | {"ph": "b", "ts": begin}, event | {"ph": "e", "ts": end}]


def trace(path, events, jobs=1, workers=1):
    events = sorted(events, key=lambda event: event["ts"])
    path.write_text(json.dumps({"written_by": "ina trace", "traceEvents": [*names(jobs, workers), *events]}))
    return path


@pytest.fixture
def file(tmp_path):
    """A worker computes for 3 ms, including 1 ms while it waits, and waits 3 ms for two partitions."""
    events = [
        computes(0, "backward, layer 2", 0, 1000), computes(0, "backward, layer 1", 1000, 1000),
        *waits(0, 2, 1, 1000, 3000), *waits(0, 1, 1, 2000, 4000),
        computes(0, "forward, layer 1", 4000, 1000),
        {"ph": "X", "name": "job 0", "pid": 99, "tid": 7, "ts": 100, "dur": 9000},
        {"ph": "C", "name": "aggregators of job 0", "pid": 99, "tid": 0, "ts": 100, "args": {"in use": 1}},
    ]
    return trace(tmp_path / "small.trace.json", events)


def chart(file, only=()):
    spans = gantt.read(time_line.read(file), only)
    return spans, list(gantt.draw_spans(spans))


def legend(figure):
    return [text.get_text() for text in figure.legends[0].get_texts()]


def test_the_chart_stands_beside_the_file_as_png_and_pdf(file, capsys):
    for _ in range(2):
        assert main(["plot", str(file), "--kind", "gantt"]) == 0
    folder = file.parent
    assert sorted(path.name for path in folder.iterdir()) == [
        "small.gantt.pdf", "small.gantt.png", "small.trace.json",
    ]  # fmt: skip
    assert capsys.readouterr().out == f"{folder}/small.gantt.png\n" * 2


def test_each_span_of_a_worker_is_a_bar_at_its_time(file):
    spans, (figure,) = chart(file)
    (bars,) = (one for one in figure.axes[0].collections if isinstance(one, PolyCollection))
    ends = sorted((path.vertices[:, 0].min(), path.vertices[:, 0].max()) for path in bars.get_paths())
    assert ends == [pytest.approx(one) for one in [(0, 1), (1, 2), (1, 3), (2, 4), (4, 5)]]
    assert legend(figure) == ["Forward", "Backward", "Layer 1", "Layer 2"]


def test_the_front_layer_is_above_and_no_bar_covers_another(file):
    spans, (figure,) = chart(file)
    lanes = spans[spans["what"] == gantt.COMMUNICATION].set_index("layer")["lane"]
    assert lanes.to_dict() == {1: 0, 2: 1}
    boxes = [path.get_extents() for path in figure.axes[0].collections[0].get_paths()]
    for index, one in enumerate(boxes):
        for other in boxes[:index]:
            width = min(one.x1, other.x1) - max(one.x0, other.x0)
            height = min(one.y1, other.y1) - max(one.y0, other.y0)
            assert width < 1e-9 or height < 1e-9


def test_the_numbers_say_how_much_of_the_waiting_computation_hides(file):
    numbers = file.parent / "numbers.json"
    assert main(["plot", str(file), "--kind", "gantt", "--json", str(numbers)]) == 0
    (worker,) = json.loads(numbers.read_text())["workers"]
    assert worker == {
        "job": "0", "worker": "0", "compute_ms": 3, "communication_ms": 3, "communication_alone_ms": 2,
    }  # fmt: skip


def test_many_layers_have_a_colour_bar(tmp_path):
    events = [one for layer in range(50) for one in waits(0, layer, layer, 100 - layer, 200 + layer)]
    _, (figure,) = chart(trace(tmp_path / "deep.json", events))
    assert [axes.get_ylabel() for axes in figure.axes][1] == "Layer whose results are waited for"
    assert not figure.legends


def test_there_is_a_panel_for_each_job_and_a_page_for_so_many_workers(tmp_path):
    events = [computes(pid, "forward, layer 1", 0, 10) for pid in range(40)]
    file = trace(tmp_path / "wide.json", events, jobs=2, workers=20)
    spans, pages = chart(file)
    titles = [[axes.get_title() for axes in page.axes] for page in pages]
    assert titles == [["Job 0 (dnn-a)", "Job 1 (dnn-a)"], ["Job 1 (dnn-a)"]]
    _, (page,) = chart(file, ["job=1", "worker=19", "worker=3"])
    assert [label.get_text() for label in page.axes[0].get_yticklabels()] == ["3", "19"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--only", "job=7"], "--only: found \"job=7\"; allowed: job= one of 0"),
        (["--only", "seed=1"], "allowed: KEY=VALUE, with one of job, worker"),
        (["--lines", "job"], "--lines: found with --kind gantt"),
    ],
)
def test_what_is_not_there_is_refused(file, capsys, options, said):
    assert main(["plot", str(file), "--kind", "gantt", *options]) == 2
    out, line = capsys.readouterr()
    assert said in line and out == "" and line.count("\n") == 1
    assert len(list(file.parent.iterdir())) == 1


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("[]", "not a time line; allowed: a file of ina trace"),
        ('{"traceEvents": []}', "no worker computes or waits in this file; allowed: a longer window"),
    ],
)
def test_what_is_no_time_line_of_workers_is_refused(tmp_path, capsys, content, said):
    file = tmp_path / "other.json"
    file.write_text(content)
    assert main(["plot", str(file), "--kind", "gantt"]) == 2
    assert said in capsys.readouterr().err
    assert main(["plot", str(tmp_path / "none.json"), "--kind", "gantt"]) == 2
    assert main(["plot", str(tmp_path), "--kind", "gantt"]) == 2
