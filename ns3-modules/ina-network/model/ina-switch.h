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
 * A programmable switch (switch-models/node), aggregated to a node: every frame that arrives at a
 * port goes through the data-plane program; what comes out goes to its egress queues through a
 * traffic manager with a shared buffer.
 *
 * Queues are known from the time at which each line falls idle: a frame is marked if the queue
 * before it (in the line's time) is longer than EcnThreshold, and dropped if all queues together
 * hold BufferSize. Frames that the program sends by itself (SwitchProgram::next()) go to the egress
 * queues in the same way; its deadlines are events of the switch.
 *
 * For ns-3's packets, where devices carry them, it is a bridge: they share the egress queues and
 * the buffer. To a station that it was told of they leave as frames to its host do, of several ways
 * each flow by one of its own. Without any such station it learns where the sources of packets are,
 * and sends what is for all or for an address that it has not learned to every other port, as
 * bridges without a spanning tree do: the network may have no loops then. A BridgeNetDevice at its
 * node has the ports that carry packets when they are added: ns-3's global routing looks for it.
 */
class InaSwitch : public Object, private ina::programs::AggregatorObserver
{
  public:
    static TypeId GetTypeId();

    /**
     * TracedCallback signature of the events of aggregators.
     *
     * \param [in] job The job.
     * \param [in] psn The packet sequence number.
     * \param [in] index The aggregator's index.
     */
    typedef void (*AggregatorTracedCallback)(uint16_t job, uint32_t psn, uint32_t index);
    /**
     * TracedCallback signature of the egress queues.
     *
     * \param [in] port The port, in the order of AddPort().
     * \param [in] bytes What is queued there before the frame.
     */
    typedef void (*QueueTracedCallback)(uint32_t port, uint64_t bytes);

    /**
     * TracedCallback signature of frames that were refused.
     *
     * \param [in] port The port at which it came in.
     * \param [in] frame The frame.
     */
    typedef void (*RefusedTracedCallback)(uint32_t port, const ina::Frame& frame);

    /**
     * TracedCallback signature of reboots.
     *
     * \param [in] node The switch's node.
     */
    typedef void (*RebootTracedCallback)(uint32_t node);

    /**
     * The switch runs a program of a class, constructed from `args`, such as
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

    /** For modules: the same with a program that InaSystem::MakeProgram() has made. */
    void SetProgram(std::unique_ptr<ina::programs::SwitchProgram> program);

    /**
     * A reboot begins: what the pipeline holds and all jobs are lost, and so is what arrives until
     * ComeBack(). What stands in egress queues still leaves.
     *
     * \param program With which the switch comes back; knows no job yet.
     */
    void GoDown(std::unique_ptr<ina::programs::SwitchProgram> program);
    void ComeBack();

    /** As the attribute RunAhead. */
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

    /** Adds a port; frames to `host` leave through it. SetRoutes() leads those to further addresses
     * at the same machine there, too, and lets theirs in. */
    void AddPort(Ptr<InaNetDevice> device, ina::HostId host);
    /**
     * Adds a port to another switch; only frames of the hosts to which SetRoutes() leads through it
     * are let in.
     *
     * \returns its number.
     */
    ina::node::PortIndex AddTrunk(Ptr<InaNetDevice> device);

    /** Frames to the hosts leave by the ports; of several, by that which SetPathChoice() gives. */
    void SetRoutes(const std::vector<ina::HostId>& hosts,
                   const std::vector<ina::node::PortIndex>& ports);

    /** Packets to the address take the ways of frames to the host. */
    void AddStation(const Mac48Address& address, ina::HostId host);

    /// Sets the mark of a packet with its Ethernet header; whether that can have one.
    using PacketMarker = Callback<bool, Ptr<Packet>>;

    /** Who marks packets before which a queue is longer than EcnThreshold; by default nobody. */
    void
    SetPacketMarker(PacketMarker marker)
    {
        m_packetMarker = marker;
    }

    /** Whether no frame is in a further pass, and the program waits for no deadline. */
    bool IsIdle() const;

    /** Packets that arrived during reboots, or for whom nothing leads anywhere. */
    uint64_t
    GetPacketsNotForwarded() const
    {
        return m_packetsNotForwarded;
    }

    /**
     * How frames choose among ports that lead to their destination equally well.
     *
     * \param choice What has the same choice.
     * \param height Of the switch, from 0.
     */
    void
    SetPathChoice(const ina::wire::PathChoice& choice, uint8_t height)
    {
        m_node.set_path_choice(choice, height);
    }

    /** The number of the port to a host. */
    ina::node::PortIndex GetPort(ina::HostId host) const;

    /**
     * The hosts to which multicast frames of a job go; one frame for all behind a trunk. Each must
     * have a port.
     */
    void SetGroup(ina::JobId job, const std::vector<ina::HostId>& hosts);

    /**
     * The program knows the job from now on. From the first one on, only members send frames of
     * their jobs, each in its own name; what else arrives is dropped and counted.
     *
     * \param job The job.
     * \param entry What the program knows of it.
     * \param members Its hosts, and its group as SetGroup() has it.
     */
    void InstallJob(ina::JobId job,
                    const ina::programs::JobEntry& entry,
                    const ina::node::JobMembers& members);

    /**
     * Nobody is a member of the job any more.
     *
     * \returns how many aggregators it held, which are free.
     */
    uint64_t RemoveJob(ina::JobId job);

    /** What happened to a job's aggregators, also before reboots. */
    ina::programs::AggregatorCounters
    GetCounters(ina::JobId job) const
    {
        return m_node.aggregator_counters(job);
    }

    /** Tells `observer` what happens to aggregators, as the trace sources do, but does not keep to
     * the simulator's clock for it: Simulator::Now() may lag behind, other switches be ahead or
     * behind, and a port's counters of what it received stand still. The observer may only look:
     * not send, nor change jobs, groups or routes. To be called before the simulation starts; it
     * must outlive the traffic. */
    void
    SetObserver(ina::programs::AggregatorObserver* observer)
    {
        m_observer = observer;
    }

    /** Frames to hosts or jobs that are not known. */
    uint64_t
    GetFramesWithoutRoute() const
    {
        return m_node.without_route();
    }

    /** Frames that the program dropped as nobody's. */
    uint64_t
    GetFramesRejected() const
    {
        return m_node.rejected();
    }

    /** Frames that no member of their job may send. */
    uint64_t
    GetFramesRefused() const
    {
        return m_node.refused();
    }

    /** Frames that arrived during reboots. */
    uint64_t
    GetFramesWhileDown() const
    {
        return m_node.while_down();
    }

    /** What the frames resubmitted had, in bytes, for each resubmission. */
    uint64_t
    GetBytesResubmitted() const
    {
        return m_bytesResubmitted;
    }

    /** What passed the recirculation ports, in bytes. */
    uint64_t
    GetBytesRecirculated() const
    {
        return m_bytesRecirculated;
    }

  protected:
    void DoInitialize() override;
    void DoDispose() override;

  private:
    void aggregator_event(ina::programs::AggregatorEvent event,
                          ina::JobId job,
                          ina::Psn psn,
                          uint32_t aggregatorIndex) override;

    /// Takes what arrives at its device.
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

    /// What leaves by a port, in few cache lines for all ports.
    struct Egress
    {
        Ptr<InaNetDevice> device;
        int64_t ecnThresholdSteps{0}; //!< EcnThreshold on this port's line
        double bytesPerStep{0};
    };

    /// A path back to the ingress: frames in their further passes, in the order of their ends.
    class PassPath
    {
      public:
        struct Waiting
        {
            int64_t doneTs;
            ina::rmt::Verdict verdict; //!< what is left to do afterwards
            ina::Frame frame;
        };

        /**
         * A frame takes the path for all passes that `verdict` does not have left.
         *
         * \param frame The frame, moved from.
         * \param verdict What is left to do afterwards.
         * \param bandwidthSteps How long the path is occupied.
         * \param latencySteps How long all passes take, after that.
         * \param ts Now.
         * \returns when they end.
         */
        int64_t Push(ina::Frame&& frame,
                     ina::rmt::Verdict verdict,
                     int64_t bandwidthSteps,
                     int64_t latencySteps,
                     int64_t ts);
        /// A frame that nobody waits for takes the path.
        void Occupy(int64_t bandwidthSteps, int64_t ts);
        /// When the next frame's passes end, or InaArrivals::NEVER.
        int64_t NextTs() const;
        Waiting Pop();

      private:
        std::deque<Waiting> m_waiting;
        int64_t m_idleAt{0};
    };

    /// The events of the switch: frames arrive, further passes of frames end, and deadlines of the
    /// program pass.
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

    /// Calls `output.Finish()` when the program has seen the frame, for those before it, and
    /// `output.Leave(frame, exit, ts)` if it just leaves then.
    template <class Output>
    void Receive(ina::node::PortIndex port, ina::Frame& frame, int64_t ts, Output&& output);
    void ReceiveNow(ina::node::PortIndex port, ina::Frame& frame, int64_t ts);
    /// Of a frame that was processed: it has no further pass, and is not dropped.
    bool JustLeaves(const ina::rmt::Verdict& verdict) const;
    /// Where it does not just leave.
    void Follow(ina::Frame& frame, const ina::rmt::Verdict& verdict, int64_t ts);
    [[gnu::cold, gnu::noinline]] void Refused(ina::node::PortIndex port, const ina::Frame& frame);
    [[gnu::noinline]] void TakeFurtherPass(ina::Frame& frame,
                                           const ina::rmt::Verdict& verdict,
                                           int64_t ts);
    [[gnu::noinline]] void Resubmit(ina::Frame& frame, ina::rmt::Verdict verdict, int64_t ts);
    [[gnu::noinline]] void Recirculate(ina::Frame& frame, ina::rmt::Verdict verdict, int64_t ts);
    [[gnu::noinline]] void CountAbsorbed(const ina::Frame& frame,
                                         const ina::rmt::Verdict& verdict,
                                         int64_t ts);
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
    const ina::FramePrefetchable* m_programFetches{nullptr}; //!< null: it fetches nothing
    std::size_t m_programWidth{0};    //!< values of a gradient that the program reads
    std::set<ina::JobId> m_knownJobs; //!< installed, or reported as not
    bool m_isDisposed{false};
    std::set<ina::HostId> m_hostsWithPort;
    std::vector<std::unique_ptr<Port>> m_ports; //!< by PortIndex
    std::vector<Egress> m_egress;               //!< by PortIndex
    int64_t m_pipelineSteps{0};
    bool m_runsAhead{false};                                //!< handles windows
    bool m_isTraced{false};                                 //!< some sink is connected
    ina::programs::AggregatorObserver* m_observer{nullptr}; //!< beside the traces
    uint64_t m_bufferedAtMost{0};     //!< exact when last counted, plus all that came since
    std::unique_ptr<Events> m_events; //!< made for the first port
    PassPath m_resubmitPath;
    PassPath m_recirculationPath;
    uint64_t m_bytesResubmitted{0};
    uint64_t m_bytesRecirculated{0};
    std::unordered_map<Mac48Address, ina::HostId, AddressHash> m_stations;
    std::unordered_map<Mac48Address, ina::node::PortIndex, AddressHash> m_learned;
    PacketMarker m_packetMarker;
    Ptr<BridgeNetDevice> m_bridge; //!< made for the first port with Packets
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
