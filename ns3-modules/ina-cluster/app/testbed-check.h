/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef INA_TESTBED_CHECK_H
#define INA_TESTBED_CHECK_H

#include "scenarios/reader/experiment.hpp"

#include <string>

namespace ns3
{

/// Throws InputError if a run of the experiment asks for what a testbed cannot do
/// (hw/README.md).
void CheckForTestbed(const std::string& file, const ina::scenarios::Experiment& experiment);

} // namespace ns3

#endif // INA_TESTBED_CHECK_H
