// SPDX-License-Identifier: BSD-3-Clause
#ifndef INA_SWITCHML_EXPONENTS_P4
#define INA_SWITCHML_EXPONENTS_P4

#include "../shared/headers.p4"
#include "slots.p4"

// The largest exponent, stored next to each slot's sum (block floating point, NSDI). A worker
// repeats the same exponent in all packets of a fragment, so a repeated packet may join again
// without effect.
control Exponents(inout switchml_h switchml, in metadata_t metadata) {
    Register<bit<16>, row_t>(ROWS) largest;
    RegisterAction<bit<16>, row_t, bit<16>>(largest) write = {
        void apply(inout bit<16> exponent) {
            exponent = switchml.exponents;
        }
    };
    RegisterAction<bit<16>, row_t, bit<16>>(largest) compare = {
        void apply(inout bit<16> exponent, out bit<16> result) {
            exponent = max(exponent, switchml.exponents);
            result = exponent;
        }
    };
    RegisterAction<bit<16>, row_t, bit<16>>(largest) read = {
        void apply(inout bit<16> exponent, out bit<16> result) {
            result = exponent;
        }
    };
    action begin() {
        write.execute(ROW_OF(metadata.place));
    }
    action join() {
        switchml.exponents = compare.execute(ROW_OF(metadata.place));
    }
    action look() {
        switchml.exponents = read.execute(ROW_OF(metadata.place));
    }
    // A version that no worker is in any more begins anew. A result carries the largest exponent of
    // all workers.
    table exponent {
        key = {
            metadata.seen_before: ternary;
            metadata.behind: ternary;
            metadata.from_root: ternary;
        }
        actions = {
            begin;
            join;
            look;
        }
        const entries = {
            (_, 1, _): look();
            (0, _, _): begin();
            (_, _, 1): begin();
            (_, _, _): join();
        }
        size = 4;
    }
    apply {
        exponent.apply();
    }
}

#endif
