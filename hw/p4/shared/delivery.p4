// SPDX-License-Identifier: BSD-3-Clause
#ifndef INA_DELIVERY_P4
#define INA_DELIVERY_P4

#include "constants.p4"
#include "forwarding.p4"

// Ways in which a packet leaves a pass. Each program adds its own. Those with bit 3 leave the
// switch.
typedef bit<8> exit_t;
const exit_t EXIT_FORWARD = 8;  // to its destination
const exit_t EXIT_UP = 9;       // a sum: from a leaf to the root, otherwise to its destination
#define GOES_ON(EXIT) (EXIT[3:3] == 1)

// A frame to all workers of its job takes the job's multicast group. A sum at a leaf takes the port
// to the root of the job's tree. All other frames take the port of their address.
control Delivery(in ethernet_h ethernet, in bool has_job, in bit<16> job, in exit_t way_out,
                 inout ingress_intrinsic_metadata_for_deparser_t for_deparser,
                 inout ingress_intrinsic_metadata_for_tm_t for_tm) {
    Forwarding() forwarding;

    action spread(MulticastGroupId_t workers) {
        for_tm.mcast_grp_a = workers;
    }
    action climb(PortId_t port) {
        for_tm.ucast_egress_port = port;
    }
    table roots_of_jobs {
        key = {
            way_out: exact;
            job: exact;
        }
        actions = {
            climb;
            @defaultonly NoAction;
        }
        const default_action = NoAction;
        size = MAX_JOBS;
    }
    table workers_of_job {
        key = {
            ethernet.destination: exact;
            has_job: exact;
            job: exact;
        }
        actions = {
            spread;
            @defaultonly NoAction;
        }
        const default_action = NoAction;
        size = MAX_JOBS;
    }
    apply {
        if (!workers_of_job.apply().hit) {
            if (!roots_of_jobs.apply().hit) {
                forwarding.apply(ethernet, for_deparser, for_tm);
            }
        }
    }
}

#endif
