#! /usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only

# In an ns-3 tree, where this repository is contrib/ina, test.py reads this file.

# A list of C++ examples to run in order to ensure that they remain
# buildable and runnable over time.  Each tuple in the list contains
#
#     (example_name, do_run, do_valgrind_run, fullness).
#
# See test.py for more information.
cpp_examples = [
    ("ina-network-example", "True", "True", "QUICK"),
    ("ina-hosts-example", "True", "True", "QUICK"),
    ("ina-traffic-example", "True", "True", "QUICK"),
    ("ina-cluster-example", "True", "True", "QUICK"),
    ("ina-consumer", "True", "True", "QUICK"),
]

# A list of Python examples to run in order to ensure that they remain
# runnable over time.  The module has none, since it has no Python bindings.
python_examples = []
