/* SPDX-License-Identifier: GPL-2.0-only */
#include "stock-star.h"

#include "ns3/abort.h"
#include "ns3/address.h"
#include "ns3/callback.h"
#include "ns3/data-rate.h"
#include "ns3/header.h"
#include "ns3/net-device-container.h"
#include "ns3/net-device.h"
#include "ns3/node-container.h"
#include "ns3/node.h"
#include "ns3/nstime.h"
#include "ns3/packet.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/queue-size.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/type-id.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <ctime>
#include <deque>
#include <ostream>
#include <vector>

namespace ns3
{

namespace
{

constexpr uint32_t FRAME_BYTES = 306;
constexpr uint32_t PPP_BYTES = 2;    // added by PointToPointNetDevice
constexpr uint32_t HEADER_BYTES = 8; // size of a FragmentHeader
constexpr uint32_t BODY_BYTES = FRAME_BYTES - PPP_BYTES - HEADER_BYTES;
constexpr uint32_t VALUES = 62;
constexpr uint32_t LIMIT = 1024;      // maximum number of jobs and of workers: no sum overflows
constexpr uint16_t PROTOCOL = 0x0800; // the device accepts only the numbers of IPv4 and IPv6

/// The values of a fragment or a result, in the byte order of the host.
using Values = std::array<int32_t, VALUES>;

/// Body of a frame with values: the values come first, followed by zeros.
using Body = std::array<uint8_t, BODY_BYTES>;

static_assert(sizeof(Values) <= BODY_BYTES);

/// Contribution of a worker to a value of a fragment.
constexpr int32_t
ValueOf(uint32_t job, uint32_t worker, uint32_t psn, uint32_t index)
{
    return static_cast<int32_t>((psn & 0xffff) + job + 3 * worker + index) - 0x8000;
}

/// Sum of ValueOf() over the workers.
constexpr int32_t
SumOf(uint32_t job, uint32_t workers, uint32_t psn, uint32_t index)
{
    return static_cast<int32_t>(workers) * ValueOf(job, 0, psn, index) +
           static_cast<int32_t>(3 * workers * (workers - 1) / 2);
}

/// Identifies a packet's fragment. Results do not use the worker field.
class FragmentHeader : public Header
{
  public:
    FragmentHeader() = default;

    FragmentHeader(uint16_t job, uint16_t worker, uint32_t psn) :
        m_job(job), m_worker(worker), m_psn(psn)
    {
    }

    static TypeId
    GetTypeId()
    {
        static TypeId tid = TypeId("ns3::StockStarFragmentHeader")
                                .SetParent<Header>()
                                .AddConstructor<FragmentHeader>();
        return tid;
    }

    TypeId
    GetInstanceTypeId() const override
    {
        return GetTypeId();
    }

    uint32_t
    GetSerializedSize() const override
    {
        return HEADER_BYTES;
    }

    void
    Serialize(Buffer::Iterator start) const override
    {
        start.WriteHtonU16(m_job);
        start.WriteHtonU16(m_worker);
        start.WriteHtonU32(m_psn);
    }

    uint32_t
    Deserialize(Buffer::Iterator start) override
    {
        m_job = start.ReadNtohU16();
        m_worker = start.ReadNtohU16();
        m_psn = start.ReadNtohU32();
        return HEADER_BYTES;
    }

    void
    Print(std::ostream& os) const override
    {
        os << "job " << m_job << " worker " << m_worker << " psn " << m_psn;
    }

    uint16_t
    GetJob() const
    {
        return m_job;
    }

    uint32_t
    GetPsn() const
    {
        return m_psn;
    }

  private:
    uint16_t m_job{0};
    uint16_t m_worker{0};
    uint32_t m_psn{0};
};

/// A packet with the header in front of the values.
Ptr<Packet>
MakeValuePacket(const FragmentHeader& header, const Values& values)
{
    Body body{};
    std::memcpy(body.data(), values.data(), sizeof(values));
    Ptr<Packet> packet = Create<Packet>(body.data(), BODY_BYTES);
    packet->AddHeader(header);
    return packet;
}

/// The values of a packet that MakeValuePacket made.
Values
ReadValues(Ptr<const Packet> packet)
{
    std::array<uint8_t, HEADER_BYTES + sizeof(Values)> bytes;
    packet->CopyData(bytes.data(), static_cast<uint32_t>(bytes.size()));
    Values values;
    std::memcpy(values.data(), bytes.data() + HEADER_BYTES, sizeof(values));
    return values;
}

/// Sends the fragments of one worker through a window and checks the results.
class Worker
{
  public:
    Worker(const StockStarConfig& config, uint32_t job, uint32_t worker, Ptr<NetDevice> device) :
        m_config(config),
        m_job(static_cast<uint16_t>(job)),
        m_worker(static_cast<uint16_t>(worker)),
        m_device(device),
        m_destination(device->GetBroadcast())
    {
        device->SetReceiveCallback(MakeCallback(&Worker::Receive, this));
    }

    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;

    /// Sends the first window.
    void
    Start()
    {
        while (m_sent < std::min(m_config.window, m_config.fragments))
        {
            SendNext();
        }
    }

    uint32_t
    GetResults() const
    {
        return m_results;
    }

  private:
    void
    SendNext()
    {
        const uint32_t psn = m_sent++;
        const FragmentHeader header(m_job, m_worker, psn);
        Ptr<Packet> packet;
        if (m_config.values)
        {
            Values values;
            for (uint32_t i = 0; i < VALUES; ++i)
            {
                values[i] = ValueOf(m_job, m_worker, psn, i);
            }
            packet = MakeValuePacket(header, values);
        }
        else
        {
            packet = Create<Packet>(BODY_BYTES);
            packet->AddHeader(header);
        }
        const bool sent = m_device->Send(packet, m_destination, PROTOCOL);
        NS_ABORT_MSG_UNLESS(sent, "a worker's queue is full");
    }

    bool
    Receive(Ptr<NetDevice>, Ptr<const Packet> packet, uint16_t, const Address&)
    {
        FragmentHeader header;
        packet->PeekHeader(header);
        NS_ABORT_MSG_UNLESS(header.GetJob() == m_job && header.GetPsn() == m_results,
                            "job " << m_job << " expects result " << m_results << ", not "
                                   << header);
        if (m_config.values)
        {
            CheckSums(ReadValues(packet));
        }
        ++m_results;
        if (m_sent < m_config.fragments)
        {
            SendNext();
        }
        return true;
    }

    void
    CheckSums(const Values& sums) const
    {
        for (uint32_t i = 0; i < VALUES; ++i)
        {
            NS_ABORT_MSG_UNLESS(sums[i] == SumOf(m_job, m_config.workers, m_results, i),
                                "job " << m_job << ": wrong sum in result " << m_results);
        }
    }

    const StockStarConfig m_config;
    const uint16_t m_job;
    const uint16_t m_worker;
    const Ptr<NetDevice> m_device;
    const Address m_destination;
    uint32_t m_sent{0};
    uint32_t m_results{0};
};

/**
 * Aggregates the fragments of all jobs. Each job has a ring of slots, one for each fragment of the
 * window: a worker sends fragment n + window only after result n, so a slot is free by then.
 */
class Switch
{
  public:
    /// \param devices the switch's devices, grouped by the job that they connect
    Switch(const StockStarConfig& config, const NetDeviceContainer& devices) :
        m_config(config),
        m_devices(devices.Begin(), devices.End()),
        m_destination(m_devices.front()->GetBroadcast()),
        m_contributions(std::size_t{config.jobs} * config.window),
        m_sums(config.values ? m_contributions.size() : 0)
    {
        for (const auto& device : m_devices)
        {
            device->SetReceiveCallback(MakeCallback(&Switch::Receive, this));
        }
    }

    Switch(const Switch&) = delete;
    Switch& operator=(const Switch&) = delete;

    uint64_t
    GetReceived() const
    {
        return m_received;
    }

    /// Whether no slot holds a partial sum.
    bool
    IsIdle() const
    {
        return std::all_of(m_contributions.begin(),
                           m_contributions.end(),
                           [](uint32_t count) { return count == 0; });
    }

  private:
    bool
    Receive(Ptr<NetDevice>, Ptr<const Packet> packet, uint16_t, const Address&)
    {
        FragmentHeader header;
        packet->PeekHeader(header);
        ++m_received;
        const std::size_t slot =
            std::size_t{header.GetJob()} * m_config.window + header.GetPsn() % m_config.window;
        if (m_config.values)
        {
            const Values values = ReadValues(packet);
            Values& sums = m_sums[slot];
            for (uint32_t i = 0; i < VALUES; ++i)
            {
                sums[i] += values[i];
            }
        }
        if (++m_contributions[slot] < m_config.workers)
        {
            return true;
        }
        m_contributions[slot] = 0;
        if (m_config.values)
        {
            Multicast(header.GetJob(), MakeValuePacket(header, m_sums[slot]));
            m_sums[slot].fill(0);
        }
        else
        {
            Multicast(header.GetJob(), packet); // the last fragment serves as the result
        }
        return true;
    }

    void
    Multicast(uint32_t job, Ptr<const Packet> result)
    {
        const uint32_t first = job * m_config.workers;
        for (uint32_t port = first; port < first + m_config.workers; ++port)
        {
            const bool sent = m_devices[port]->Send(result->Copy(), m_destination, PROTOCOL);
            NS_ABORT_MSG_UNLESS(sent, "a queue of the switch is full");
        }
    }

    const StockStarConfig m_config;
    const std::vector<Ptr<NetDevice>> m_devices;
    const Address m_destination;
    std::vector<uint32_t> m_contributions; // per slot
    std::vector<Values> m_sums;            // per slot
    uint64_t m_received{0};
};

double
CpuSeconds()
{
    timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

} // namespace

StockStarResult
RunStockStar(const StockStarConfig& config)
{
    NS_ABORT_MSG_IF(config.jobs < 1 || config.jobs > LIMIT, "jobs: 1 to " << LIMIT);
    NS_ABORT_MSG_IF(config.workers < 1 || config.workers > LIMIT, "workers: 1 to " << LIMIT);
    NS_ABORT_MSG_IF(config.window < 1, "window: at least 1");

    if (Time::GetResolution() != Time::PS)
    {
        Time::SetResolution(Time::PS);
    }

    NodeContainer center(1);
    NodeContainer hosts(config.jobs * config.workers);
    PointToPointHelper link;
    link.SetDeviceAttribute("DataRate", StringValue("100Gbps"));
    link.SetChannelAttribute("Delay", StringValue("2500ns"));
    link.SetQueue("ns3::DropTailQueue",
                  "MaxSize",
                  QueueSizeValue(QueueSize(QueueSizeUnit::PACKETS, config.window)));
    // There are no queue discs, so flow control is not needed.
    link.DisableFlowControl();

    NetDeviceContainer ports;
    std::deque<Worker> workers;
    for (uint32_t i = 0; i < hosts.GetN(); ++i)
    {
        const NetDeviceContainer devices = link.Install(hosts.Get(i), center.Get(0));
        ports.Add(devices.Get(1));
        Worker& worker =
            workers.emplace_back(config, i / config.workers, i % config.workers, devices.Get(0));
        Simulator::ScheduleWithContext(hosts.Get(i)->GetId(), Time(0), &Worker::Start, &worker);
    }
    Switch aggregator(config, ports);

    StockStarResult result;
    const double start = CpuSeconds();
    Simulator::Run();
    result.cpuSeconds = CpuSeconds() - start;
    result.simulatedPs = Simulator::Now().GetPicoSeconds();

    NS_ABORT_MSG_UNLESS(aggregator.IsIdle(), "the switch sent a result too early");
    result.packetHops = aggregator.GetReceived();
    for (const auto& worker : workers)
    {
        NS_ABORT_MSG_UNLESS(worker.GetResults() == config.fragments, "a result is missing");
        result.packetHops += worker.GetResults();
    }
    Simulator::Destroy();
    return result;
}

} // namespace ns3
