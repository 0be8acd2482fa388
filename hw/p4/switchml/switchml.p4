// SPDX-License-Identifier: BSD-3-Clause
// SwitchML, Algorithm 3, with 32 values per packet: switch-models/programs/switchml.hpp for a
// Tofino.
#include <core.p4>
#include <tna.p4>

#define SLOT_BITS 14

#include "../shared/egress.p4"
#include "../shared/forwarding.p4"
#include "../shared/registration.p4"
#include "bitmap.p4"
#include "count.p4"
#include "exponents.p4"
#include "members.p4"
#include "ownership.p4"
#include "parser.p4"
#include "values.p4"
#include "verdict.p4"

control Ingress(inout headers_t headers, inout metadata_t metadata,
                in ingress_intrinsic_metadata_t intrinsic,
                in ingress_intrinsic_metadata_from_parser_t from_parser,
                inout ingress_intrinsic_metadata_for_deparser_t for_deparser,
                inout ingress_intrinsic_metadata_for_tm_t for_tm) {
    Members() members;
    Ownership() ownership;
    Bitmap() bitmap;
    Exponents() exponents;
    Count() count;
    Values() values;
    Verdict() verdict;
    Registration() registration;
    Forwarding() forwarding;

    apply {
        if (metadata.corrupt) {
            for_deparser.drop_ctl = 1;
        } else if (headers.switchml.isValid()) {
            members.apply(headers.udp, headers.switchml, metadata, intrinsic);
            if (metadata.beyond[15:15] == 0) {
                ownership.apply(headers.switchml, metadata);
                bitmap.apply(metadata);
                exponents.apply(headers.switchml, metadata);
                count.apply(metadata);
                values.apply(headers.values, metadata);
                verdict.apply(headers, metadata, intrinsic, for_deparser, for_tm);
            } else {
                for_deparser.drop_ctl = 1;
            }
        } else {
            registration.apply(headers.ethernet, metadata.is_registration, intrinsic, for_deparser);
            forwarding.apply(headers.ethernet, for_deparser, for_tm);
        }
    }
}

Pipeline(IngressParser(), Ingress(), IngressDeparser(), EgressParser(), Egress(), EgressDeparser())
    pipe;
Switch(pipe) main;
