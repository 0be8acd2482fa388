// SPDX-License-Identifier: BSD-3-Clause
#ifndef INA_DSA_VERDICT_P4
#define INA_DSA_VERDICT_P4

#include "../shared/bit_match.p4"
#include "../shared/constants.p4"
#include "types.p4"

// Decides about a packet and its values, and collects the marks of all contributions: congestion
// and retransmissions, which concern every worker.
control Verdict(inout headers_t headers, inout metadata_t metadata) {
    Register<bit<8>, aggregator_t>(AGGREGATORS) marks;
    RegisterAction<bit<8>, aggregator_t, bit<8>>(marks) exchange = {
        void apply(inout bit<8> all, out bit<8> before) {
            before = all;
            all = metadata.marks;
        }
    };
    RegisterAction<bit<8>, aggregator_t, bit<8>>(marks) add = {
        void apply(inout bit<8> all, out bit<8> after) {
            all = all | metadata.marks;
            after = all;
        }
    };
    RegisterAction<bit<8>, aggregator_t, bit<8>>(marks) read = {
        void apply(inout bit<8> all, out bit<8> after) {
            after = all;
        }
    };

    action go_on(sums_t sums, exit_t way_out, step_t next) {
        metadata.sums = sums;
        metadata.way_out = way_out;
        metadata.next = next;
    }
    action leave(sums_t sums, exit_t way_out) {
        metadata.sums = sums;
        metadata.way_out = way_out;
    }
    action begin() {
        exchange.execute(AGGREGATOR(headers.dsa));
        go_on(SUMS_BEGIN, EXIT_REST, STEP_REST);
    }
    action join() {
        add.execute(AGGREGATOR(headers.dsa));
        go_on(SUMS_ADD, EXIT_REST, STEP_REST);
    }
    // The last contribution takes the first half of the sums along.
    action complete() {
        metadata.marks = add.execute(AGGREGATOR(headers.dsa));
        go_on(SUMS_ADD, EXIT_RECIRCULATE, STEP_COMPLETE);
    }
    action evict() {
        metadata.marks = exchange.execute(AGGREGATOR(headers.dsa));
        go_on(SUMS_EXCHANGE, EXIT_EVICTED, STEP_SWAP_REST);
    }
    action fetch() {
        metadata.marks = read.execute(AGGREGATOR(headers.dsa));
        go_on(SUMS_TAKE, EXIT_RECIRCULATE, STEP_TAKE_REST);
    }
    action fetch_first() {
        metadata.marks = read.execute(AGGREGATOR(headers.dsa));
        leave(SUMS_TAKE, EXIT_COMPLETE);
    }
// A duplicate may still be missing in the second half.
#define AGAIN(BIT) \
    (ANY_CONTRIBUTION, OWN, BOTH_HAVE(BIT), _, _, _): go_on(SUMS_LEAVE, EXIT_REST, STEP_REST);
#define REST_AGAIN(BIT) (ANY_JOIN, _, _, _, BOTH_HAVE(BIT), _, _, _): leave(SUMS_LEAVE, EXIT_DROP);
    table verdicts {
        key = {
            metadata.step: ternary;
            metadata.found: ternary;
            metadata.other_job: ternary;
            metadata.psn_ahead: ternary;
            headers.dsa.bitmap0: ternary;
            metadata.workers_before: ternary;
            metadata.unlike: ternary;
            metadata.contest[0:0]: ternary @name("preempts");
            metadata.is_present: ternary;
        }
        actions = {
            begin;
            join;
            complete;
            evict;
            fetch;
            fetch_first;
            go_on;
            leave;
        }
        const default_action = leave(SUMS_LEAVE, EXIT_DROP);
        const entries = {
            (STEP_GRADIENT, FOUND_EMPTY, _, _, _, _, _, _, _): begin();
            FOR_EACH_WORKER_BIT(AGAIN)
            (ANY_CONTRIBUTION, OWN, _, 0, _, _, _): complete();
            (ANY_CONTRIBUTION, OWN, _, _, _, _, _): join();
            (STEP_GRADIENT, _, _, _, _, _, _, 1, _):
                go_on(SUMS_LEAVE, EXIT_RESUBMIT, STEP_SWAP);
            (STEP_GRADIENT, _, _, _, _, _, _, _, _): leave(SUMS_LEAVE, EXIT_COLLIDED);
            (STEP_RETRANSMISSION, _, _, _, _, _, _, _, _): leave(SUMS_LEAVE, EXIT_FORWARD);
            (STEP_REMINDER, OWN, _, _, _, _, _): fetch();
            (STEP_REMINDER, _, _, _, _, _, _, _, _): leave(SUMS_LEAVE, EXIT_FORWARD);
            (STEP_RESULT, _, _, _, _, _, _, _, _): leave(SUMS_LEAVE, EXIT_FORWARD);
            (STEP_THROUGH, _, _, _, _, _, _, _, _): leave(SUMS_LEAVE, EXIT_FORWARD);
            (STEP_ALONE, _, _, _, _, _, _, _, _): leave(SUMS_LEAVE, EXIT_COMPLETE);
            (STEP_SWAP, FOUND_TASK, _, _, _, _, _, _, _): evict();
            (STEP_SWAP, _, _, _, _, _, _, _, _): leave(SUMS_LEAVE, EXIT_COLLIDED);
            FOR_EACH_WORKER_BIT(REST_AGAIN)
            (ANY_JOIN, _, _, _, _, 0, _, _, _): leave(SUMS_BEGIN, EXIT_DROP);
            (STEP_COMPLETE, _, _, _, _, _, 0, _, _): leave(SUMS_ADD, EXIT_COMPLETE);
            (STEP_REST, _, _, _, _, _, 0, _, _):
                go_on(SUMS_ADD, EXIT_RECIRCULATE, STEP_FETCH_FIRST);
            (ANY_JOIN, _, _, _, _, _, _, _, _): leave(SUMS_ADD, EXIT_DROP);
            (STEP_FETCH_FIRST, _, _, _, _, _, _, _, 1): fetch_first();
            (STEP_SWAP_REST, _, _, _, _, _, 0, _, _): leave(SUMS_EXCHANGE, EXIT_SWAPPED);
            (STEP_SWAP_REST, _, _, _, _, _, _, _, _): leave(SUMS_EXCHANGE, EXIT_DROP);
            (STEP_TAKE_REST, _, _, _, _, _, 0, _, _): leave(SUMS_TAKE, EXIT_FETCHED);
            (STEP_TAKE_REST, _, _, _, _, _, _, _, _): leave(SUMS_LEAVE, EXIT_FORWARD);
        }
        size = 96;
    }
#undef REST_AGAIN
#undef AGAIN
    apply {
        verdicts.apply();
    }
}

#endif
