// SPDX-License-Identifier: BSD-3-Clause
#ifndef INA_SWITCHML64_TYPES_P4
#define INA_SWITCHML64_TYPES_P4

#include "../switchml/slots.p4"

// Header in front of a recirculated result, or leaf's sum, with half of its sums harvested.
header recirculated_h {
    bit<16> place;
    MulticastGroupId_t workers;  // 0: send it to `port`
    bit<7> unused;
    PortId_t port;
}

struct headers_t {
    recirculated_h recirculated;
    ethernet_h ethernet;
    ipv4_h ipv4;
    udp_h udp;
    switchml_h switchml;
    values_h low;
    values_h high;
}

#endif
