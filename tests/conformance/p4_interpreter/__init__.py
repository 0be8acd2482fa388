# SPDX-License-Identifier: BSD-3-Clause
"""Executes the source code of the P4 programs of hw/p4 on a model of a Tofino. See README.md."""
