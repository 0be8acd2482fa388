// SPDX-License-Identifier: BSD-3-Clause
#ifndef INA_SWITCHML_VERDICT_P4
#define INA_SWITCHML_VERDICT_P4

#include "../shared/constants.p4"
#include "types.p4"

// Sends a complete sum to every worker, and again to a worker that asks again. A leaf sends its sum
// to the root, and resends it to the root if a worker asks again before the root's result has
// arrived. The result then goes to every worker below the leaf. All other packets are dropped.
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
        headers.ethernet.destination = ALL_WORKERS_MAC;
        headers.ipv4.destination = ALL_WORKERS_IP;
        for_tm.mcast_grp_a = metadata.workers;
    }
    // Workers address their updates to themselves.
    action answer_again() {
        become_result();
        for_tm.ucast_egress_port = intrinsic.ingress_port;
    }
    action hand_up() {
        headers.switchml.worker = metadata.branch;
        for_tm.ucast_egress_port = metadata.up;
    }
    action hand_down() {
        headers.ethernet.destination = ALL_WORKERS_MAC;
        headers.ipv4.destination = ALL_WORKERS_IP;
        for_tm.mcast_grp_a = metadata.workers;
    }
    action absorb() {
        for_deparser.drop_ctl = 1;
    }
    table verdicts {
        key = {
            metadata.update: ternary;
            metadata.missing: ternary;
            metadata.is_leaf: ternary;
            metadata.others: ternary;
            metadata.behind: ternary;
        }
        actions = {
            answer_every_worker;
            answer_again;
            hand_up;
            hand_down;
            absorb;
        }
        const default_action = absorb;
        const entries = {
            (UPDATE_NEW, 1, 0, _, _): answer_every_worker();
            (UPDATE_NEW, 2, 1, _, _): hand_up();
            (UPDATE_NEW, 0, 1, 1, _): hand_up();
            (UPDATE_AGAIN, 0, _, _, _): answer_again();
            (UPDATE_AGAIN, 1, 1, _, 0): hand_up();
            (UPDATE_RESULT, 1, _, _, _): hand_down();
        }
        size = 6;
    }
    apply {
        verdicts.apply();
    }
}

#endif
