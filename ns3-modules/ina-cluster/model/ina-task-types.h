/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#ifndef INA_TASK_TYPES_H
#define INA_TASK_TYPES_H

#include "hw/protocol/wire/frame.hpp"

#include "ns3/ina-net-device.h"
#include "ns3/ina-switch.h"
#include "ns3/ptr.h"

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

namespace ns3
{

struct InaCluster;

/**
 * \ingroup ina-cluster
 * Counts aggregation tasks by type (DSA IV.C), and lost frames by the type of their task. A task of
 * type I met no collision. A task of type II kept or took its aggregator in every collision. A task
 * of type III had to send some part to the server. With racks, a task has an aggregator at each
 * switch above its workers, and its type is the highest one at any of them, since the server gets
 * parts if a single switch cannot hold its part. A lost frame counts for the final type of its
 * task, which the loss may change. Tasks that a job repeats under another id count as the same
 * tasks.
 */
class InaTaskTypes : public InaLossObserver
{
  public:
    /** Counts of types I, II and III. */
    using Counts = std::array<uint64_t, 3>;

    /** Connects to all switches and links. This object must not move and must outlive the run. */
    void ConnectTo(const InaCluster& cluster);
    /** Lost frames of a job by type. */
    Counts LossesOf(ina::JobId job) const;
    /** Tasks of a job's first iterations by type. */
    Counts TasksOf(ina::JobId job, uint32_t iterations) const;

    void FrameLost(const ina::Frame& frame) override;

  private:
    enum Type : uint8_t
    {
        FIRST,
        SECOND,
        THIRD
    };

    struct Task
    {
        uint16_t job;
        uint32_t index; //!< among the tasks of all iterations of the job
    };

    /// The job and tasks that an id in frames denotes.
    struct Registration
    {
        uint16_t job;
        uint32_t first; //!< index of the task with PSN 0
    };

    /// Events at one switch and its aggregators.
    class AtSwitch : public ina::programs::AggregatorObserver
    {
      public:
        explicit AtSwitch(InaTaskTypes& types) : m_types(types) {}

        void aggregator_event(ina::programs::AggregatorEvent event,
                              ina::JobId job,
                              ina::Psn psn,
                              uint32_t index) override;

      private:
        void Allocated(const Task& task, uint32_t index);

        InaTaskTypes& m_types;
        std::vector<Task> m_owners; //!< latest owner, by aggregator
    };

    void Registered(uint16_t job, uint16_t id, uint32_t iteration);
    Task TaskOf(ina::JobId id, ina::Psn psn) const;
    void Raise(const Task& task, Type type);
    Type TypeOf(const Task& task) const;

    std::vector<uint32_t> m_tasksPerIteration; //!< by job
    std::vector<Registration> m_registrations; //!< by id
    std::vector<std::vector<Type>> m_types;    //!< by job and index; FIRST beyond the end
    std::deque<AtSwitch> m_switches;           //!< a deque, since their addresses must not change
    std::vector<Task> m_lost;
};

} // namespace ns3

#endif // INA_TASK_TYPES_H
