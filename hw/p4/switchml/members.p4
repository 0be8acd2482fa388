// SPDX-License-Identifier: BSD-3-Clause
#ifndef INA_SWITCHML_MEMBERS_P4
#define INA_SWITCHML_MEMBERS_P4

#include "../shared/constants.p4"
#include "slots.p4"

// Who may send what: an update of a worker of the job, at the worker's port, for a slot of the
// job's pool. Nobody sends results. The control plane installs an entry for each worker and
// version.
control Members(in udp_h udp, in switchml_h switchml, inout metadata_t metadata,
                in ingress_intrinsic_metadata_t intrinsic) {
    // `first` is the first slot of the pool. `room` is what the last slot of the pool, as the header
    // has it with the version bit on top, lacks to 0x7fff: only beyond it the sum's top bit is 1.
    action admit(bit<16> first, bit<16> room, bit<32> worker_bit, bit<8> others,
                 MulticastGroupId_t workers) {
        metadata.place = switchml.version_and_slot + first;
        metadata.beyond = switchml.version_and_slot + room;
        metadata.worker_bit = worker_bit;
        metadata.others = others;
        metadata.workers = workers;
    }
    action refuse() {
        metadata.beyond = 0xffff;
    }
    table members {
        key = {
            intrinsic.ingress_port: exact;
            udp.destination_port: exact;
            switchml.job: exact;
            switchml.worker: exact;
            switchml.version_and_slot[15:15]: exact @name("version");
        }
        actions = {
            admit;
            refuse;
        }
        const default_action = refuse;
        size = 2 * MAX_JOBS * MAX_WORKERS_PER_SWITCH;
    }
    apply {
        members.apply();
    }
}

#endif
