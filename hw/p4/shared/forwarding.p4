// SPDX-License-Identifier: BSD-3-Clause
#ifndef INA_FORWARDING_P4
#define INA_FORWARDING_P4

#include "headers.p4"

// Plain forwarding by Ethernet address, for frames that no aggregator takes. The switch does not
// learn addresses: the control plane installs them, and frames to other addresses are dropped.
control Forwarding(in ethernet_h ethernet,
                   inout ingress_intrinsic_metadata_for_deparser_t for_deparser,
                   inout ingress_intrinsic_metadata_for_tm_t for_tm) {
    action send(PortId_t port) {
        for_tm.ucast_egress_port = port;
    }
    action spread(MulticastGroupId_t group) {
        for_tm.mcast_grp_a = group;
    }
    action drop() {
        for_deparser.drop_ctl = 1;
    }
    table routes {
        key = {
            ethernet.destination: exact;
        }
        actions = {
            send;
            spread;
            drop;
        }
        const default_action = drop;
        size = 1024;
    }
    apply {
        routes.apply();
    }
}

#endif
