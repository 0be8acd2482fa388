# SPDX-License-Identifier: BSD-3-Clause
"""Runs compiled P4 programs on the vendor's model of Tofino 1."""
