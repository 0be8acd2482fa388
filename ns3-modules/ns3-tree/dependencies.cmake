# SPDX-License-Identifier: GPL-2.0-only
# Finds what the module needs besides ns-3. Included by module.cmake. INA_MISSING lists what is not found;
# fmt_library is for LIBRARIES_TO_LINK.

# ina_cannot_be_built(NAME MISSING...): says so below "Modules that cannot be built" in ns-3's summary, which lists the enabled
# modules that are not built. ns-3 also skips examples that link ${libNAME} then.
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
if(fmt_FOUND)
  # A path, not a target, which those who use an installed ns-3 would have to find again. NS3_STATIC looks for libfmt.a.
  get_target_property(fmt_library fmt::fmt LOCATION)
  string(REGEX REPLACE "\\.so\\..*" ".so" fmt_library "${fmt_library}")
  string(REPLACE ".so" ".a" static_fmt "${fmt_library}")
  if(NS3_STATIC AND NOT EXISTS "${static_fmt}")
    list(APPEND INA_MISSING "a static fmt (Debian: none)")
  endif()
endif()
ina_dependency("CLI11" libcli11-dev CLI11)
ina_dependency("zlib" zlib1g-dev ZLIB)
