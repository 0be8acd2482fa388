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
 * Writes a policy's name, and its parameters as ObjectFactory writes attributes:
 * "name[parameter=value|parameter=value]".
 */
std::ostream& operator<<(std::ostream& os, const ina::policies::CollisionPolicy& policy);

/**
 * \ingroup ina-network
 * Reads what operator<< writes; what is not named has its default. Fails on a policy that does not
 * exist, a parameter that it does not have, and a value out of the parameter's range.
 */
std::istream& operator>>(std::istream& is, ina::policies::CollisionPolicy& policy);

ATTRIBUTE_VALUE_DEFINE_WITH_NAME(ina::policies::CollisionPolicy, InaCollisionPolicy);
ATTRIBUTE_ACCESSOR_DEFINE(InaCollisionPolicy);
ATTRIBUTE_CHECKER_DEFINE(InaCollisionPolicy);

} // namespace ns3

#endif // INA_COLLISION_POLICY_H
