# SPDX-License-Identifier: BSD-3-Clause
# find_package(ina) defines the imported target ina::ina.
include("${CMAKE_CURRENT_LIST_DIR}/ina-targets.cmake")
