# SPDX-License-Identifier: GPL-2.0-only
# ina_build_info(target file ns3_version flags): gives the program `target`, which will be `file`, what it is made of, as
# its results know it: a checksum of the code, the compiler's flags, ns-3; and at every build the commit.
function(ina_build_info target file ns3_version flags)
  set(cluster ${INA_SOURCE_DIR}/ns3-modules/ina-cluster)
  add_custom_target(ina-commit
    COMMAND ${CMAKE_COMMAND} -DSOURCE_DIR=${INA_SOURCE_DIR} -DFILE=${file}.commit -P ${cluster}/app/commit.cmake
    COMMENT "Noting the commit") # by every build: analysis/launcher/build_steps.py knows it by this
  add_dependencies(${target} ina-commit)

  add_executable(code-crc32 ${cluster}/code/code-crc32.cc)
  target_link_libraries(code-crc32 PRIVATE ina-options ina-files ina-boost fmt::fmt)
  set_target_properties(code-crc32 PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
  file(GLOB_RECURSE code CONFIGURE_DEPENDS
    ${INA_SOURCE_DIR}/hw/fields/*.[ch]pp ${INA_SOURCE_DIR}/hw/files/*.[ch]pp
    ${INA_SOURCE_DIR}/hw/protocol/*.[ch]pp
    ${INA_SOURCE_DIR}/hw/cluster/*.[ch]pp ${INA_SOURCE_DIR}/hw/processes/*.[ch]pp
    ${INA_SOURCE_DIR}/switch-models/*.[ch]pp ${INA_SOURCE_DIR}/scenarios/*.[ch]pp
    ${INA_SOURCE_DIR}/ns3-modules/*.cc ${INA_SOURCE_DIR}/ns3-modules/*.h)
  list(FILTER code EXCLUDE REGEX "/ns3-modules/([^/]+/(code|examples|test)|ns3-tree)/")
  set(code_crc32 ${CMAKE_CURRENT_BINARY_DIR}/code/code-crc32.h)
  file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/code)
  add_custom_command(OUTPUT ${code_crc32} COMMAND code-crc32 ${code_crc32} ${code} DEPENDS ${code} VERBATIM
    COMMENT "Summing up the simulator's code")
  target_sources(${target} PRIVATE ${code_crc32})
  target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/code)

  list(FILTER flags EXCLUDE REGEX "^-W")
  string(TOUPPER "${CMAKE_BUILD_TYPE}" type)
  list(PREPEND flags ${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${type}})
  string(REPLACE ";" " " flags "${flags}")
  file(STRINGS ${INA_SOURCE_DIR}/VERSION version)
  target_compile_definitions(${target} PRIVATE
    INA_VERSION="${version}" INA_NS3_VERSION="${ns3_version}" INA_FLAGS="${flags}")
endfunction()
