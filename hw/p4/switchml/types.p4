// SPDX-License-Identifier: BSD-3-Clause
#ifndef INA_SWITCHML_TYPES_P4
#define INA_SWITCHML_TYPES_P4

#include "slots.p4"

struct headers_t {
    ethernet_h ethernet;
    ipv4_h ipv4;
    udp_h udp;
    switchml_h switchml;
    values_h values;
}

#endif
