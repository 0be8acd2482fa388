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
#include "ns3/nstime.h"
#include "ns3/ptr.h"

#include <cstdint>
#include <deque>
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
 * Records the events of a cluster within a window of time, in the Trace Event Format (for
 * ui.perfetto.dev and chrome://tracing). It records the computation and communication of each
 * worker by layer, the tasks that hold each switch's aggregators and how they ended, the queues of
 * links, and on request every frame that is sent, arrives, is dropped or is lost.
 *
 * The processes of the format are the workers, the switches, and one for all links, in this order.
 * Spans that may overlap are "async" events. Spans are cut to the window.
 */
class InaTimeline
{
  public:
    struct Config
    {
        Time from{0};
        Time to{Time::Max()}; //!< end of the window, exclusive
        bool frames{false};
        std::size_t mostEvents{1'000'000};
    };

    explicit InaTimeline(const Config& config);

    /** Connects to the whole cluster. This object must not move and must outlive the run. */
    void ConnectTo(const InaCluster& cluster);
    /** Adds a row of the cluster's InaLinkSeries. */
    void AddLinkSample(const ina::results::LinkSeriesRow& sample);
    /** Closes all open spans at `end`, the end of the recording. */
    void Finish(const Time& end);

    /** Whether the window has more than Config::mostEvents events. In that case, the recording
     * ended there, and Simulator::Stop() was called. */
    bool
    IsFull() const
    {
        return m_isFull;
    }

    std::size_t
    Events() const
    {
        return m_events.size();
    }
    /** Writes two members of a JSON object: displayTimeUnit, and traceEvents, whose events are in
     * the order of time. */
    void Write(std::ostream& out) const;

  private:
    using Pid = uint32_t;
    using Tid = uint32_t;

    struct Event
    {
        int64_t ts;
        int64_t durationTs; //!< only for phase X
        Pid pid;
        Tid tid;
        char phase;
        uint64_t id; //!< only for phases b and e
        std::string name;
        std::string arguments; //!< a JSON object, or empty

        /** Orders by time. At equal times, ends of communications come first, since the next
         * communication may have the same id. */
        bool operator<(const Event& other) const;
    };

    /// Recorder of the events at one switch and of its aggregators.
    class AtSwitch
    {
      public:
        AtSwitch(InaTimeline& timeline, Pid pid, const Ptr<InaSwitch>& inaSwitch);

        /** Ends the recording: adds the tasks that hold aggregators, and names the aggregators. */
        void Finish();

      private:
        struct Task
        {
            uint16_t job;
            uint32_t psn;
            int64_t sinceTs;
            bool complete;
        };

        /// Number of aggregators that a job holds. If it changes repeatedly in an instant, only the
        /// last value is written, since the file does not keep the order of simultaneous events.
        struct InUse
        {
            int64_t count{0};
            int64_t sinceTs{0};
            int64_t told{0};
        };

        /// The last task that gave up its aggregator. Some programs first report the release of an
        /// aggregator, and only then that its task was complete.
        struct Ended
        {
            uint32_t psn{0};
            uint32_t index{0};
            std::size_t event{0}; //!< its index in m_events plus 1; 0 if not recorded
        };

        void Allocated(uint16_t id, uint32_t psn, uint32_t index);
        void Completed(uint16_t id, uint32_t psn, uint32_t index);
        void Freed(uint16_t id, uint32_t psn, uint32_t index);
        void WentDown(uint32_t node);
        void Close();
        /** \return Whether the task's span was added to the events. */
        bool End(uint32_t index, const Task& task, std::string_view how);
        static std::string Arguments(uint32_t psn, std::string_view how);
        void Count(uint16_t job, int change);
        void Tell(uint16_t job, InUse& inUse);

        InaTimeline& m_timeline;
        Pid m_pid;
        std::map<uint32_t, Task> m_tasks;  //!< by aggregator index
        std::map<uint16_t, InUse> m_inUse; //!< by job
        std::set<uint32_t> m_used;         //!< aggregators with an event
        Ended m_ended;
    };

    /// Recorder of the frames at one end of a link.
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
        Tid m_out; //!< thread (row) of the sending direction
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
    /** Cuts a span to the window. \return Whether any part of the span is in the window. A span of
     * length 0 is an instant. */
    bool Cut(int64_t& beginTs, int64_t& endTs) const;

    const Config m_config;
    const int64_t m_fromTs;
    int64_t m_toTs; //!< end of the window, exclusive
    bool m_over{false};
    bool m_isFull{false};
    std::vector<Event> m_events;
    std::vector<std::string> m_names;      //!< events of phase M
    std::vector<std::vector<Pid>> m_pidOf; //!< by job and rank
    Ptr<InaControlPlane> m_control;        //!< control plane of the cluster
    std::map<Communication, InaPartitionEvent> m_open;
    std::deque<AtSwitch> m_switches; //!< a deque, since its elements must not move
    std::deque<AtDevice> m_devices;  //!< a deque for the same reason
    Pid m_links{0};
};

} // namespace ns3

#endif // INA_TIMELINE_H
