// SPDX-License-Identifier: BSD-3-Clause
#ifndef INA_ATP_VERDICT_P4
#define INA_ATP_VERDICT_P4

#include "../shared/constants.p4"
#include "types.p4"

// The output port of a packet. A complete aggregate keeps its aggregator until the parameter packet
// comes back through the switch.
control Verdict(inout headers_t headers, inout metadata_t metadata,
                in ingress_intrinsic_metadata_t intrinsic,
                inout ingress_intrinsic_metadata_for_deparser_t for_deparser,
                inout ingress_intrinsic_metadata_for_tm_t for_tm) {
    action drop() {
        for_deparser.drop_ctl = 1;
    }
    action resubmit(step_t next) {
        metadata.resubmitted.setValid();
        metadata.resubmitted.step = next;
        for_deparser.resubmit_type = RESUBMIT;
    }
    action mark() {
        headers.atp.flags = headers.atp.flags | metadata.marks;
    }
    action recirculate(step_t next) {
        mark();
        headers.recirculated.setValid();
        headers.recirculated.step = next;
        for_tm.ucast_egress_port = intrinsic.ingress_port[8:7] ++ RECIRCULATION_PORT;
        for_tm.bypass_egress = 1;
    }
    action leave(exit_t way_out) {
        mark();
        headers.recirculated.setInvalid();
        metadata.way_out = way_out;
    }
    table verdicts {
        key = {
            metadata.event: ternary;
            metadata.missing: ternary;
            metadata.others: ternary;
            metadata.step: ternary;
        }
        actions = {
            drop;
            resubmit;
            recirculate;
            leave;
        }
        const default_action = leave(EXIT_FORWARD);
        const entries = {
            (EVENT_BEGUN, _, 0, _): recirculate(STEP_BRING_BEGUN);
            (EVENT_BEGUN, _, _, _): resubmit(STEP_BEGIN_REST);
            (EVENT_ADDED, 1, _, _): recirculate(STEP_BRING_SUM);
            (EVENT_ADDED, _, _, _): resubmit(STEP_ADD_REST);
            (EVENT_AGAIN, _, _, _): drop();
            (EVENT_FLUSHED, _, _, _): recirculate(STEP_BRING_SUM);
            (EVENT_TAKEN, _, _, _): recirculate(STEP_BRING_TAKEN);
            (EVENT_EXPIRED, _, _, _): recirculate(STEP_EXPIRED);
            (EVENT_REST_STAYS, _, _, _): drop();
            (EVENT_REFUSED, _, _, _): drop();
            (EVENT_NONE, _, _, ANY_WITH_SUMS): leave(EXIT_UP);
        }
        size = 11;
    }

    // The outgoing packet lists the workers in its sum.
    action join_first_level() {
        headers.atp.bitmap0 = headers.atp.bitmap0 | metadata.workers_before;
    }
    action join_second_level() {
        headers.atp.bitmap1 = headers.atp.bitmap1 | metadata.workers_before;
    }
    table bitmaps {
        key = {
            metadata.event: exact;
            metadata.second_level: exact;
        }
        actions = {
            join_first_level;
            join_second_level;
            NoAction;
        }
        const default_action = NoAction;
        const entries = {
            (EVENT_ADDED, 0): join_first_level();
            (EVENT_ADDED, 1): join_second_level();
            (EVENT_FLUSHED, 0): join_first_level();
            (EVENT_TAKEN, 0): join_first_level();
        }
        size = 4;
    }
    apply {
        bitmaps.apply();
        verdicts.apply();
    }
}

#endif
