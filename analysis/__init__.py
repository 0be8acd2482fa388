# SPDX-License-Identifier: BSD-3-Clause
"""Figures and comparisons of result folders; see analysis/README.md."""
