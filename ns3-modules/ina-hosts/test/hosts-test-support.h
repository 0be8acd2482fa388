/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#ifndef INA_HOSTS_TEST_SUPPORT_H
#define INA_HOSTS_TEST_SUPPORT_H

#include "hw/protocol/transport/worker_transport.hpp"

#include <cstdint>
#include <span>

namespace ns3
{

/** A result sink that discards all results. */
class NoSink : public ina::ResultSink
{
    void
    fragment_complete(const ina::Frame&, const ina::Delivery&, ina::Time) override
    {
    }

    void
    tensor_complete(ina::Psn, ina::Time) override
    {
    }
};

/** A gradient source that does not write any values. */
class NoSource : public ina::GradientSource
{
    void
    read(ina::Psn, std::span<int32_t>) const override
    {
    }
};

} // namespace ns3

#endif // INA_HOSTS_TEST_SUPPORT_H
