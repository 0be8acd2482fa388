# SPDX-License-Identifier: BSD-3-Clause
import signal
import sys
import types
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[4]))  # for hw.p4, hw.commands

from hw.p4.control.tests.fake_bfrt import Fake  # noqa: E402


@pytest.fixture
def fake(monkeypatch):
    fake = Fake()
    package = types.ModuleType("bfrt_grpc")
    package.client = fake
    monkeypatch.setitem(sys.modules, "bfrt_grpc", package)
    monkeypatch.setitem(sys.modules, "bfrt_grpc.client", fake)
    return fake


@pytest.fixture(autouse=True)
def handlers():
    """Restores the signal handlers, because the command sets its own."""
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = {number: signal.getsignal(number) for number in numbers}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)
