/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef INA_HASHED_SYSTEM_H
#define INA_HASHED_SYSTEM_H

#include "ina-system.h"

#include "hw/protocol/transport/congestion_window.hpp"
#include "hw/protocol/wire/addressing.hpp"

#include "ns3/nstime.h"

namespace ns3
{

/**
 * \ingroup ina-hosts
 * What ATP and DSA share: aggregators that all jobs may take, windows of packets, and a
 * parameter server for each job.
 */
class InaHashedSystem : public InaSystem
{
  public:
    static TypeId GetTypeId();

    uint32_t ValuesPerPacket() const override;

  protected:
    /**
     * Adds to the TypeId of a system the attributes whose defaults the papers give differently.
     *
     * \param window the default window
     * \param scheme the default addressing
     * \param tid of the subclass
     * \return it
     */
    static TypeId AddAttributesOf(const ina::CongestionWindow::Config& window,
                                  ina::wire::AddressingScheme scheme,
                                  TypeId tid);

    /** The window that the attributes describe. */
    ina::CongestionWindow::Config Window() const;

    /** The addressing that the attributes describe, without rehash. */
    ina::wire::AddressingConfig Addressing() const;
    void SetAddressing(int scheme);
    int GetAddressing() const;

    uint32_t m_aggregators{0};
    ina::wire::Hash m_hash{};
    ina::wire::AddressingScheme m_addressing{};
    uint32_t m_tableEntries{0};
    uint32_t m_initialWindow{0}; //!< packets
    uint32_t m_maxWindow{0};     //!< packets
    bool m_congestionControl{false};
    Time m_minRto;

  private:
    void SetHash(int hash);
    int GetHash() const;
};

} // namespace ns3

#endif // INA_HASHED_SYSTEM_H
