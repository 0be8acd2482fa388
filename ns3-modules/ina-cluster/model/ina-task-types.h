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
 * Counts aggregation tasks by type (section IV.C of the DSA paper), and lost frames by the type of
 * their task. A task of type I met no collision. A task of type II won every collision, and thus
 * had an aggregator. A task of type III had to send some packets to the server. If a job spans
 * several racks, a task has a type at each switch that adds up its packets. The highest type
 * counts, since one switch without an aggregator suffices to involve the server. A lost frame
 * counts for the final type of its task. If a job repeats a task under another id, it is the same
 * task.
 */
class InaTaskTypes : public InaLossObserver
{
  public:
    /** Numbers of tasks or frames of types I, II and III. */
    using Counts = std::array<uint64_t, 3>;

    /** Connects to all switches and links. This object must not move and must outlive the run. */
    void ConnectTo(const InaCluster& cluster);
    /** Number of lost frames of a job, by type of their tasks. */
    Counts LossesOf(ina::JobId job) const;
    /** Number of tasks in the first `iterations` iterations of a job, by type. */
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
        uint32_t index; //!< index among the tasks of all iterations
    };

    /// The job and the tasks to which frames with a given id belong.
    struct Registration
    {
        uint16_t job;
        uint32_t first; //!< index of the task with PSN 0
    };

    /// Observer of the aggregators of one switch.
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
        std::vector<Task> m_owners; //!< latest task of each aggregator
    };

    void Registered(uint16_t job, uint16_t id, uint32_t iteration);
    Task TaskOf(ina::JobId id, ina::Psn psn) const;
    void Raise(const Task& task, Type type);
    Type TypeOf(const Task& task) const;

    std::vector<uint32_t> m_tasksPerIteration; //!< by job
    std::vector<Registration> m_registrations; //!< by id
    std::vector<std::vector<Type>> m_types;    //!< by job and task; FIRST if missing
    std::deque<AtSwitch> m_switches;           //!< a deque, since its elements must not move
    std::vector<Task> m_lost;
};

} // namespace ns3

#endif // INA_TASK_TYPES_H
