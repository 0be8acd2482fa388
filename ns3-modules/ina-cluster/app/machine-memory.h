/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef INA_MACHINE_MEMORY_H
#define INA_MACHINE_MEMORY_H

#include "scenarios/reader/experiment.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/** Throws InputError if a run of the experiment takes more memory than this machine has. */
void CheckMachineMemory(const std::string& file, const ina::scenarios::Experiment& experiment);

/** How many of these runs this machine's memory holds at a time; at least one. */
unsigned RunsInMemory(const std::vector<const ina::scenarios::ExperimentPoint*>& points);

/** The most that this process had in memory so far. */
uint64_t PeakResidentBytes();

/** What a run that got no memory has to say. */
std::string DescribeLackOfMemory(const ina::scenarios::ExperimentPoint& point);

} // namespace ns3

#endif // INA_MACHINE_MEMORY_H
