# SPDX-License-Identifier: GPL-2.0-only
# This repository as contrib/ina of an ns-3 tree: one module, the program ina-sim, the modules' examples, and as suites of
# ns-3 the modules' tests. Included by the top CMakeLists.txt.
set(INA_SOURCE_DIR ${CMAKE_CURRENT_SOURCE_DIR})
include(ns3-modules/ns3-tree/doc.cmake)
include(ns3-modules/ns3-tree/dependencies.cmake)
if(INA_MISSING)
  ina_cannot_be_built(ina ${INA_MISSING})
  return()
endif()
set(output ${CMAKE_OUTPUT_DIRECTORY}/contrib/ina)
set(ns3_libraries ${libcore} ${libnetwork} ${libbridge} ${libinternet} ${libapplications} ${libtraffic-control})

# As paths, not as targets, which those who use an installed ns-3 would have to find again.
set(include_directories)
foreach(package Eigen3::Eigen nlohmann_json::nlohmann_json fmt::fmt)
  get_target_property(directories ${package} INTERFACE_INCLUDE_DIRECTORIES)
  list(APPEND include_directories ${directories})
endforeach()
list(REMOVE_DUPLICATES include_directories)

file(GLOB_RECURSE sources RELATIVE ${INA_SOURCE_DIR} CONFIGURE_DEPENDS
  hw/protocol/*.cpp hw/fields/*.cpp hw/cluster/*.cpp switch-models/*.cpp scenarios/reader/*.cpp
  scenarios/resolve/*.cpp
  ns3-modules/*/model/*.cc ns3-modules/*/helper/*.cc)
list(FILTER sources EXCLUDE REGEX "^switch-models/(software/|report/ina-switch-report)")
file(GLOB headers RELATIVE ${INA_SOURCE_DIR} CONFIGURE_DEPENDS ns3-modules/*/model/*.h ns3-modules/*/helper/*.h)
set_source_files_properties(scenarios/reader/trace_files.cpp PROPERTIES
  COMPILE_DEFINITIONS INA_TRACES_DIR="${INA_SOURCE_DIR}/traces")

# ns-3 writes the header by which "ns3/<header>" is found once, and leaves one that is there as it is, whosever it is.
foreach(header IN LISTS headers)
  cmake_path(GET header FILENAME name)
  set(stub ${CMAKE_HEADER_OUTPUT_DIRECTORY}/${name})
  if(NOT EXISTS ${stub})
    continue()
  endif()
  file(READ ${stub} text)
  string(REGEX REPLACE "^#include \"(.*)\".*" "\\1" included "${text}")
  if(included STREQUAL "${INA_SOURCE_DIR}/${header}")
    continue()
  elseif(EXISTS "${included}" AND NOT included MATCHES "/ns3-modules/ina-[a-z]+/(model|helper)/")
    message(FATAL_ERROR "ina: ns3/${name} is a header of another module: ${included}")
  endif()
  file(REMOVE ${stub}) # of this module where it was before
endforeach()

# What users' programs have no use for: other headers include these, ns3/ina-module.h does not.
set(internal ${headers})
list(FILTER internal INCLUDE REGEX
  "/ina-(abort|enum-accessor|event-source|frame-end|frame-sender|frame-state|host-alarms|packet-end|protocol-time|seldom-traced|settings-attributes|source-queue|training-worker|watched-trace)\\.h$")
list(REMOVE_ITEM headers ${internal})

include(ns3-modules/ns3-tree/tests.cmake)
build_lib(IGNORE_PCH LIBNAME ina
  SOURCE_FILES ${sources}
  HEADER_FILES ${headers}
  PRIVATE_HEADER_FILES ${internal}
  LIBRARIES_TO_LINK ${ns3_libraries} ${fmt_library}
  TEST_SOURCES ${test_sources})
target_compile_features(ina PUBLIC cxx_std_20)
target_include_directories(ina PUBLIC
  $<BUILD_INTERFACE:${INA_SOURCE_DIR}> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/ns3/ina>)
target_include_directories(ina SYSTEM PUBLIC ${include_directories})
get_target_property(boost ina-boost INTERFACE_INCLUDE_DIRECTORIES)
if(Boost_FOUND)
  target_include_directories(ina SYSTEM PUBLIC ${boost})
else()
  set(installed_boost ${CMAKE_INSTALL_INCLUDEDIR}/ns3/ina/unpacked)
  target_include_directories(ina SYSTEM PUBLIC $<BUILD_INTERFACE:${boost}> $<INSTALL_INTERFACE:${installed_boost}>)
  install(DIRECTORY ${boost}/boost DESTINATION ${installed_boost})
endif()
foreach(part hw/fields hw/protocol hw/cluster switch-models scenarios/keys scenarios/reader scenarios/resolve scenarios/results)
  install(DIRECTORY ${part}/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/ns3/ina/${part}
    FILES_MATCHING PATTERN *.hpp)
endforeach()

# ina_program(name folder sources... LIBRARIES libs...): the program <folder>/ns<version>-<name>-<profile>.
function(ina_program name folder)
  cmake_parse_arguments(ARG "" "" "LIBRARIES" ${ARGN})
  build_exec(IGNORE_PCH EXECNAME ${name}
    SOURCE_FILES ${ARG_UNPARSED_ARGUMENTS}
    LIBRARIES_TO_LINK ${libina} ${ns3_libraries} ${fmt_library} ${ARG_LIBRARIES}
    EXECUTABLE_DIRECTORY_PATH ${folder})
endfunction()

add_library(ina-options INTERFACE)
target_include_directories(ina-options INTERFACE ${INA_SOURCE_DIR})
file(GLOB files CONFIGURE_DEPENDS hw/files/*.cpp)
add_library(ina-files STATIC ${files})
target_link_libraries(ina-files PUBLIC ina-options PRIVATE fmt::fmt)

file(GLOB program CONFIGURE_DEPENDS
  ns3-modules/ina-cluster/app/*.cc hw/processes/*.cpp scenarios/results/*.cpp
  scenarios/runs/*.cpp switch-models/software/*.cpp)
list(FILTER program EXCLUDE REGEX "/switch-models/software/(ina-switch|switch_core)")
ina_program(ina-sim ${output} ${program} LIBRARIES ina-files CLI11::CLI11 ZLIB::ZLIB)
get_directory_property(flags COMPILE_OPTIONS)
include(ns3-modules/ina-cluster/app/build-info.cmake)
ina_build_info(ina-sim ${output}/ns${NS3_VER}-ina-sim${build_profile_suffix} "${NS3_VER}" "${flags}")

if(examples)
  foreach(part IN LISTS parts)
    ina_program(${part}-example ${output}/examples ns3-modules/${part}/examples/${part}-example.cc
      LIBRARIES ${libflow-monitor})
  endforeach()
  ina_program(ina-consumer ${output}/examples ns3-modules/ns3-tree/consumer/ina-consumer.cc)
endif()
if(TARGET ina-test AND GTest_FOUND)
  ina_googletest()
endif()
if(TARGET ina-test AND examples) # test suites run them
  list(TRANSFORM parts APPEND -example OUTPUT_VARIABLE programs)
  add_dependencies(test-runner-examples-as-tests ${programs})
endif()
