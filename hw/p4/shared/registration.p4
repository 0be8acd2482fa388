// SPDX-License-Identifier: BSD-3-Clause
#ifndef INA_REGISTRATION_P4
#define INA_REGISTRATION_P4

#include "constants.p4"
#include "headers.p4"

// Registration messages pass only between a host and the registrar, each by its own port, so that a
// host cannot end a session in the name of another. Every frame meets the table, because an `if`
// would move everything after it into later stages.
control Registration(in ethernet_h ethernet, in bit<3> is_registration,
                     in ingress_intrinsic_metadata_t intrinsic,
                     inout ingress_intrinsic_metadata_for_deparser_t for_deparser) {
    action let_pass() {
    }
    // Drops a registration message, and no other frame.
    action refuse() {
        for_deparser.drop_ctl = is_registration;
    }
    table registration_paths {
        key = {
            intrinsic.ingress_port: exact;
            ethernet.source: exact;
            ethernet.destination: exact;
        }
        actions = {
            let_pass;
            @defaultonly refuse;
        }
        const default_action = refuse;
        size = 2048;
    }
    apply {
        registration_paths.apply();
    }
}

#endif
