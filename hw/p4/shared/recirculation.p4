// SPDX-License-Identifier: BSD-3-Clause
#ifndef INA_RECIRCULATION_P4
#define INA_RECIRCULATION_P4

// The port of each pipe that leads back into it.
const bit<7> RECIRCULATION_PORT = 68;
#define FROM_RECIRCULATION 68 &&& 0x7f

// Front ports in loopback lead back, too. The parser knows them by a value set of this size.
#define MAX_LOOPED_PORTS 32

// The port by which a packet comes back. All packets of an aggregator, or slot, take the same one,
// so that they stay in order. Without an entry it is the pipe's own.
control WayBack(in PortId_t ingress_port, in bit<6> index, inout PortId_t port) {
    action take_own_port() {
        port = ingress_port[8:7] ++ RECIRCULATION_PORT;
    }
    action take(PortId_t looped_port) {
        port = looped_port;
    }
    table ports_of_indices {
        key = {
            ingress_port[8:7]: exact @name("pipe");
            index: exact;
        }
        actions = {
            take_own_port;
            take;
        }
        const default_action = take_own_port;
        size = 256;
    }
    apply {
        ports_of_indices.apply();
    }
}

#endif
