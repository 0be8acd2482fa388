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

/** Receives frames and sends none. */
class SilentTransport : public ina::WorkerTransport
{
  public:
    void
    submit(const ina::Tensor&, ina::Time) override
    {
    }

    void
    receive(const ina::Frame&, ina::Time) override
    {
    }

    bool
    next(ina::Frame&, ina::Time) override
    {
        return false;
    }

    ina::Time
    deadline() const override
    {
        return ina::kNever;
    }

    void
    expire(ina::Time) override
    {
    }

    uint32_t
    in_flight() const override
    {
        return 0;
    }

    uint32_t
    window() const override
    {
        return 1;
    }

    const ina::WorkerStatistics&
    statistics() const override
    {
        return m_statistics;
    }

  private:
    ina::WorkerStatistics m_statistics;
};

} // namespace ns3

#endif // INA_HOSTS_TEST_SUPPORT_H
