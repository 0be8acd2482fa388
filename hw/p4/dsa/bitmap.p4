// SPDX-License-Identifier: BSD-3-Clause
#ifndef INA_DSA_BITMAP_P4
#define INA_DSA_BITMAP_P4

#include "types.p4"

// The workers whose values are in the sums.
control Bitmap(inout headers_t headers, inout metadata_t metadata) {
    Register<bit<32>, aggregator_t>(AGGREGATORS) bitmaps;
    RegisterAction<bit<32>, aggregator_t, bit<32>>(bitmaps) exchange = {
        void apply(inout bit<32> bitmap, out bit<32> before) {
            before = bitmap;
            bitmap = headers.dsa.bitmap0;
        }
    };
    // 0 means all others, since no task is without a worker.
    RegisterAction<bit<32>, aggregator_t, bit<32>>(bitmaps) add = {
        void apply(inout bit<32> bitmap, out bit<32> before) {
            before = 0;
            if (bitmap != metadata.expected) {
                before = bitmap;
            }
            bitmap = bitmap | headers.dsa.bitmap0;
        }
    };
    RegisterAction<bit<32>, aggregator_t, bit<32>>(bitmaps) read = {
        void apply(inout bit<32> bitmap, out bit<32> workers) {
            workers = bitmap;
        }
    };
    action begin() {
        exchange.execute(AGGREGATOR(headers.dsa));
    }
    action evict() {
        metadata.expected = exchange.execute(AGGREGATOR(headers.dsa));
    }
    action join() {
        metadata.workers_before = add.execute(AGGREGATOR(headers.dsa));
    }
    action fetch() {
        metadata.expected = read.execute(AGGREGATOR(headers.dsa));
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
            evict;
            join;
            fetch;
            NoAction;
        }
        const default_action = NoAction;
        const entries = {
            (STEP_GRADIENT, FOUND_EMPTY, _, _): begin();
            (ANY_CONTRIBUTION, OWN): join();
            (STEP_REMINDER, OWN): fetch();
            (STEP_SWAP, FOUND_TASK, _, _): evict();
        }
        size = 4;
    }
    apply {
        workers_of_task.apply();
    }
}

#endif
