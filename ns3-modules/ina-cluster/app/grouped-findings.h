/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef INA_GROUPED_FINDINGS_H
#define INA_GROUPED_FINDINGS_H

#include "hw/fields/strict_json.hpp"

#include "ns3/ina-findings.h"

#include <vector>

namespace ns3
{

/** The findings of a run, as its manifest has them: an array of {what, key, amount, text}. */
ina::fields::Json FindingsJson(const std::vector<InaFinding>& findings);

/**
 * The findings of all runs, as the experiment's manifest has them: an array of {what, key, runs,
 * text}, one for each kind and key, those of most runs first. The text is that of the run with the
 * largest amount.
 *
 * \param manifests The runs' manifests; those of older builds have no findings.
 */
ina::fields::Json GroupFindings(const ina::fields::Json& manifests);

} // namespace ns3

#endif // INA_GROUPED_FINDINGS_H
