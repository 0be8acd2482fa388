// SPDX-License-Identifier: BSD-3-Clause
#ifndef INA_SWITCHML_BITMAP_P4
#define INA_SWITCHML_BITMAP_P4

#include "slots.p4"

struct seen_t {
    bit<32> version0;
    bit<32> version1;
}

// The workers that each slot has seen, by version. A worker seen in one version is removed from the
// other. A result has no bit and changes nothing.
control Bitmap(inout metadata_t metadata) {
    Register<seen_t, slot_t>(SLOTS, {0, 0}) seen;
    RegisterAction<seen_t, slot_t, bit<32>>(seen) add0 = {
        void apply(inout seen_t workers, out bit<32> before) {
            before = workers.version0;
            workers.version0 = workers.version0 | metadata.worker_bit;
            workers.version1 = workers.version1 & ~metadata.worker_bit;
        }
    };
    RegisterAction<seen_t, slot_t, bit<32>>(seen) add1 = {
        void apply(inout seen_t workers, out bit<32> before) {
            before = workers.version1;
            workers.version0 = workers.version0 & ~metadata.worker_bit;
            workers.version1 = workers.version1 | metadata.worker_bit;
        }
    };
    RegisterAction<seen_t, slot_t, bit<32>>(seen) read0 = {
        void apply(inout seen_t workers, out bit<32> before) {
            before = workers.version0;
        }
    };
    RegisterAction<seen_t, slot_t, bit<32>>(seen) read1 = {
        void apply(inout seen_t workers, out bit<32> before) {
            before = workers.version1;
        }
    };
    action take_part0() {
        metadata.seen_before = add0.execute(SLOT_OF(metadata.place));
    }
    action take_part1() {
        metadata.seen_before = add1.execute(SLOT_OF(metadata.place));
    }
    action look0() {
        metadata.seen_before = read0.execute(SLOT_OF(metadata.place));
    }
    action look1() {
        metadata.seen_before = read1.execute(SLOT_OF(metadata.place));
    }
    table workers_seen {
        key = {
            metadata.place[15:15]: exact @name("version");
            metadata.behind: exact;
        }
        actions = {
            take_part0;
            take_part1;
            look0;
            look1;
        }
        const entries = {
            (0, 0): take_part0();
            (1, 0): take_part1();
            (0, 1): look0();
            (1, 1): look1();
        }
        size = 4;
    }
    apply {
        workers_seen.apply();
    }
}

#endif
