# SPDX-License-Identifier: GPL-2.0-only
# What of the module is tested in an ns-3 tree. Included by module.cmake. Sets parts, examples (whether they are built) and
# test_sources.
set(parts ina-network ina-hosts ina-traffic ina-cluster)
build_lib_check_examples_and_tests_filtered_in(ina tests)
set(examples OFF)
if(ENABLE_EXAMPLES)
  set(examples ${tests})
endif()

set(test_sources)
if(ENABLE_TESTS AND tests)
  find_package(GTest QUIET)
  if(GTest_FOUND)
    file(GLOB test_sources RELATIVE ${INA_SOURCE_DIR} CONFIGURE_DEPENDS ns3-modules/*/test/*.cc)
    list(APPEND test_sources ns3-modules/ns3-tree/googletest-test-suite.cc)
  else()
    ina_cannot_be_built(ina-test "GoogleTest (Debian: libgtest-dev, libgmock-dev)")
  endif()
  if(examples)
    list(APPEND test_sources ns3-modules/ns3-tree/examples-test-suite.cc)
  endif()
endif()

# Not by TEST_LIBRARIES_TO_LINK of build_lib(), which a tree that is built as one library (NS3_MONOLIB) ignores.
function(ina_link_tests)
  if(NOT TARGET ina-test)
    return()
  endif()
  if(GTest_FOUND)
    target_link_libraries(ina-test ina-files ${libflow-monitor} GTest::gtest GTest::gmock)
  endif()
  if(examples) # which the suites run
    list(TRANSFORM parts APPEND -example OUTPUT_VARIABLE programs)
    add_dependencies(test-runner-examples-as-tests ${programs})
  endif()
endfunction()
