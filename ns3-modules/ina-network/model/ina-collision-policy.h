/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#ifndef INA_COLLISION_POLICY_H
#define INA_COLLISION_POLICY_H

#include "switch-models/policies/collision_policy.hpp"

#include "ns3/attribute-accessor-helper.h"
#include "ns3/attribute-helper.h"

#include <iosfwd>

namespace ns3
{

/**
 * \ingroup ina-network
 * Writes a policy's name, with its parameters in the syntax of ObjectFactory attributes:
 * "name[parameter=value|parameter=value]".
 */
std::ostream& operator<<(std::ostream& os, const ina::policies::CollisionPolicy& policy);

/**
 * \ingroup ina-network
 * Reads the format of operator<<. Omitted parameters have their defaults. Sets failbit for unknown
 * policies, unknown parameters, and values out of range.
 */
std::istream& operator>>(std::istream& is, ina::policies::CollisionPolicy& policy);

ATTRIBUTE_VALUE_DEFINE_WITH_NAME(ina::policies::CollisionPolicy, InaCollisionPolicy);
ATTRIBUTE_ACCESSOR_DEFINE(InaCollisionPolicy);
ATTRIBUTE_CHECKER_DEFINE(InaCollisionPolicy);

} // namespace ns3

#endif // INA_COLLISION_POLICY_H
