// SPDX-License-Identifier: BSD-3-Clause
#ifndef INA_ATP_GENERATION_P4
#define INA_ATP_GENERATION_P4

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
        metadata.generation = increase.execute(AGGREGATOR(headers.atp));
    }
    action join() {
        metadata.generation = read.execute(AGGREGATOR(headers.atp));
    }
    action look() {
        metadata.is_present = compare.execute(AGGREGATOR(headers.atp));
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
            (STEP_GRADIENT, OWN): join();
            (STEP_FLUSH, OWN): join();
            (STEP_FETCH_FIRST, _, _, _): look();
        }
        size = 4;
    }
    apply {
        generation_of_task.apply();
    }
}

#endif
