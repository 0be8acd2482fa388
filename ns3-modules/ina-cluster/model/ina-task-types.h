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
 * The types of aggregation tasks by DSA IV.C, and of which frames got lost: a task of type I met
 * with no collision, one of type II kept or took its aggregator in each that it met with, of one of
 * type III something had to go to the server. With racks a task has an aggregator at each switch
 * above its workers, and is of the highest type that it has at any of them: the server gets it in
 * parts if one switch could not hold its part. A lost frame counts for what its task has become by
 * the end, since a loss makes the task live longer. What a job does again under another id are the
 * same tasks.
 */
class InaTaskTypes : public InaLossObserver
{
  public:
    /** Of tasks of type I, II and III. */
    using Counts = std::array<uint64_t, 3>;

    /** Listens to all switches and links; must stay where it is and outlive the run. */
    void ConnectTo(const InaCluster& cluster);
    /** The frames of a job that got lost. */
    Counts LossesOf(ina::JobId job) const;
    /** The tasks of a job's first iterations. */
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
        uint32_t index; //!< in the job's life
    };

    /// What an id in frames stands for.
    struct Registration
    {
        uint16_t job;
        uint32_t first; //!< the index of the task with PSN 0
    };

    /// What happens at one switch, whose aggregators are its own.
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
        std::vector<Task> m_owners; //!< by aggregator: its latest
    };

    void Registered(uint16_t job, uint16_t id, uint32_t iteration);
    Task TaskOf(ina::JobId id, ina::Psn psn) const;
    void Raise(const Task& task, Type type);
    Type TypeOf(const Task& task) const;

    std::vector<uint32_t> m_tasksPerIteration; //!< by job
    std::vector<Registration> m_registrations; //!< by id
    std::vector<std::vector<Type>> m_types;    //!< by job and index; beyond: FIRST
    std::deque<AtSwitch> m_switches;           //!< which must stay where they are
    std::vector<Task> m_lost;
};

} // namespace ns3

#endif // INA_TASK_TYPES_H
