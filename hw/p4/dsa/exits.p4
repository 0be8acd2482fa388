// SPDX-License-Identifier: BSD-3-Clause
#ifndef INA_DSA_EXITS_P4
#define INA_DSA_EXITS_P4

#include "../shared/constants.p4"
#include "types.p4"

// Where a partial aggregate goes: to the server of its job, which learns of how many workers.
control Servers(inout headers_t headers, in metadata_t metadata) {
    action address(bit<48> mac, bit<32> ip, bit<8> workers) {
        headers.ethernet.destination = mac;
        headers.ipv4.destination = ip;
        headers.dsa.fan_in_degree0 = workers;
    }
    // What was freed while the packet that preempts it was resubmitted.
    action address_nobody() {
        headers.ethernet.destination = 0;
    }
    table servers {
        key = {
            metadata.owner: exact;
        }
        actions = {
            address;
            address_nobody;
        }
        const default_action = address_nobody;
        size = MAX_JOBS;
    }
    apply {
        servers.apply();
    }
}

// Makes of a packet what leaves the pass.
control Exits(inout headers_t headers, inout metadata_t metadata,
              in ingress_intrinsic_metadata_t intrinsic,
              inout ingress_intrinsic_metadata_for_deparser_t for_deparser,
              inout ingress_intrinsic_metadata_for_tm_t for_tm) {
    Servers() servers;

    action become_result() {
        headers.dsa.kind = KIND_RESULT;
        headers.ethernet.destination = EVERY_WORKER_MAC;
        headers.ipv4.destination = EVERY_WORKER_IP;
    }
    action drop() {
        for_deparser.drop_ctl = 1;
    }
    action resubmit() {
        for_deparser.resubmit_type = RESUBMIT;
    }
    action collide() {
        headers.dsa.flags = headers.dsa.flags | FLAG_COLLISION;
    }
    action complete() {
        become_result();
        headers.dsa.flags = headers.dsa.flags | metadata.marks;
        headers.dsa.bitmap0 = headers.dsa.bitmap0 | metadata.others;
    }
    action evict() {
        headers.dsa.flags = metadata.marks & FLAG_ECN;
        headers.dsa.psn = metadata.evicted_psn;
        headers.dsa.job = metadata.owner[15:0];
    }
    action fetch() {
        headers.dsa.kind = KIND_GRADIENT;
        headers.dsa.flags = metadata.marks & FLAG_ECN;
    }
    table exits {
        key = {
            metadata.way_out: exact;
        }
        actions = {
            drop;
            resubmit;
            collide;
            become_result;
            complete;
            evict;
            fetch;
            NoAction;
        }
        const default_action = NoAction;
        const entries = {
            EXIT_DROP: drop();
            EXIT_RESUBMIT: resubmit();
            EXIT_COLLIDED: collide();
            EXIT_ALONE: become_result();
            EXIT_COMPLETE: complete();
            EXIT_EVICTED: evict();
            EXIT_FETCHED: fetch();
        }
        size = 7;
    }

    // A partial aggregate with `resend` was asked for by a reminder.
    action become_partial(bit<8> flags) {
        headers.dsa.flags = headers.dsa.flags | flags;
    }
    table partials {
        key = {
            metadata.way_out: exact;
        }
        actions = {
            become_partial;
            NoAction;
        }
        const default_action = NoAction;
        const entries = {
            EXIT_EVICTED: become_partial(FLAG_PARTIAL);
            EXIT_FETCHED: become_partial(FLAG_PARTIAL | FLAG_RESEND);
        }
        size = 2;
    }
    apply {
        exits.apply();
        if (partials.apply().hit) {
            servers.apply(headers, metadata);
        }
        if (headers.recirculated.isValid()) {
            for_tm.ucast_egress_port = intrinsic.ingress_port[8:7] ++ RECIRCULATION_PORT;
            for_tm.bypass_egress = 1;
        }
    }
}

#endif
