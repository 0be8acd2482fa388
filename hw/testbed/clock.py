# SPDX-License-Identifier: BSD-3-Clause
"""The monotonic clock of another machine, compared with this machine's."""


class Clock:
    """The offset of a machine's monotonic clock from this machine's. `error_ns`: its bound."""

    def __init__(self, offset_ns, error_ns, at_ns):
        self.offset_ns = offset_ns
        self.error_ns = error_ns
        self.at_ns = at_ns

    @classmethod
    def of(cls, pongs):
        sent, there, received = min(pongs, key=lambda one: one[2] - one[0])
        middle = (sent + received) // 2
        return cls(there - middle, (received - sent + 1) // 2, middle)

    def drift_since(self, before):
        """(drift, its error) in parts per million."""
        elapsed = max(self.at_ns - before.at_ns, 1)
        drift = (self.offset_ns - before.offset_ns) / elapsed * 1e6
        return drift, (self.error_ns + before.error_ns) / elapsed * 1e6
