#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Prints a header for Doxygen. What its namespaces declare is in the group of its folder: hw-protocol for
# hw/protocol/time.hpp. The numbers of lines stay.
set -eu

path=${1#"$PWD"/}
below=${path#*/}
exec awk -v group="${path%%/*}-${below%%/*}" '
    /^}  \/\/ namespace/ { $0 = "/** @} */ " $0 }
    /^namespace .*{$/ { $0 = $0 " /** \\addtogroup " group " */ /** @{ */" }
    { print }
' "$1"
