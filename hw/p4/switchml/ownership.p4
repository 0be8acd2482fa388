// SPDX-License-Identifier: BSD-3-Clause
#ifndef INA_SWITCHML_OWNERSHIP_P4
#define INA_SWITCHML_OWNERSHIP_P4

#include "slots.p4"

// The latest fragment of each slot. The one bit of version cannot distinguish a fragment from a
// late copy of the one two before it, so an update older than the latest is not a contribution. A
// result belongs to the latest fragment or to the one before, in the slot's other version.
control Ownership(in switchml_h switchml, inout metadata_t metadata) {
    Register<bit<32>, slot_t>(SLOTS, 0) latest;
    RegisterAction<bit<32>, slot_t, bit<1>>(latest) advance = {
        void apply(inout bit<32> offset, out bit<1> behind) {
            behind = 0;
            if (switchml.offset < offset) {
                behind = 1;
            } else {
                offset = switchml.offset;
            }
        }
    };
    RegisterAction<bit<32>, slot_t, bit<1>>(latest) look = {
        void apply(inout bit<32> offset, out bit<1> behind) {
            behind = 0;
            if (switchml.offset > offset || metadata.last < offset) {
                behind = 1;
            }
        }
    };
    apply {
        if (metadata.from_root == 1) {
            metadata.behind = look.execute(SLOT_OF(metadata.place));
        } else {
            metadata.behind = advance.execute(SLOT_OF(metadata.place));
        }
    }
}

#endif
