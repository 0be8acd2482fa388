// SPDX-License-Identifier: BSD-3-Clause
#ifndef INA_SWITCHML_VERDICT_P4
#define INA_SWITCHML_VERDICT_P4

#include "../shared/constants.p4"
#include "types.p4"

// A complete sum goes to every worker, and again to one who asks again; all else stays here.
control Verdict(inout headers_t headers, in metadata_t metadata,
                in ingress_intrinsic_metadata_t intrinsic,
                inout ingress_intrinsic_metadata_for_deparser_t for_deparser,
                inout ingress_intrinsic_metadata_for_tm_t for_tm) {
    action become_result() {
        headers.udp.destination_port = SWITCHML_RESULT_PORT;
        headers.udp.checksum = 0;
    }
    action answer_every_worker() {
        become_result();
        headers.ethernet.destination = EVERY_WORKER_MAC;
        headers.ipv4.destination = EVERY_WORKER_IP;
        for_tm.mcast_grp_a = metadata.workers;
    }
    // A worker addresses its updates to itself.
    action answer_again() {
        become_result();
        for_tm.ucast_egress_port = intrinsic.ingress_port;
    }
    action absorb() {
        for_deparser.drop_ctl = 1;
    }
    table verdicts {
        key = {
            metadata.update: exact;
            metadata.missing: exact;
        }
        actions = {
            answer_every_worker;
            answer_again;
            absorb;
        }
        const default_action = absorb;
        const entries = {
            (UPDATE_NEW, 1): answer_every_worker();
            (UPDATE_AGAIN, 0): answer_again();
        }
        size = 2;
    }
    apply {
        verdicts.apply();
    }
}

#endif
