/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

// Within an ns-3 tree, each example is a test suite of ns-3, which compares its output with the
// file NAME.reflog next to it.

#include "ns3/example-as-test.h"

#include <string>

using namespace ns3;

namespace
{

/** Test suite for the example of a module. */
class ModuleExampleTestSuite : public ExampleAsTestSuite
{
  public:
    /**
     * \param [in] module The module.
     */
    explicit ModuleExampleTestSuite(const std::string& module) :
        ExampleAsTestSuite(module + "-example",
                           module + "-example",
                           NS_TEST_SOURCEDIR "/../ns3-modules/" + module + "/examples")
    {
    }
};

ModuleExampleTestSuite g_inaNetworkExample("ina-network");
ModuleExampleTestSuite g_inaHostsExample("ina-hosts");
ModuleExampleTestSuite g_inaTrafficExample("ina-traffic");
ModuleExampleTestSuite g_inaClusterExample("ina-cluster");

} // namespace
