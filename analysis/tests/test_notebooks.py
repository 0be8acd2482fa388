# SPDX-License-Identifier: BSD-3-Clause
"""The notebooks in analysis/examples run as they are, and are kept without output."""

import os
from pathlib import Path

import pytest

nbformat = pytest.importorskip("nbformat", reason="python3-nbclient is not installed")
nbclient = pytest.importorskip("nbclient", reason="python3-nbclient is not installed")
pytest.importorskip("ipykernel", reason="python3-ipykernel is not installed")

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = sorted((ROOT / "analysis" / "examples").glob("*.ipynb"))
FIGURES = {"own_scenario": 2, "switch_memory": 2}
PATIENCE_S = 600
NAMES = {"ids": lambda path: path.stem}


@pytest.fixture
def own_home(tmp_path, monkeypatch):
    """Folders in which Jupyter and IPython write and find nothing of the user's."""
    for variable in ("HOME", "IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR"):
        (tmp_path / variable).mkdir()
        monkeypatch.setenv(variable, str(tmp_path / variable))
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "analysis"))
    monkeypatch.setenv("PYDEVD_DISABLE_FILE_VALIDATION", "1")  # a warning on standard error
    monkeypatch.delenv("MPLBACKEND", raising=False)
    monkeypatch.chdir(tmp_path)


def test_every_notebook_is_run_here():
    assert [path.stem for path in NOTEBOOKS] == list(FIGURES)


@pytest.mark.parametrize("path", NOTEBOOKS, **NAMES)
def test_a_notebook_is_kept_without_output_and_names_its_licence(path):
    notebook = nbformat.read(path, 4)
    nbformat.validate(notebook)
    assert notebook.cells[0].source.startswith("<!-- SPDX-License-Identifier: BSD-3-Clause -->\n")
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert [(cell.outputs, cell.execution_count) for cell in code] == [([], None)] * len(code)


@pytest.mark.parametrize("path", NOTEBOOKS, **NAMES)
def test_a_notebook_runs_and_shows_each_figure_once(own_home, path):
    notebook = nbformat.read(path, 4)
    nbclient.NotebookClient(notebook, timeout=PATIENCE_S, kernel_name="python3").execute(env=os.environ)
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    figures = [output for output in outputs if "image/png" in output.get("data", {})]
    assert len(figures) == FIGURES[path.stem]
    bars = [output.text for output in outputs if output.output_type == "stream" and output.name == "stderr"]
    assert any("runs, " in text for text in bars)
    assert not any("Warning" in text or "Error" in text for text in bars)
