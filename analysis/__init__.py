# SPDX-License-Identifier: BSD-3-Clause
"""Figures, comparisons and tables of result folders; see analysis/README.md."""
