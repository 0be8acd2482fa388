/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#ifndef INA_SWITCH_H
#define INA_SWITCH_H

#include "ina-arrivals.h"
#include "ina-net-device.h"

#include "hw/protocol/prefetchable.hpp"
#include "switch-models/node/switch_node.hpp"

#include "ns3/bridge-net-device.h"
#include "ns3/callback.h"
#include "ns3/data-rate.h"
#include "ns3/mac48-address.h"
#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/traced-callback.h"

#include <deque>
#include <memory>
#include <set>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * \ingroup ina-network
 * A programmable switch (switch-models/node) on an ns-3 node. Every frame that arrives at a port
 * and is admitted passes the data-plane program. The frames that leave the program go to egress
 * queues with a shared buffer.
 *
 * The length of a queue is computed from the time at which its line becomes idle. A frame is marked
 * if its queue is longer than EcnThreshold, and dropped if all queues together would exceed
 * BufferSize. Frames that the program generates (SwitchProgram::next()) go to the egress queues in
 * the same way. The program's deadlines are events of the switch.
 *
 * If the program separates the passes of a packet, each pass is an event of its own, so that other
 * frames come in between. Resubmitted frames take PassLatency and stay in order, and so do
 * recirculated frames, which in addition queue for RecirculateBandwidth. A recirculated frame is
 * lost if that queue has more bytes than BufferSize.
 *
 * For ns-3's packets, if devices carry any, the switch is a bridge. Packets share the egress queues
 * and the buffer with frames. Once AddStation() was called, a packet to a station takes the route
 * of frames to its host, and all packets of a flow take one path. Packets to other addresses are
 * dropped. Otherwise the switch learns the ports of source addresses, and floods broadcasts and
 * packets to unknown addresses. It has no spanning tree, so the network must have no loops. A port
 * whose device has Packets set when the port is added also belongs to a BridgeNetDevice of the
 * node, which ns-3's global routing needs.
 */
class InaSwitch : public Object, private ina::programs::AggregatorObserver
{
  public:
    static TypeId GetTypeId();

    /**
     * TracedCallback signature of aggregator events.
     *
     * \param [in] job The job.
     * \param [in] psn The packet sequence number.
     * \param [in] index Index of the aggregator.
     */
    typedef void (*AggregatorTracedCallback)(uint16_t job, uint32_t psn, uint32_t index);
    /**
     * TracedCallback signature of frames and packets that enter an egress queue.
     *
     * \param [in] port The port, in the order of AddPort() and AddTrunk().
     * \param [in] bytes Bytes that are queued there before the frame or packet.
     */
    typedef void (*QueueTracedCallback)(uint32_t port, uint64_t bytes);

    /**
     * TracedCallback signature of frames that are not admitted.
     *
     * \param [in] port The port at which the frame arrived.
     * \param [in] frame The frame.
     */
    typedef void (*RefusedTracedCallback)(uint32_t port, const ina::Frame& frame);

    /**
     * TracedCallback signature of reboots.
     *
     * \param [in] node Node of the switch.
     */
    typedef void (*RebootTracedCallback)(uint32_t node);

    /**
     * Constructs a Program from `args` and installs it. An example of a Program is
     * ina::programs::DsaProgram<MyPolicy>.
     *
     * \returns the program.
     */
    template <class Program, class... Args>
    Program&
    SetProgram(Args&&... args)
    {
        auto program = std::make_unique<Program>(std::forward<Args>(args)...);
        Program& installed = *program;
        SetProgram(std::move(program));
        return installed;
    }

    /** Used by other INA modules: installs a program created by InaSystem::MakeProgram(). */
    void SetProgram(std::unique_ptr<ina::programs::SwitchProgram> program);

    /**
     * Begins a reboot. Frames that are being resubmitted or recirculated, all jobs, and all
     * arrivals until ComeBack() are lost. All other frames still reach their queues and leave.
     *
     * \param program Program after the reboot; no job may be installed in it yet.
     */
    void GoDown(std::unique_ptr<ina::programs::SwitchProgram> program);
    void ComeBack();

    /** Sets the attribute RunAhead. */
    void
    SetRunAhead(bool runsAhead)
    {
        m_runsAhead = runsAhead;
    }

    bool
    IsDown() const
    {
        return m_node.is_down();
    }

    ina::programs::SwitchProgram& GetProgram();

    void SetEcnThreshold(uint64_t bytes);
    uint64_t GetEcnThreshold() const;
    void SetPipelineLatency(const Time& latency);
    Time GetPipelineLatency() const;
    void SetResubmitBandwidth(DataRate rate);
    DataRate GetResubmitBandwidth() const;
    void SetRecirculateBandwidth(DataRate rate);
    DataRate GetRecirculateBandwidth() const;

    /** Adds a port to the machine with address `host`. If SetRoutes() routes further addresses of
     * this machine through the port, the port also admits frames from them. */
    void AddPort(Ptr<InaNetDevice> device, ina::HostId host);
    /**
     * Adds a port to another switch. The port admits only frames from hosts to which SetRoutes()
     * gives a route through this port, and the answers and results of jobs' roots.
     *
     * \returns number of the port.
     */
    ina::node::PortIndex AddTrunk(Ptr<InaNetDevice> device);

    /** Sets one or more ports that lead to these hosts. SetPathChoice() selects among several. */
    void SetRoutes(const std::vector<ina::HostId>& hosts,
                   const std::vector<ina::node::PortIndex>& ports);

    /** Makes packets to `address` take the routes of frames to `host`. */
    void AddStation(const Mac48Address& address, ina::HostId host);

    /// Sets the ECN mark of a packet that begins with its Ethernet header. Returns whether the
    /// packet is now marked.
    using PacketMarker = Callback<bool, Ptr<Packet>>;

    /** Sets the function that marks packets whose queue is longer than EcnThreshold. By default,
     * packets are not marked. */
    void
    SetPacketMarker(PacketMarker marker)
    {
        m_packetMarker = marker;
    }

    /** Whether no frame is in a further pass and the program has no deadline. */
    bool IsIdle() const;

    /** Number of packets, and of frames of background traffic, that arrived during reboots or had
     * no route. */
    uint64_t
    GetPacketsNotForwarded() const
    {
        return m_packetsNotForwarded;
    }

    /**
     * Sets how frames choose among equally good ports to their destination.
     *
     * \param choice Path selection that all switches share.
     * \param height Tier of this switch: 0 for leaves, 1 for the switches above them, and so on.
     */
    void
    SetPathChoice(const ina::wire::PathChoice& choice, uint8_t height)
    {
        m_node.set_path_choice(choice, height);
    }

    /** Number of the port to a host. Aborts unless exactly one port leads to it. */
    ina::node::PortIndex GetPort(ina::HostId host) const;

    /**
     * Sets the hosts that receive multicast frames of a job. All hosts behind one trunk share a
     * single copy. Aborts unless each host has exactly one route.
     */
    void SetGroup(ina::JobId job, const std::vector<ina::HostId>& hosts);

    /**
     * Installs a job in the program. Once a job has been installed, only members of a job may send
     * its frames, each with its own address. All other frames are dropped and counted.
     *
     * \param job The job.
     * \param entry The program's table entry for the job.
     * \param members Hosts of the job, and its group as in SetGroup().
     */
    void InstallJob(ina::JobId job,
                    const ina::programs::JobEntry& entry,
                    const ina::node::JobMembers& members);

    /**
     * Removes a job with all its members, and frees its aggregators.
     *
     * \returns the number of aggregators freed; 0 if the job is not installed.
     */
    uint64_t RemoveJob(ina::JobId job);

    /** Aggregator events of a job, including those before reboots. */
    ina::programs::AggregatorCounters
    GetCounters(ina::JobId job) const
    {
        return m_node.aggregator_counters(job);
    }

    /** Reports aggregator events to `observer`. Unlike trace sinks, it does not disable RunAhead.
     * During a call, Simulator::Now() may lag behind, other switches may be ahead or behind, and a
     * port's receive counters may be out of date. The observer must not send frames or change
     * jobs, groups or routes. Call this before the simulation starts. The observer must outlive the
     * traffic. */
    void
    SetObserver(ina::programs::AggregatorObserver* observer)
    {
        m_observer = observer;
    }

    /** Number of frames without a route to their host or without a multicast group of their job. */
    uint64_t
    GetFramesWithoutRoute() const
    {
        return m_node.without_route();
    }

    /** Number of frames that the program dropped: their job, worker or slot was unknown. */
    uint64_t
    GetFramesRejected() const
    {
        return m_node.rejected();
    }

    /** Number of frames that were not admitted: their sender may not send frames of their job. */
    uint64_t
    GetFramesRefused() const
    {
        return m_node.refused();
    }

    /** Number of frames that arrived during reboots. */
    uint64_t
    GetFramesWhileDown() const
    {
        return m_node.while_down();
    }

    /** Bytes of resubmitted frames, counted once per resubmission. */
    uint64_t
    GetBytesResubmitted() const
    {
        return m_bytesResubmitted;
    }

    /** Bytes that passed the recirculation ports. */
    uint64_t
    GetBytesRecirculated() const
    {
        return m_bytesRecirculated;
    }

    /** Number of frames that were lost in the queue of the recirculation ports. */
    uint64_t
    GetFramesLostBetweenPasses() const
    {
        return m_framesLostBetweenPasses;
    }

  protected:
    void DoInitialize() override;
    void DoDispose() override;

  private:
    void aggregator_event(ina::programs::AggregatorEvent event,
                          ina::JobId job,
                          ina::Psn psn,
                          uint32_t aggregatorIndex) override;

    /// Handles the arrivals of its device.
    struct alignas(64) Port : public InaFrameHandler, public InaPacketHandler
    {
        Port(InaSwitch& inaSwitch, ina::node::PortIndex index);

        void
        HandleFrame(InaNetDevice&, ina::Frame& frame, int64_t ts) override
        {
            inaSwitch.ReceiveNow(index, frame, ts);
        }

        void HandlePacket(InaNetDevice& device, Ptr<Packet> packet, int64_t ts) override;

        InaSwitch& inaSwitch;
        ina::node::PortIndex index;
    };

    /// Egress side of a port. It is small, so that all ports use few cache lines.
    struct Egress
    {
        Ptr<InaNetDevice> device;
        int64_t ecnThresholdSteps{0}; //!< EcnThreshold in time steps of this port's line
        double bytesPerStep{0};
    };

    /// A path back to the ingress. Its frames are in the order in which their further passes end.
    class PassPath
    {
      public:
        struct Waiting
        {
            int64_t doneTs;
            ina::rmt::Verdict verdict; //!< remaining steps after the passes
            ina::rmt::Carry carry;     //!< of separate passes: for the next one
            ina::Frame frame;
        };

        /**
         * Adds a frame. Its next passes use this path, and are no longer counted in its verdict.
         *
         * \param waiting The frame with what comes after the passes; doneTs is not read.
         * \param bandwidthSteps Time for which the path is occupied.
         * \param latencySteps Additional latency of all passes.
         * \param ts Current time step.
         * \returns the time step at which the passes end.
         */
        int64_t Push(Waiting waiting, int64_t bandwidthSteps, int64_t latencySteps, int64_t ts);
        /// Time steps for which the path is still occupied.
        int64_t Backlog(int64_t ts) const;
        /// Occupies the path for a frame that does not leave the switch.
        void Occupy(int64_t bandwidthSteps, int64_t ts);
        /// Time step at which the next frame's passes end, or InaArrivals::NEVER.
        int64_t NextTs() const;
        Waiting Pop();

      private:
        std::deque<Waiting> m_waiting;
        int64_t m_idleAt{0};
    };

    /// Events of the switch: arrivals, ends of further passes, and deadlines of the program.
    class Events : public InaArrivals
    {
      public:
        Events(uint32_t node, InaSwitch& inaSwitch);

        using InaArrivals::ExpectOwn;

      private:
        int64_t RunOwn(int64_t ts) override;
        bool MayRunAhead() const override;
        bool HandleWindow() override;

        InaSwitch& m_switch;
    };

    struct AddressHash
    {
        std::size_t operator()(const Mac48Address& address) const;
    };

    void ReadLine(Egress& egress) const;
    void AdoptProgram();
    void AbortUnlessReady(const ina::Frame& frame) const;
    void TellIfUnknown(ina::JobId job);
    void ObserveProgram();
    void AddDevice(Ptr<InaNetDevice> device, ina::node::PortIndex index);
    using Ports = std::span<const ina::node::PortIndex>;
    class WindowReceiver;

    /// Processes an arriving frame. Then calls `output.Finish()` to complete earlier frames, and
    /// `output.Leave(frame, exit, ts)` if this frame leaves without further passes.
    template <class Output>
    void Receive(ina::node::PortIndex port, ina::Frame& frame, int64_t ts, Output&& output);
    void ReceiveNow(ina::node::PortIndex port, ina::Frame& frame, int64_t ts);
    /// Whether a processed frame leaves without a further pass.
    bool JustLeaves(const ina::rmt::Verdict& verdict) const;
    /// Handles a processed frame that is dropped or needs further passes.
    void Follow(ina::Frame& frame, const ina::rmt::Verdict& verdict, int64_t ts);
    /// Forwards a frame of background traffic, which neither a job's tree nor the program handles.
    [[gnu::noinline]] void ForwardTraffic(ina::node::PortIndex from, ina::Frame& frame, int64_t ts);
    [[gnu::cold, gnu::noinline]] void Refused(ina::node::PortIndex port, const ina::Frame& frame);
    [[gnu::noinline]] void TakeFurtherPass(ina::Frame& frame,
                                           const ina::rmt::Verdict& verdict,
                                           int64_t ts);
    /// Starts a pass on the resubmission path. `leaves`: whether the frame leaves the switch later.
    [[gnu::noinline]] void Resubmit(PassPath::Waiting waiting, bool leaves, int64_t ts);
    /// Starts passes on the recirculation path, of that many bytes in all.
    [[gnu::noinline]] void Recirculate(PassPath::Waiting waiting,
                                       uint8_t passes,
                                       uint32_t bytes,
                                       int64_t ts);
    [[gnu::noinline]] void CountAbsorbed(const ina::Frame& frame,
                                         const ina::rmt::Verdict& verdict,
                                         int64_t ts);
    /// Handles a frame after one of several separate passes.
    [[gnu::noinline]] void AfterPass(ina::Frame& frame,
                                     const ina::rmt::Carry& carry,
                                     const ina::rmt::Verdict& verdict,
                                     int64_t ts);
    int64_t RecirculationSteps(uint64_t bytes) const;
    int64_t ActAt(int64_t ts);
    int64_t EndPass(int64_t ts);
    void ExpireProgram(int64_t ts);
    [[gnu::noinline]] void SendOwn(int64_t ts);
    void ExpectDeadline(int64_t ts);
    bool IsWatched() const;
    void Watch();
    void TraceQueue(ina::node::PortIndex port, uint64_t bytes, int64_t ts);
    void Leave(ina::Frame& frame, ina::rmt::Verdict::Exit exit, int64_t ts);
    [[gnu::noinline]] Ports OutputPorts(const ina::Frame& frame, ina::rmt::Verdict::Exit exit);
    [[gnu::noinline]] void Send(Ports ports, ina::Frame& frame, int64_t ts);
    void FetchPorts(Ports ports) const;
    template <InaFrameOrCopy FrameOrCopy>
    void Enqueue(ina::node::PortIndex port, FrameOrCopy&& frame, int64_t ts);
    void ShowPortToRouting(Ptr<InaNetDevice> device);
    void ReceivePacket(ina::node::PortIndex port, Ptr<Packet> packet, int64_t ts);
    void Flood(ina::node::PortIndex from, Ptr<Packet> packet, int64_t ts);
    void EnqueuePacket(ina::node::PortIndex port, Ptr<Packet> packet, int64_t ts);
    bool BufferHolds(uint32_t bytes, int64_t ts);
    static uint64_t QueueBytes(const Egress& egress, int64_t ts);

    uint64_t m_bufferBytes{0};
    uint64_t m_ecnThresholdBytes{0};
    Time m_pipelineLatency;
    Time m_passLatency;
    DataRate m_resubmitBandwidth;
    DataRate m_recirculateBandwidth;
    bool m_chargePasses{false};

    ina::node::SwitchNode m_node;
    const ina::FramePrefetchable* m_programFetches{nullptr}; //!< null: it prefetches nothing
    bool m_separatesPasses{false};                           //!< whether the program does
    std::size_t m_programWidth{0};    //!< number of gradient values that the program reads
    std::set<ina::JobId> m_knownJobs; //!< installed, or reported as unknown
    bool m_isDisposed{false};
    std::set<ina::HostId> m_hostsWithPort;
    std::vector<std::unique_ptr<Port>> m_ports; //!< by PortIndex
    std::vector<Egress> m_egress;               //!< by PortIndex
    int64_t m_pipelineSteps{0};
    bool m_runsAhead{false};                                //!< attribute RunAhead
    bool m_isTraced{false};                                 //!< a trace sink is connected
    ina::programs::AggregatorObserver* m_observer{nullptr}; //!< in addition to trace sinks
    /// upper bound of the bytes in the buffer: exact when last counted, plus all added since
    uint64_t m_bufferedAtMost{0};
    std::unique_ptr<Events> m_events; //!< created for the first port
    PassPath m_resubmitPath;
    PassPath m_recirculationPath;
    uint64_t m_bytesResubmitted{0};
    uint64_t m_bytesRecirculated{0};
    uint64_t m_framesLostBetweenPasses{0};
    std::unordered_map<Mac48Address, ina::HostId, AddressHash> m_stations;
    std::unordered_map<Mac48Address, ina::node::PortIndex, AddressHash> m_learned;
    PacketMarker m_packetMarker;
    Ptr<BridgeNetDevice> m_bridge; //!< created for the first port with Packets
    uint64_t m_packetsNotForwarded{0};

    using AggregatorTrace = TracedCallback<uint16_t, uint32_t, uint32_t>; //!< job, PSN, index
    AggregatorTrace m_allocatedTrace;
    AggregatorTrace m_collidedTrace;
    AggregatorTrace m_preemptedTrace;
    AggregatorTrace m_evictedTrace;
    AggregatorTrace m_fallbackTrace;
    AggregatorTrace m_completedTrace;
    AggregatorTrace m_freedTrace;
    TracedCallback<uint32_t, uint64_t> m_queueTrace;
    TracedCallback<uint32_t, const ina::Frame&> m_refusedTrace;
    TracedCallback<uint32_t> m_wentDownTrace;
    TracedCallback<uint32_t> m_cameBackTrace;
};

} // namespace ns3

#endif // INA_SWITCH_H
