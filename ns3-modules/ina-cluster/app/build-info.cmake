# SPDX-License-Identifier: GPL-2.0-only
# ina_build_info(target file ns3_version flags): gives the program `target`, which will be `file`, what its results say of
# their build: a build-id, the compiler's flags, ns-3; and at every build the commit.
function(ina_build_info target file ns3_version flags)
  add_custom_target(ina-commit
    COMMAND ${CMAKE_COMMAND} -DSOURCE_DIR=${INA_SOURCE_DIR} -DFILE=${file}.commit
            -P ${INA_SOURCE_DIR}/ns3-modules/ina-cluster/app/commit.cmake
    COMMENT "Noting the commit") # by every build: analysis/launcher/build_steps.py knows it by this
  add_dependencies(${target} ina-commit)
  target_link_options(${target} PRIVATE -Wl,--build-id=sha1)

  list(FILTER flags EXCLUDE REGEX "^-W|-prefix-map=") # neither decides what the program does
  string(TOUPPER "${CMAKE_BUILD_TYPE}" type)
  list(PREPEND flags ${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${type}})
  string(REPLACE ";" " " flags "${flags}")
  file(STRINGS ${INA_SOURCE_DIR}/VERSION version)
  target_compile_definitions(${target} PRIVATE
    INA_VERSION="${version}" INA_NS3_VERSION="${ns3_version}" INA_FLAGS="${flags}")
endfunction()
