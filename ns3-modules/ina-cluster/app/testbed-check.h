/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef INA_TESTBED_CHECK_H
#define INA_TESTBED_CHECK_H

#include "ns3/experiment.h"

#include <string>

namespace ns3
{

/// Throws ScenarioError if a run of the experiment asks for what a testbed cannot do
/// (hw/README.md).
void CheckForTestbed(const std::string& file, const Experiment& experiment);

} // namespace ns3

#endif // INA_TESTBED_CHECK_H
