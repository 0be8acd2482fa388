// SPDX-License-Identifier: BSD-3-Clause
#ifndef INA_DSA_PRIORITY_P4
#define INA_DSA_PRIORITY_P4

#include "types.p4"

// The higher priority keeps the aggregator on a collision, and a tie does not preempt (DSA III.B
// and V). A packet that fails to preempt halves the aggregator's priority, with the precision of
// the math unit. A packet that joins its task leaves the priority unchanged.
control Priority(in headers_t headers, inout metadata_t metadata) {
    Register<bit<16>, aggregator_t>(AGGREGATORS) priorities;
    MathUnit<bit<16>>(MathOp_t.MUL, 1, 2) half;
    RegisterAction<bit<16>, aggregator_t, bit<16>>(priorities) exchange = {
        void apply(inout bit<16> priority, out bit<16> before) {
            before = priority;
            priority = headers.dsa.priority;
        }
    };
    RegisterAction<bit<16>, aggregator_t, bit<16>>(priorities) contend = {
        void apply(inout bit<16> priority, out bit<16> preempts) {
            preempts = 0;
            if (headers.dsa.priority > priority) {
                preempts = 1;
            } else {
                priority = half.execute(priority);
            }
        }
    };
    action begin() {
        exchange.execute(AGGREGATOR(headers.dsa));
    }
    // Both results go into one field: of two at different places of the chip's action bus, the
    // assembler takes wrong bits.
    action evict() {
        metadata.contest = exchange.execute(AGGREGATOR(headers.dsa));
    }
    action collide() {
        metadata.contest = contend.execute(AGGREGATOR(headers.dsa));
    }
    table priority_of_task {
        key = {
            metadata.step: ternary;
            metadata.found: ternary;
            metadata.other_job: ternary;
            metadata.psn_ahead: ternary;
        }
        actions = {
            begin;
            evict;
            collide;
            NoAction;
        }
        const default_action = NoAction;
        const entries = {
            (STEP_GRADIENT, FOUND_EMPTY, _, _): begin();
            (ANY_CONTRIBUTION, OWN): NoAction();
            (STEP_GRADIENT, FOUND_TASK, _, _): collide();
            (STEP_SWAP, FOUND_TASK, _, _): evict();
        }
        size = 4;
    }
    apply {
        priority_of_task.apply();
    }
}

#endif
