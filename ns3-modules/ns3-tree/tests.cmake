# SPDX-License-Identifier: GPL-2.0-only
# The tests of the module in an ns-3 tree. Included by module.cmake. Sets parts, examples (whether they are built) and
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
    list(APPEND test_sources ns3-modules/ns3-tree/googletest-test-suite.cc)
  else()
    ina_cannot_be_built(ina-test "GoogleTest (Debian: libgtest-dev, libgmock-dev)")
  endif()
  if(examples)
    list(APPEND test_sources ns3-modules/ns3-tree/examples-test-suite.cc)
    # Where test.py looks for it.
    file(MAKE_DIRECTORY ${INA_SOURCE_DIR}/test)
    file(CREATE_LINK ${INA_SOURCE_DIR}/ns3-modules/ns3-tree/examples-to-run.py
      ${INA_SOURCE_DIR}/test/examples-to-run.py SYMBOLIC)
  endif()
endif()

# The GoogleTest tests are a library of their own: only then are its static objects, among them the tests, constructed before
# those of ina-test, which are ns-3's test suites.
function(ina_googletest)
  file(GLOB sources CONFIGURE_DEPENDS ns3-modules/*/test/*.cc)
  add_library(ina-googletest SHARED ${sources})
  set_target_properties(ina-googletest PROPERTIES OUTPUT_NAME ns${NS3_VER}-ina-googletest${build_profile_suffix})
  if(NS3_MONOLIB)
    target_link_libraries(ina-googletest PRIVATE ${lib-ns3-monolib})
    target_include_directories(ina-googletest PRIVATE $<TARGET_PROPERTY:ina,INTERFACE_INCLUDE_DIRECTORIES>)
  else()
    target_link_libraries(ina-googletest PRIVATE ${libina} ${libflow-monitor})
  endif()
  target_link_libraries(ina-googletest PRIVATE ina-files GTest::gtest GTest::gmock)
  # Not by TEST_LIBRARIES_TO_LINK of build_lib(), which a tree that is built as one library ignores.
  target_link_libraries(ina-test ina-googletest)
endfunction()
