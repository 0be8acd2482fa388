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

    action resubmit(step_t next) {
        metadata.way_out = EXIT_RESUBMIT;
        metadata.resubmitted.setValid();
        metadata.resubmitted.step = next;
    }
    action recirculate(exit_t way_out, step_t next) {
        metadata.way_out = way_out;
        headers.recirculated.setValid();
        headers.recirculated.step = next;
    }
    action begin() {
        exchange.execute(AGGREGATOR(headers.dsa));
        metadata.sums = SUMS_BEGIN;
        resubmit(STEP_BEGIN_REST);
    }
    action join() {
        add.execute(AGGREGATOR(headers.dsa));
        metadata.sums = SUMS_ADD;
        resubmit(STEP_ADD_REST);
    }
    // The last contribution takes the sums along.
    action complete() {
        metadata.marks = add.execute(AGGREGATOR(headers.dsa));
        metadata.sums = SUMS_ADD;
        recirculate(EXIT_COMPLETE, STEP_COMPLETE);
    }
    action preempt() {
        resubmit(STEP_SWAP);
    }
    action evict() {
        metadata.marks = exchange.execute(AGGREGATOR(headers.dsa));
        metadata.sums = SUMS_EXCHANGE;
        recirculate(EXIT_EVICTED, STEP_SWAP_REST);
    }
    action fetch() {
        metadata.marks = read.execute(AGGREGATOR(headers.dsa));
        metadata.sums = SUMS_TAKE;
        recirculate(EXIT_FETCHED, STEP_TAKE_REST);
    }
    action leave(exit_t way_out) {
        metadata.way_out = way_out;
    }
    action bring_rest(sums_t sums, exit_t way_out) {
        metadata.sums = sums;
        metadata.way_out = way_out;
        headers.recirculated.setInvalid();
    }
#define AGAIN(BIT) (ANY_CONTRIBUTION, OWN, BOTH_HAVE(BIT), _): leave(EXIT_DROP);
    table verdicts {
        key = {
            metadata.step: ternary;
            metadata.found: ternary;
            metadata.other_job: ternary;
            metadata.same_psn: ternary;
            headers.dsa.bitmap0: ternary;
            metadata.workers_before: ternary;
            metadata.preempts: ternary;
        }
        actions = {
            begin;
            join;
            complete;
            preempt;
            evict;
            fetch;
            leave;
            bring_rest;
        }
        const default_action = leave(EXIT_DROP);
        const entries = {
            (STEP_GRADIENT, FOUND_EMPTY, _, _, _, _, _): begin();
            FOR_EACH_WORKER_BIT(AGAIN)
            (ANY_CONTRIBUTION, OWN, _, 0, _): complete();
            (ANY_CONTRIBUTION, OWN, _, _, _): join();
            (STEP_GRADIENT, _, _, _, _, _, 1): preempt();
            (STEP_GRADIENT, _, _, _, _, _, _): leave(EXIT_COLLIDED);
            (STEP_RETRANSMISSION, _, _, _, _, _, _): leave(EXIT_FORWARD);
            (STEP_REMINDER, OWN, _, _, _): fetch();
            (STEP_REMINDER, _, _, _, _, _, _): leave(EXIT_FORWARD);
            (STEP_RESULT, _, _, _, _, _, _): leave(EXIT_FORWARD);
            (STEP_THROUGH, _, _, _, _, _, _): leave(EXIT_FORWARD);
            (STEP_ALONE, _, _, _, _, _, _): leave(EXIT_ALONE);
            (STEP_SWAP, _, _, _, _, _, _): evict();
            (STEP_BEGIN_REST, _, _, _, _, _, _): bring_rest(SUMS_BEGIN, EXIT_DROP);
            (STEP_ADD_REST, _, _, _, _, _, _): bring_rest(SUMS_ADD, EXIT_DROP);
            (STEP_COMPLETE, _, _, _, _, _, _): bring_rest(SUMS_ADD, EXIT_FORWARD);
            (STEP_HAND_UP, _, _, _, _, _, _): bring_rest(SUMS_ADD, EXIT_UP);
            (STEP_TAKE_REST, _, _, _, _, _, _): bring_rest(SUMS_TAKE, EXIT_FORWARD);
            (STEP_SWAP_REST, _, _, _, _, _, _): bring_rest(SUMS_EXCHANGE, EXIT_FORWARD);
        }
        size = 64;
    }
#undef AGAIN
    apply {
        verdicts.apply();
    }
}

#endif
