/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef INA_SWITCHML_SYSTEM_H
#define INA_SWITCHML_SYSTEM_H

#include "ina-system.h"

#include "ns3/nstime.h"

namespace ns3
{

/**
 * \ingroup ina-hosts
 * SwitchML: each job has a pool of slots of its own; the workers recover what is lost; there are no
 * parameter servers.
 */
class InaSwitchmlSystem : public InaSystem
{
  public:
    static TypeId GetTypeId();

    ina::wire::Protocol Protocol() const override;
    uint32_t ValuesPerPacket() const override;
    uint32_t ExponentSlots() const override;
    std::unique_ptr<ina::programs::SwitchProgram> MakeProgram(
        uint32_t jobs,
        std::size_t carriedValues) const override;
    ina::programs::JobEntry MakeJobEntry(uint32_t place,
                                         uint16_t workers,
                                         ina::HostId server) const override;
    std::unique_ptr<ina::WorkerTransport> MakeTransport(const ina::WorkerIdentity& identity,
                                                        ina::ValuePool& pool,
                                                        ina::ResultSink& sink) const override;

  private:
    uint32_t m_slots{0};
    uint32_t m_valuesPerPacket{0};
    Time m_rto;
    bool m_adaptiveRto{false};
    bool m_congestionControl{false};
    uint32_t m_initialWindow{0};
    bool m_blockFloatingPoint{false};
};

} // namespace ns3

#endif // INA_SWITCHML_SYSTEM_H
