// SPDX-License-Identifier: BSD-3-Clause
#ifndef INA_DSA_EXITS_P4
#define INA_DSA_EXITS_P4

#include "../shared/constants.p4"
#include "types.p4"

// Converts the sums of a job by the switch's level in the job's tree. A complete one becomes the
// result for all workers or, at a leaf, the leaf's sum, which the root adds as a branch. A partial
// one goes to the server of its job. It tells the server the number of workers and branches, and the
// branch.
control Destinations(inout headers_t headers, inout metadata_t metadata) {
    action answer() {
        headers.dsa.kind = KIND_RESULT;
        headers.ethernet.destination = ALL_WORKERS_MAC;
        headers.ipv4.destination = ALL_WORKERS_IP;
    }
    action answer_as_root() {
        answer();
        headers.dsa.flags = headers.dsa.flags & ~FLAG_SECOND_LEVEL;
        headers.dsa.bitmap0 = 0;
    }
    action hand_up(bit<32> branch_bit) {
        headers.dsa.flags = headers.dsa.flags | FLAG_SECOND_LEVEL;
        headers.dsa.bitmap0 = branch_bit;
        headers.dsa.branch = 0;
        metadata.way_out = EXIT_UP;
    }
    action address(bit<48> mac, bit<32> ip, bit<8> workers, bit<8> branches, bit<16> branch,
                   bit<8> flags) {
        headers.ethernet.destination = mac;
        headers.ipv4.destination = ip;
        headers.dsa.fan_in_degree0 = workers;
        headers.dsa.fan_in_degree1 = branches;
        headers.dsa.branch = branch;
        headers.dsa.flags = headers.dsa.flags | flags;
    }
    table destinations {
        key = {
            metadata.way_out: exact;
            metadata.owner: exact;
        }
        actions = {
            answer;
            answer_as_root;
            hand_up;
            address;
            @defaultonly NoAction;
        }
        const default_action = NoAction;
        size = 3 * MAX_JOBS;
    }
    apply {
        destinations.apply();
    }
}

// Turns a packet into the one that leaves the pass.
control Exits(inout headers_t headers, inout metadata_t metadata,
              inout ingress_intrinsic_metadata_for_deparser_t for_deparser,
              inout ingress_intrinsic_metadata_for_tm_t for_tm) {
    Destinations() destinations;

    action carry_on() {
        headers.carry.setValid();
        headers.carry.step = metadata.next;
        headers.carry.marks = metadata.marks;
        headers.carry.generation = metadata.generation;
        headers.carry.expected = metadata.expected;
    }
    action drop() {
        for_deparser.drop_ctl = 1;
    }
    action resubmit() {
        carry_on();
        for_deparser.resubmit_type = RESUBMIT;
    }
    action recirculate() {
        carry_on();
        for_tm.ucast_egress_port = metadata.way_back;
        for_tm.bypass_egress = 1;
    }
    // The packet keeps its own bit, with which it joins the second half. An aggregator may still hold
    // a task of an ended session, whose sum goes to nobody.
    action evict() {
        recirculate();
        headers.ethernet.destination = 0;
        headers.ipv4.traffic_class = 0;
        headers.dsa.flags = metadata.marks & FLAG_ECN;
        headers.dsa.psn = headers.dsa.psn + metadata.psn_ahead;
        headers.dsa.job = metadata.owner[15:0];
        headers.dsa.priority = metadata.contest;
    }
    action collide() {
        headers.dsa.flags = headers.dsa.flags | FLAG_COLLISION;
    }
    action complete() {
        headers.dsa.flags = headers.dsa.flags | metadata.marks;
        headers.dsa.bitmap0 = headers.dsa.bitmap0 | metadata.expected;
    }
    action bring_evicted() {
        headers.dsa.bitmap0 = metadata.expected;
    }
    action bring_fetched() {
        headers.dsa.kind = KIND_GRADIENT;
        headers.ipv4.traffic_class = 0;
        headers.dsa.flags = metadata.marks & FLAG_ECN;
        headers.dsa.bitmap0 = metadata.expected;
    }
    // A chip resubmits a packet only once.
    table exits {
        key = {
            metadata.way_out: ternary;
            metadata.step: ternary;
            metadata.swapped: ternary;
        }
        actions = {
            drop;
            resubmit;
            recirculate;
            evict;
            collide;
            complete;
            bring_evicted;
            bring_fetched;
            NoAction;
        }
        const default_action = NoAction;
        const entries = {
            (EXIT_DROP, _, _): drop();
            (EXIT_REST, STEP_SWAP, _): recirculate();
            (EXIT_REST, _, 1): recirculate();
            (EXIT_REST, _, _): resubmit();
            (EXIT_RESUBMIT, _, _): resubmit();
            (EXIT_RECIRCULATE, _, _): recirculate();
            (EXIT_EVICTED, _, _): evict();
            (EXIT_COLLIDED, _, _): collide();
            (EXIT_COMPLETE, _, _): complete();
            (EXIT_SWAPPED, _, _): bring_evicted();
            (EXIT_FETCHED, _, _): bring_fetched();
        }
        size = 11;
    }

    apply {
        exits.apply();
        destinations.apply(headers, metadata);
    }
}

#endif
