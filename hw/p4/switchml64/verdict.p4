// SPDX-License-Identifier: BSD-3-Clause
#ifndef INA_SWITCHML64_VERDICT_P4
#define INA_SWITCHML64_VERDICT_P4

#include "../shared/constants.p4"
#include "types.p4"

// Sends a complete sum, after a second pass, to every worker, and again to a worker that asks
// again. A leaf sends its sum to the root, and resends it to the root if a worker asks again before
// the root's result has arrived. The result has all values and goes at once to every worker below
// the leaf. All other packets are dropped.
control Verdict(inout headers_t headers, in metadata_t metadata,
                in ingress_intrinsic_metadata_t intrinsic,
                inout ingress_intrinsic_metadata_for_deparser_t for_deparser,
                inout ingress_intrinsic_metadata_for_tm_t for_tm) {
    action recirculate() {
        headers.high.setInvalid();
        headers.recirculated.setValid();
        headers.recirculated.place = metadata.place;
        for_tm.ucast_egress_port = metadata.way_back;
        for_tm.bypass_egress = 1;
    }
    action become_result() {
        headers.udp.destination_port = SWITCHML_RESULT_PORT;
        headers.udp.checksum = 0;
        recirculate();
    }
    action answer_every_worker() {
        become_result();
        headers.ethernet.destination = ALL_WORKERS_MAC;
        headers.ipv4.destination = ALL_WORKERS_IP;
        headers.recirculated.workers = metadata.workers;
    }
    // Workers address their updates to themselves.
    action answer_again() {
        become_result();
        headers.recirculated.workers = 0;
        headers.recirculated.port = intrinsic.ingress_port;
    }
    action hand_up() {
        recirculate();
        headers.switchml.worker = metadata.branch;
        headers.recirculated.workers = 0;
        headers.recirculated.port = metadata.up;
    }
    action hand_down() {
        headers.ethernet.destination = ALL_WORKERS_MAC;
        headers.ipv4.destination = ALL_WORKERS_IP;
        for_tm.mcast_grp_a = metadata.workers;
    }
    action leave_to_every_worker() {
        headers.high.setValid();
        for_tm.mcast_grp_a = headers.recirculated.workers;
        headers.recirculated.setInvalid();
    }
    action leave_to_one() {
        headers.high.setValid();
        for_tm.ucast_egress_port = headers.recirculated.port;
        headers.recirculated.setInvalid();
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
            headers.recirculated.workers: ternary;
        }
        actions = {
            answer_every_worker;
            answer_again;
            hand_up;
            hand_down;
            leave_to_every_worker;
            leave_to_one;
            absorb;
        }
        const default_action = absorb;
        const entries = {
            (UPDATE_NEW, 1, 0, _, _, _): answer_every_worker();
            (UPDATE_NEW, 2, 1, _, _, _): hand_up();
            (UPDATE_NEW, 0, 1, 1, _, _): hand_up();
            (UPDATE_AGAIN, 0, _, _, _, _): answer_again();
            (UPDATE_AGAIN, 1, 1, _, 0, _): hand_up();
            (UPDATE_RESULT, 1, _, _, _, _): hand_down();
            (UPDATE_HARVEST, _, _, _, _, 0): leave_to_one();
            (UPDATE_HARVEST, _, _, _, _, _): leave_to_every_worker();
        }
        size = 8;
    }
    apply {
        verdicts.apply();
    }
}

#endif
