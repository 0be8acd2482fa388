# SPDX-License-Identifier: BSD-3-Clause
"""Forwards the output of commands line by line, with a prefix, so that their lines never mix."""

import array
import fcntl
import os
import re
import termios

READ_BYTES = 2**16

# A carriage return alone redraws a line, as progress bars do. At the end of the bytes read so far, it
# may still be the first half of a CRLF.
LINE_END = re.compile(rb"\r?\n|\r(?=[^\n])")


class LineOutput:
    """Copies a pipe to the descriptor `target`. Bytes are not changed, except that a last line
    without an end gets one."""

    def __init__(self, pipe, prefix, target):
        self.pipe = pipe
        os.set_blocking(pipe.fileno(), False)
        self.prefix = prefix
        self.target = target
        self.unfinished = []  # parts of an unfinished line

    def copy(self):
        """Copies some bytes if there are any. Returns whether more may come."""
        try:
            data = os.read(self.pipe.fileno(), READ_BYTES)
        except BlockingIOError:
            return True
        self.take(data)
        return data != b""

    def copy_waiting(self):
        """Copies the current contents of the pipe, however fast others write to it."""
        waiting = array.array("i", [0])
        fcntl.ioctl(self.pipe, termios.FIONREAD, waiting)
        left = waiting[0]
        while left:
            data = os.read(self.pipe.fileno(), min(left, READ_BYTES))
            left -= len(data)
            self.take(data)

    def close(self):
        """Copies the rest, and closes the pipe."""
        with self.pipe:
            self.copy_waiting()
            if line := b"".join(self.unfinished):
                self.write(line if line.endswith(b"\r") else line + b"\n")

    def take(self, data):
        ends = b"\n" in data or b"\r" in data
        held_back = self.unfinished and self.unfinished[-1].endswith(b"\r")
        self.unfinished.append(data)
        if not ends and not held_back:  # a long line is joined only once
            return
        text = b"".join(self.unfinished)
        begin, lines = 0, []
        for end in LINE_END.finditer(text):
            lines.append(text[begin : end.end()])
            begin = end.end()
        self.unfinished = [text[begin:]]
        self.write(*lines)

    def write(self, *lines):
        left = memoryview(b"".join(self.prefix + line for line in lines))
        while left:
            left = left[os.write(self.target, left) :]
