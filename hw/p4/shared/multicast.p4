// SPDX-License-Identifier: BSD-3-Clause
#ifndef INA_MULTICAST_P4
#define INA_MULTICAST_P4

#include "constants.p4"
#include "headers.p4"

// Frames to every worker go to the multicast group of their job.
control Multicast(in bit<16> job, inout ingress_intrinsic_metadata_for_deparser_t for_deparser,
                  inout ingress_intrinsic_metadata_for_tm_t for_tm) {
    action spread(MulticastGroupId_t workers) {
        for_tm.mcast_grp_a = workers;
    }
    action drop() {
        for_deparser.drop_ctl = 1;
    }
    table workers_of_job {
        key = {
            job: exact;
        }
        actions = {
            spread;
            drop;
        }
        const default_action = drop;
        size = MAX_JOBS;
    }
    apply {
        workers_of_job.apply();
    }
}

#endif
