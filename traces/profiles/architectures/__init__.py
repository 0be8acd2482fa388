# SPDX-License-Identifier: BSD-3-Clause
"""Published architectures as lists of layers, front to back."""
