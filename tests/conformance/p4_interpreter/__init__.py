# SPDX-License-Identifier: BSD-3-Clause
"""Executes the P4 programs of hw/p4, as text, on an idea of a Tofino: see README.md."""
