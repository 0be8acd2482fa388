/* SPDX-License-Identifier: GPL-2.0-only */
#include "ina-link-faults.h"

#include "ina-protocol-time.h"

#include "ns3/double.h"
#include "ns3/uinteger.h"

#include <limits>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(InaLinkFaults);

namespace
{

Ptr<const AttributeChecker>
MakeProbabilityChecker()
{
    return MakeDoubleChecker<double>(0, 1);
}

} // namespace

TypeId
InaLinkFaults::GetTypeId()
{
    const ina::faults::LinkFaults::Config defaults;
    static TypeId tid =
        TypeId("ns3::InaLinkFaults")
            .SetParent<Object>()
            .SetGroupName("Ina")
            .AddConstructor<InaLinkFaults>()
            .AddAttribute("Classes",
                          "Frames that the faults concern: the sum of 1 for gradients, 2 for "
                          "partial aggregates, 4 for results, 8 for reminders, 16 for requests, 32 "
                          "for notifications, 64 for releases, 128 for acknowledgements.",
                          UintegerValue(defaults.classes),
                          MakeUintegerAccessor(&InaLinkFaults::m_classes),
                          MakeUintegerChecker<uint8_t>(1, ina::faults::kEveryFrameClass))
            .AddAttribute("From",
                          "When the faults begin.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&InaLinkFaults::m_from),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("Until",
                          "When the faults end.",
                          TimeValue(Days(100)),
                          MakeTimeAccessor(&InaLinkFaults::m_until),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("Loss",
                          "Probability that a frame is lost outside of bursts.",
                          DoubleValue(defaults.loss),
                          MakeDoubleAccessor(&InaLinkFaults::m_loss),
                          MakeProbabilityChecker())
            .AddAttribute("BurstStart",
                          "Probability of each frame to start a burst.",
                          DoubleValue(defaults.burst_start),
                          MakeDoubleAccessor(&InaLinkFaults::m_burstStart),
                          MakeProbabilityChecker())
            .AddAttribute("BurstEnd",
                          "Probability of each frame to end a burst.",
                          DoubleValue(defaults.burst_end),
                          MakeDoubleAccessor(&InaLinkFaults::m_burstEnd),
                          MakeProbabilityChecker())
            .AddAttribute("BurstMeanDuration",
                          "Mean duration of a burst, exponentially distributed; "
                          "0: frames end it by BurstEnd.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&InaLinkFaults::m_burstMeanDuration),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("BurstLoss",
                          "Probability that a frame is lost in a burst.",
                          DoubleValue(defaults.burst_loss),
                          MakeDoubleAccessor(&InaLinkFaults::m_burstLoss),
                          MakeProbabilityChecker())
            .AddAttribute("Corruption",
                          "Probability that the receiver drops a frame for its checksum.",
                          DoubleValue(defaults.corruption),
                          MakeDoubleAccessor(&InaLinkFaults::m_corruption),
                          MakeProbabilityChecker())
            .AddAttribute("Duplication",
                          "Probability that a frame arrives twice.",
                          DoubleValue(defaults.duplication),
                          MakeDoubleAccessor(&InaLinkFaults::m_duplication),
                          MakeProbabilityChecker())
            .AddAttribute("Reordering",
                          "Probability that a frame is late.",
                          DoubleValue(defaults.reordering),
                          MakeDoubleAccessor(&InaLinkFaults::m_reordering),
                          MakeProbabilityChecker())
            .AddAttribute("ReorderingDelay",
                          "How late at most.",
                          TimeValue(InaFromProtocol(defaults.reordering_delay)),
                          MakeTimeAccessor(&InaLinkFaults::m_reorderingDelay),
                          MakeTimeChecker(Time(0)));
    return tid;
}

InaLinkFaults::InaLinkFaults() : m_seed(CreateObject<UniformRandomVariable>()) {}

void
InaLinkFaults::SetLostFrames(const std::vector<uint64_t>& numbers)
{
    m_lostFrames = numbers;
}

int64_t
InaLinkFaults::AssignStreams(int64_t stream)
{
    m_seed->SetStream(stream);
    return 1;
}

void
InaLinkFaults::Make()
{
    ina::faults::LinkFaults::Config config;
    config.classes = m_classes;
    config.from = InaToProtocol(m_from);
    config.until = InaToProtocol(m_until);
    config.lost_frames = m_lostFrames;
    config.loss = m_loss;
    config.burst_start = m_burstStart;
    config.burst_end = m_burstEnd;
    config.burst_mean_duration = InaToProtocol(m_burstMeanDuration);
    config.burst_loss = m_burstLoss;
    config.corruption = m_corruption;
    config.duplication = m_duplication;
    config.reordering = m_reordering;
    config.reordering_delay = InaToProtocol(m_reorderingDelay);
    m_faults.emplace(config, m_seed->GetInteger(0, std::numeric_limits<uint32_t>::max() - 1));
}

} // namespace ns3
