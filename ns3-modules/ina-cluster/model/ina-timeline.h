/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#ifndef INA_TIMELINE_H
#define INA_TIMELINE_H

#include "ina-training-job.h"
#include "scenarios/results/rows.hpp"

#include "hw/protocol/wire/frame.hpp"

#include "ns3/ina-control-plane.h"
#include "ns3/ina-switch.h"
#include "ns3/ptr.h"

#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <ostream>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace ns3
{

struct InaCluster;

/**
 * \ingroup ina-cluster
 * What happens in a cluster in a window of time, in the Trace Event Format that ui.perfetto.dev and
 * chrome://tracing open: what each worker computes and communicates, by layer; who holds the
 * aggregators of each switch, and how each task gave its one up; the queues of links; on request
 * every frame that is sent, arrives or is lost.
 *
 * Workers, switches and links are processes of the format, in this order; spans that may overlap
 * are "async" ones. Of a span that is longer than the window only the part in it is written.
 */
class InaTimeline
{
  public:
    struct Config
    {
        int64_t fromTs{0};
        int64_t toTs{std::numeric_limits<int64_t>::max()}; //!< exclusive
        bool frames{false};
        std::size_t mostEvents{1'000'000};
    };

    /** More than Config::mostEvents would be in the window. */
    struct TooManyEvents
    {
    };

    explicit InaTimeline(const Config& config);

    /** Listens to all of it; must stay where it is and outlive the run. */
    void ConnectTo(const InaCluster& cluster);
    /** What the cluster's InaLinkSeries hands out. */
    void AddLinkSample(const ina::results::LinkSeriesRow& sample);
    /** Nothing more happens from `ts` on: closes what is open. */
    void Finish(int64_t ts);

    std::size_t
    Events() const
    {
        return m_events.size();
    }
    /** Two members of a JSON object: displayTimeUnit, and traceEvents in the order of time. */
    void Write(std::ostream& out) const;

  private:
    using Pid = uint32_t;
    using Tid = uint32_t;

    struct Event
    {
        int64_t ts;
        int64_t durationTs; //!< of phase X
        Pid pid;
        Tid tid;
        char phase;
        uint64_t id; //!< of phases b and e
        std::string name;
        std::string arguments; //!< a JSON object, or nothing

        /** At one instant a communication ends before another with its id begins. */
        bool operator<(const Event& other) const;
    };

    /// What happens at one switch, whose aggregators are its own.
    class AtSwitch
    {
      public:
        AtSwitch(InaTimeline& timeline, Pid pid, const Ptr<InaSwitch>& inaSwitch);

        /** Of the window: tells of what is held then, and names the aggregators. */
        void Finish();

      private:
        struct Task
        {
            uint16_t job;
            uint32_t psn;
            int64_t sinceTs;
            bool complete;
        };

        /// How many aggregators a job has. Only what an instant ends with is told: the order of
        /// what happens in it is lost in the file, and tasks may come and go in it.
        struct InUse
        {
            int64_t count{0};
            int64_t sinceTs{0};
            int64_t told{0};
        };

        /// The last task that gave up its aggregator: only then some programs tell that it was
        /// complete.
        struct Ended
        {
            uint32_t psn{0};
            uint32_t index{0};
            std::size_t event{0}; //!< its place behind the other events, from 1; 0: none
        };

        void Allocated(uint16_t id, uint32_t psn, uint32_t index);
        void Completed(uint16_t id, uint32_t psn, uint32_t index);
        void Freed(uint16_t id, uint32_t psn, uint32_t index);
        void WentDown(uint32_t node);
        void Close();
        /** \return Whether it is in the window, and so the last event. */
        bool End(uint32_t index, const Task& task, std::string_view how);
        static std::string Arguments(uint32_t psn, std::string_view how);
        void Count(uint16_t job, int change);
        void Tell(uint16_t job, InUse& inUse);

        InaTimeline& m_timeline;
        Pid m_pid;
        std::map<uint32_t, Task> m_tasks;  //!< by index of the aggregator
        std::map<uint16_t, InUse> m_inUse; //!< by job
        std::set<uint32_t> m_used;         //!< aggregators with a task in the window
        Ended m_ended;
    };

    /// What happens at one end of a link.
    class AtDevice
    {
      public:
        AtDevice(InaTimeline& timeline, Tid out, Tid in, const Ptr<InaNetDevice>& device);

      private:
        void Sent(const ina::Frame& frame);
        void Arrived(const ina::Frame& frame);
        void Dropped(const ina::Frame& frame);
        void Lost(const ina::Frame& frame);
        void Add(std::string_view what, Tid tid, const ina::Frame& frame);

        InaTimeline& m_timeline;
        Tid m_out; //!< the thread of the direction that it sends in
        Tid m_in;
    };

    using Communication = std::tuple<uint16_t, uint16_t, uint32_t>; //!< job, rank, partition

    void NameProcess(Pid pid, const std::string& name);
    void NameThread(Pid pid, Tid tid, const std::string& name);
    void ConnectToJobs(const InaCluster& cluster);
    void ConnectToSwitches(const InaCluster& cluster);
    void ConnectToLinks(const InaCluster& cluster);
    void Computes(const InaLayerTime& time);
    void Submitted(const InaPartitionEvent& event);
    void Received(const InaPartitionEvent& event);
    void AddCommunication(const InaPartitionEvent& submitted, int64_t endTs);
    bool Holds(int64_t ts) const;
    void Add(Event event);
    /** \return Whether a part of it, or its instant, is in the window, which it is cut to. */
    bool Cut(int64_t& beginTs, int64_t& endTs) const;

    Config m_config;
    bool m_over{false};
    std::vector<Event> m_events;
    std::vector<std::string> m_names;      //!< events of phase M
    std::vector<std::vector<Pid>> m_pidOf; //!< of workers, by job and rank
    Ptr<InaControlPlane> m_control;        //!< of the cluster
    std::map<Communication, InaPartitionEvent> m_open;
    std::deque<AtSwitch> m_switches; //!< which must stay where they are
    std::deque<AtDevice> m_devices;  //!< likewise
    Pid m_links{0};
};

} // namespace ns3

#endif // INA_TIMELINE_H
