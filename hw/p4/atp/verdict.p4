// SPDX-License-Identifier: BSD-3-Clause
#ifndef INA_ATP_VERDICT_P4
#define INA_ATP_VERDICT_P4

#include "../shared/bit_match.p4"
#include "../shared/constants.p4"
#include "types.p4"

// The output port of a packet. A complete aggregate keeps its aggregator until the parameter packet
// comes back through the switch.
control Verdict(inout headers_t headers, inout metadata_t metadata,
                inout ingress_intrinsic_metadata_for_deparser_t for_deparser,
                inout ingress_intrinsic_metadata_for_tm_t for_tm) {
    action drop() {
        for_deparser.drop_ctl = 1;
    }
    action carry_on(step_t next) {
        headers.carry.setValid();
        headers.carry.step = next;
        headers.carry.marks = metadata.marks;
        headers.carry.generation = metadata.generation;
        headers.carry.expected = metadata.expected;
    }
    action resubmit(step_t next) {
        carry_on(next);
        for_deparser.resubmit_type = RESUBMIT;
    }
    action recirculate(step_t next) {
        carry_on(next);
        for_tm.ucast_egress_port = metadata.way_back;
        for_tm.bypass_egress = 1;
    }
    // A partial sum leaves only if its halves have the same contributors.
    action flush() {
        recirculate(STEP_FLUSH_REST);
        headers.carry.expected = metadata.workers_before;
    }
    // The packet's header names the expired task, and `carry` its own.
    action expire() {
        recirculate(STEP_EXPIRED);
        headers.carry.generation = headers.atp.job;
        headers.carry.expected = headers.atp.psn;
        headers.atp.job = metadata.owner[15:0];
        headers.atp.psn = headers.atp.psn + metadata.psn_ahead;
    }
    action restore() {
        headers.atp.job = metadata.generation;
        headers.atp.psn = metadata.expected;
        metadata.way_out = EXIT_FORWARD;
    }
    action leave(exit_t way_out) {
        headers.atp.flags = headers.atp.flags | metadata.marks;
        metadata.way_out = way_out;
    }
// The second half has just this contribution more, or less, than the first one had before it.
#define FLUSHED_AGAIN(BIT) \
    (EVENT_JOINED, _, _, STEP_FLUSH_REST, BIT &&& BIT, BIT): leave(EXIT_UP);
    table verdicts {
        key = {
            metadata.event: ternary;
            metadata.missing: ternary;
            metadata.others: ternary;
            metadata.step: ternary;
            metadata.own: ternary;
            metadata.unlike: ternary;
        }
        actions = {
            drop;
            resubmit;
            recirculate;
            flush;
            expire;
            restore;
            leave;
        }
        const default_action = leave(EXIT_FORWARD);
        const entries = {
            (EVENT_BEGUN, _, 0, _, _, _): recirculate(STEP_COMPLETE);
            (EVENT_BEGUN, _, _, _, _, _): resubmit(STEP_REST);
            (EVENT_ADDED, 1, _, _, _, _): recirculate(STEP_COMPLETE);
            (EVENT_ADDED, _, _, _, _, _): resubmit(STEP_REST);
            (EVENT_AGAIN, _, _, _, _, _): resubmit(STEP_REST);
            (EVENT_FLUSHED, _, _, _, _, _): flush();
            (EVENT_EXPIRED, _, _, _, _, _): expire();
            (EVENT_JOINED, _, _, STEP_REST, _, 0): recirculate(STEP_FETCH_FIRST);
            (EVENT_JOINED, _, _, _, _, 0): leave(EXIT_UP);
            FOR_EACH_WORKER_BIT(FLUSHED_AGAIN)
            (EVENT_JOINED, _, _, _, _, _): drop();
            (EVENT_FETCHED, _, _, _, _, _): leave(EXIT_UP);
            (EVENT_REFUSED, _, _, _, _, _): drop();
            (EVENT_NONE, _, _, STEP_EXPIRED, _, _): restore();
            (EVENT_NONE, _, _, ANY_JOIN, _, _): drop();
        }
        size = 64;
    }
#undef FLUSHED_AGAIN

    // The outgoing packet lists the workers in its sum.
    action join_first_level() {
        headers.atp.bitmap0 = headers.atp.bitmap0 | metadata.expected;
    }
    action join_second_level() {
        headers.atp.bitmap1 = headers.atp.bitmap1 | metadata.expected;
    }
    table bitmaps {
        key = {
            metadata.way_out: exact;
            metadata.second_level: exact;
        }
        actions = {
            join_first_level;
            join_second_level;
            NoAction;
        }
        const default_action = NoAction;
        const entries = {
            (EXIT_UP, 0): join_first_level();
            (EXIT_UP, 1): join_second_level();
        }
        size = 2;
    }
    apply {
        verdicts.apply();
        bitmaps.apply();
    }
}

#endif
