// SPDX-License-Identifier: BSD-3-Clause
#ifndef INA_DSA_GENERATION_P4
#define INA_DSA_GENERATION_P4

#include "types.p4"

// Counts the tasks that have reserved an aggregator.
control Generation(in headers_t headers, inout metadata_t metadata) {
    Register<bit<16>, aggregator_t>(AGGREGATORS) generations;
    RegisterAction<bit<16>, aggregator_t, bit<16>>(generations) increase = {
        void apply(inout bit<16> generation, out bit<16> now) {
            generation = generation + 1;
            now = generation;
        }
    };
    RegisterAction<bit<16>, aggregator_t, bit<16>>(generations) read = {
        void apply(inout bit<16> generation, out bit<16> now) {
            now = generation;
        }
    };
    RegisterAction<bit<16>, aggregator_t, bit<1>>(generations) compare = {
        void apply(inout bit<16> generation, out bit<1> is_present) {
            is_present = 0;
            if (generation == metadata.generation) {
                is_present = 1;
            }
        }
    };
    action begin() {
        metadata.generation = increase.execute(AGGREGATOR(headers.dsa));
    }
    action join() {
        metadata.generation = read.execute(AGGREGATOR(headers.dsa));
    }
    action look() {
        metadata.is_present = compare.execute(AGGREGATOR(headers.dsa));
    }
    table generation_of_task {
        key = {
            metadata.step: ternary;
            metadata.found: ternary;
            metadata.other_job: ternary;
            metadata.psn_ahead: ternary;
        }
        actions = {
            begin;
            join;
            look;
            NoAction;
        }
        const default_action = NoAction;
        const entries = {
            (STEP_GRADIENT, FOUND_EMPTY, _, _): begin();
            (ANY_CONTRIBUTION, OWN): join();
            (STEP_REMINDER, OWN): join();
            (STEP_SWAP, FOUND_TASK, _, _): begin();
            (STEP_FETCH_FIRST, _, _, _): look();
        }
        size = 5;
    }
    apply {
        generation_of_task.apply();
    }
}

// Whether a task has taken its aggregator from another one. Its packets then follow the evicted sum
// on the recirculation port, so that they do not reach the second half before it.
control Swapped(in headers_t headers, inout metadata_t metadata) {
    Register<bit<8>, aggregator_t>(AGGREGATORS) swaps;
    RegisterAction<bit<8>, aggregator_t, bit<8>>(swaps) clear = {
        void apply(inout bit<8> swapped) {
            swapped = 0;
        }
    };
    RegisterAction<bit<8>, aggregator_t, bit<8>>(swaps) set = {
        void apply(inout bit<8> swapped) {
            swapped = 1;
        }
    };
    RegisterAction<bit<8>, aggregator_t, bit<8>>(swaps) read = {
        void apply(inout bit<8> swapped, out bit<8> now) {
            now = swapped;
        }
    };
    action begin() {
        clear.execute(AGGREGATOR(headers.dsa));
    }
    action take_over() {
        set.execute(AGGREGATOR(headers.dsa));
    }
    action join() {
        metadata.swapped = read.execute(AGGREGATOR(headers.dsa));
    }
    table swap_of_task {
        key = {
            metadata.step: ternary;
            metadata.found: ternary;
            metadata.other_job: ternary;
            metadata.psn_ahead: ternary;
        }
        actions = {
            begin;
            take_over;
            join;
            NoAction;
        }
        const default_action = NoAction;
        const entries = {
            (STEP_GRADIENT, FOUND_EMPTY, _, _): begin();
            (ANY_CONTRIBUTION, OWN): join();
            (STEP_SWAP, FOUND_TASK, _, _): take_over();
        }
        size = 3;
    }
    apply {
        swap_of_task.apply();
    }
}

#endif
