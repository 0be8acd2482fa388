// SPDX-License-Identifier: BSD-3-Clause
#ifndef INA_ATP_BITMAP_P4
#define INA_ATP_BITMAP_P4

#include "../shared/constants.p4"
#include "types.p4"

// The workers whose values are in the sums.
control Bitmap(in headers_t headers, inout metadata_t metadata) {
    Register<bit<32>, aggregator_t>(AGGREGATORS) bitmaps;
    RegisterAction<bit<32>, aggregator_t, bit<32>>(bitmaps) write = {
        void apply(inout bit<32> bitmap) {
            bitmap = metadata.own;
        }
    };
    RegisterAction<bit<32>, aggregator_t, bit<32>>(bitmaps) add = {
        void apply(inout bit<32> bitmap, out bit<32> before) {
            before = bitmap;
            bitmap = bitmap | metadata.own;
        }
    };
    action begin() {
        write.execute(AGGREGATOR(headers.atp));
    }
    action join() {
        metadata.workers_before = add.execute(AGGREGATOR(headers.atp));
    }
    table workers_of_task {
        key = {
            metadata.step: ternary;
            metadata.found: ternary;
            metadata.other_job: ternary;
            metadata.psn_ahead: ternary;
        }
        actions = {
            begin;
            join;
            NoAction;
        }
        const default_action = NoAction;
        const entries = {
            (STEP_GRADIENT, FOUND_EMPTY, _, _): begin();
            (STEP_GRADIENT, OWN): join();
            (STEP_FLUSH, OWN): join();
        }
        size = 3;
    }
    apply {
        workers_of_task.apply();
    }
}

// Congestion of any contribution concerns every worker (ATP 3.6).
control Congestion(in headers_t headers, inout metadata_t metadata) {
    Register<bit<8>, aggregator_t>(AGGREGATORS) marks;
    RegisterAction<bit<8>, aggregator_t, bit<8>>(marks) write = {
        void apply(inout bit<8> all) {
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
    action begin() {
        write.execute(AGGREGATOR(headers.atp));
    }
    action join() {
        metadata.marks = add.execute(AGGREGATOR(headers.atp));
    }
    action fetch() {
        metadata.marks = read.execute(AGGREGATOR(headers.atp));
    }
    table marks_of_task {
        key = {
            metadata.step: ternary;
            metadata.found: ternary;
            metadata.other_job: ternary;
            metadata.psn_ahead: ternary;
        }
        actions = {
            begin;
            join;
            fetch;
            NoAction;
        }
        const default_action = NoAction;
        const entries = {
            (STEP_GRADIENT, FOUND_EMPTY, _, _): begin();
            (STEP_GRADIENT, OWN): join();
            (STEP_FLUSH, OWN): fetch();
            (STEP_FETCH_FIRST, _, _, _): fetch();
        }
        size = 4;
    }
    apply {
        marks_of_task.apply();
    }
}

#endif
