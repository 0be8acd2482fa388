# SPDX-License-Identifier: BSD-3-Clause
# The target ina-boost: headers of Boost 1.81 or newer. Debian 12 has 1.74 as its default, and the package with 1.81 conflicts
# with that and with all that depends on it. If no newer Boost is found, the headers of the package are therefore unpacked
# once into build/boost, for all presets and for an ns-3 tree. If that fails, there is no target ina-boost, and
# INA_BOOST_MISSING says why.
find_package(Boost 1.81 QUIET)
set(ina_unpacked_boost ${INA_SOURCE_DIR}/build/boost)
set(INA_BOOST_MISSING)

# ina_boost_step(WHAT COMMAND...): sets INA_BOOST_MISSING if the command fails. Does nothing after a step that failed.
function(ina_boost_step what)
  if(INA_BOOST_MISSING)
    return()
  endif()
  execute_process(COMMAND ${ARGN} WORKING_DIRECTORY ${scratch} RESULT_VARIABLE status OUTPUT_VARIABLE said ERROR_VARIABLE said)
  if(NOT status EQUAL 0)
    string(STRIP "${said}" said)
    set(INA_BOOST_MISSING "no headers of 1.81 or newer. ${what} failed: ${said}\n\
Allowed: a network and package lists (apt-get update) for apt-get download, or Boost_ROOT=FOLDER in the environment" PARENT_SCOPE)
  endif()
endfunction()

function(ina_unpack_boost)
  if("$ENV{INA_NO_INSTALL}" STREQUAL "1")
    set(INA_BOOST_MISSING "no headers of 1.81 or newer, and INA_NO_INSTALL=1 is set. Allowed: one build without \
INA_NO_INSTALL, which unpacks them into ${ina_unpacked_boost}, or Boost_ROOT=FOLDER in the environment" PARENT_SCOPE)
    return()
  endif()
  message(STATUS "Boost: unpacking the headers of libboost1.81-dev into ${ina_unpacked_boost}")
  string(RANDOM suffix)
  set(scratch ${ina_unpacked_boost}-${suffix}) # another preset may unpack at the same time
  file(MAKE_DIRECTORY ${scratch}/usr)
  ina_boost_step("apt-get download" apt-get -q download libboost1.81-dev)
  file(GLOB package ${scratch}/*.deb)
  ina_boost_step("dpkg-deb" dpkg-deb --fsys-tarfile ${package} COMMAND tar -x ./usr/include)
  if(NOT INA_BOOST_MISSING)
    file(RENAME ${scratch}/usr/include ${ina_unpacked_boost} RESULT status) # whole or not at all
    if(NOT EXISTS ${ina_unpacked_boost}/boost)
      set(INA_BOOST_MISSING "${ina_unpacked_boost}: ${status}")
    endif()
  endif()
  file(REMOVE_RECURSE ${scratch})
  set(INA_BOOST_MISSING "${INA_BOOST_MISSING}" PARENT_SCOPE)
endfunction()

if(NOT Boost_FOUND AND NOT EXISTS ${ina_unpacked_boost}/boost)
  ina_unpack_boost()
endif()
if(NOT INA_BOOST_MISSING)
  add_library(ina-boost INTERFACE)
  if(Boost_FOUND)
    target_include_directories(ina-boost SYSTEM INTERFACE ${Boost_INCLUDE_DIRS})
  else()
    target_include_directories(ina-boost SYSTEM INTERFACE ${ina_unpacked_boost}) # before /usr/include
  endif()
endif()
