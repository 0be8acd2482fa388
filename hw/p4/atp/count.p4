// SPDX-License-Identifier: BSD-3-Clause
#ifndef INA_ATP_COUNT_P4
#define INA_ATP_COUNT_P4

#include "../shared/bit_match.p4"
#include "types.p4"

// A packet's operation on the sums, and the number of contributions that they wait for.
control Count(in headers_t headers, inout metadata_t metadata) {
    Register<bit<8>, aggregator_t>(AGGREGATORS) missing;
    RegisterAction<bit<8>, aggregator_t, bit<8>>(missing) write = {
        void apply(inout bit<8> count) {
            count = metadata.others;
        }
    };
    RegisterAction<bit<8>, aggregator_t, bit<8>>(missing) step = {
        void apply(inout bit<8> count, out bit<8> before) {
            before = count;
            count = count - 1;
        }
    };
    action begin() {
        metadata.event = EVENT_BEGUN;
        metadata.sums = SUMS_BEGIN;
        metadata.marks = metadata.marks | FLAG_SECOND_LEVEL;
        write.execute(AGGREGATOR(headers.atp));
    }
    action join() {
        metadata.event = EVENT_ADDED;
        metadata.sums = SUMS_ADD;
        metadata.marks = metadata.marks | FLAG_SECOND_LEVEL;
        metadata.missing = step.execute(AGGREGATOR(headers.atp));
    }
    action meet(event_t event, sums_t sums, bit<8> flags) {
        metadata.event = event;
        metadata.sums = sums;
        metadata.marks = metadata.marks | flags;
    }
#define AGAIN(BIT) (STEP_GRADIENT, OWN, BOTH_HAVE(BIT), _, _): meet(EVENT_AGAIN, SUMS_LEAVE, 0);
#define FLUSH_AGAIN(BIT) \
    (STEP_FLUSH, OWN, BOTH_HAVE(BIT), _, _): meet(EVENT_FLUSHED, SUMS_TAKE, PARTIAL_FLAGS);
#define REST_AGAIN(BIT) \
    (STEP_FLUSH_REST, _, _, _, BOTH_HAVE(BIT), _, _): meet(EVENT_JOINED, SUMS_TAKE, 0); \
    (ANY_JOIN, _, _, _, BOTH_HAVE(BIT), _, _): meet(EVENT_NONE, SUMS_LEAVE, 0);
    table events {
        key = {
            metadata.step: ternary;
            metadata.found: ternary;
            metadata.other_job: ternary;
            metadata.psn_ahead: ternary;
            metadata.own: ternary;
            metadata.workers_before: ternary;
            metadata.expired: ternary;
            metadata.is_present: ternary;
        }
        actions = {
            begin;
            join;
            meet;
        }
        const default_action = meet(EVENT_NONE, SUMS_LEAVE, 0);
        const entries = {
            (STEP_GRADIENT, FOUND_EMPTY, _, _, _, _, _, _): begin();
            FOR_EACH_WORKER_BIT(AGAIN)
            (STEP_GRADIENT, OWN, _, _, _, _): join();
            (STEP_GRADIENT, _, _, _, _, _, _, _): meet(EVENT_NONE, SUMS_LEAVE, COLLISION_FLAGS);
            FOR_EACH_WORKER_BIT(FLUSH_AGAIN)
            (STEP_FLUSH, OWN, _, _, _, _): meet(EVENT_FLUSHED, SUMS_ADD, PARTIAL_FLAGS);
            (STEP_FLUSH, _, _, _, _, _, _, _): meet(EVENT_NONE, SUMS_LEAVE, FLAG_SECOND_LEVEL);
            (STEP_DISCARD, _, _, _, _, _, _, _): meet(EVENT_NONE, SUMS_LEAVE, FLAG_SECOND_LEVEL);
            (STEP_PARAMETER, OWN, _, _, _, _): meet(EVENT_NONE, SUMS_LEAVE, 0);
            (STEP_PARAMETER, FOUND_TASK, _, _, _, _, 1, _): meet(EVENT_EXPIRED, SUMS_LEAVE, 0);
            (STEP_REFUSE, _, _, _, _, _, _, _): meet(EVENT_REFUSED, SUMS_LEAVE, 0);
            FOR_EACH_WORKER_BIT(REST_AGAIN)
            (ANY_JOIN, _, _, _, _, 0, _, _): meet(EVENT_JOINED, SUMS_BEGIN, 0);
            (ANY_JOIN, _, _, _, _, _, _, _): meet(EVENT_JOINED, SUMS_ADD, 0);
            (STEP_FETCH_FIRST, _, _, _, _, _, _, 1):
                meet(EVENT_FETCHED, SUMS_TAKE, FLAG_SECOND_LEVEL);
            (STEP_FETCH_FIRST, _, _, _, _, _, _, _): meet(EVENT_REFUSED, SUMS_LEAVE, 0);
        }
        size = 192;
    }
#undef REST_AGAIN
#undef AGAIN
#undef FLUSH_AGAIN
    apply {
        events.apply();
    }
}

#endif
