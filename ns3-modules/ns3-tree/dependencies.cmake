# SPDX-License-Identifier: GPL-2.0-only
# Finds what the module needs besides ns-3. Included by module.cmake. INA_MISSING lists what is not found.

# ina_cannot_be_built(NAME MISSING...): a line of its own below "Modules that cannot be built" in ns-3's summary. ns-3 lists
# there what is enabled and was not built. An example or module that links ${libNAME} is skipped as well then.
function(ina_cannot_be_built name)
  list(JOIN ARGN ", " missing)
  set(modules "${ns3-all-enabled-modules}")
  list(REMOVE_ITEM modules ${name})
  list(APPEND modules "${name}: not found: ${missing}")
  set(ns3-all-enabled-modules "${modules}" CACHE INTERNAL "list with all enabled modules")
endfunction()

# ina_dependency(WHAT DEBIAN_PACKAGES NAME find_package's other arguments...)
macro(ina_dependency what packages name)
  find_package(${name} ${ARGN} QUIET)
  if(NOT ${name}_FOUND)
    list(APPEND INA_MISSING "${what} (Debian: ${packages})")
  endif()
endmacro()

set(INA_MISSING)
include(hw/boost.cmake)
if(NOT TARGET ina-boost)
  message(${HIGHLIGHTED_STATUS} "Boost: ${INA_BOOST_MISSING}")
  list(APPEND INA_MISSING "Boost 1.81 (Debian: libboost1.81-dev)")
endif()
ina_dependency("Eigen 3.4" libeigen3-dev Eigen3 3.4 NO_MODULE)
ina_dependency("nlohmann-json 3.11" nlohmann-json3-dev nlohmann_json 3.11)
ina_dependency("fmt" libfmt-dev fmt)
ina_dependency("CLI11" libcli11-dev CLI11)
ina_dependency("zlib" zlib1g-dev ZLIB)
