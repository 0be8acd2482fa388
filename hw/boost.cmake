# SPDX-License-Identifier: BSD-3-Clause
# The target ina-boost: headers of Boost 1.81 or newer. Debian 12 has 1.74 as its default, and the package with 1.81 conflicts
# with that and with all that depends on it. If no newer Boost is found, the headers of the package are therefore unpacked
# once into build/boost, for all presets and for an ns-3 tree.
find_package(Boost 1.81 QUIET)
set(ina_unpacked_boost ${INA_SOURCE_DIR}/build/boost)

# ina_boost_step(WHAT COMMAND...): ends the configuration if the command fails.
function(ina_boost_step what)
  execute_process(COMMAND ${ARGN} WORKING_DIRECTORY ${scratch} RESULT_VARIABLE status OUTPUT_VARIABLE said ERROR_VARIABLE said)
  if(NOT status EQUAL 0)
    file(REMOVE_RECURSE ${scratch})
    string(STRIP "${said}" said)
    message(FATAL_ERROR
      "Boost: no headers of 1.81 or newer. ${what} failed: ${said}\n"
      "Allowed: a network and package lists (apt-get update) for apt-get download, or Boost_ROOT=FOLDER in the environment")
  endif()
endfunction()

function(ina_unpack_boost)
  if("$ENV{INA_NO_INSTALL}" STREQUAL "1")
    message(FATAL_ERROR
      "Boost: no headers of 1.81 or newer, and INA_NO_INSTALL=1 is set. Allowed: one build without INA_NO_INSTALL, which "
      "unpacks them into ${ina_unpacked_boost}, or Boost_ROOT=FOLDER in the environment")
  endif()
  message(STATUS "Boost: unpacking the headers of libboost1.81-dev into ${ina_unpacked_boost}")
  string(RANDOM suffix)
  set(scratch ${ina_unpacked_boost}-${suffix}) # another preset may unpack at the same time
  file(MAKE_DIRECTORY ${scratch}/usr)
  ina_boost_step("apt-get download" apt-get -q download libboost1.81-dev)
  file(GLOB package ${scratch}/*.deb)
  ina_boost_step("dpkg-deb" dpkg-deb --fsys-tarfile ${package} COMMAND tar -x ./usr/include)
  file(RENAME ${scratch}/usr/include ${ina_unpacked_boost} RESULT status) # whole or not at all
  file(REMOVE_RECURSE ${scratch})
  if(NOT EXISTS ${ina_unpacked_boost}/boost)
    message(FATAL_ERROR "Boost: ${ina_unpacked_boost}: ${status}")
  endif()
endfunction()

add_library(ina-boost INTERFACE)
if(Boost_FOUND)
  target_include_directories(ina-boost SYSTEM INTERFACE ${Boost_INCLUDE_DIRS})
else()
  if(NOT EXISTS ${ina_unpacked_boost}/boost)
    ina_unpack_boost()
  endif()
  target_include_directories(ina-boost SYSTEM INTERFACE ${ina_unpacked_boost}) # before /usr/include
endif()
