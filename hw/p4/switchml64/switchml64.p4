// SPDX-License-Identifier: BSD-3-Clause
// SwitchML with 64 values per packet: a second pass harvests half of the sums of a result.
#include <core.p4>
#include <tna.p4>

#define SLOT_BITS 13

#include "../shared/egress.p4"
#include "../shared/forwarding.p4"
#include "../shared/recirculation.p4"
#include "../shared/registration.p4"
#include "../switchml/bitmap.p4"
#include "../switchml/count.p4"
#include "../switchml/exponents.p4"
#include "../switchml/members.p4"
#include "../switchml/ownership.p4"
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
    WayBack() way_back;
    Values() values;
    Verdict() verdict;
    Registration() registration;
    Forwarding() forwarding;

    apply {
        if (metadata.corrupt) {
            for_deparser.drop_ctl = 1;
        } else if (headers.switchml.isValid()) {
            if (metadata.update != UPDATE_HARVEST) {
                members.apply(headers.udp, headers.switchml, metadata, intrinsic);
                if (metadata.beyond[15:15] == 0) {
                    ownership.apply(headers.switchml, metadata);
                    bitmap.apply(metadata);
                    exponents.apply(headers.switchml, metadata);
                    count.apply(metadata);
                }
            }
            way_back.apply(intrinsic.ingress_port, metadata.place[5:0], metadata.way_back);
            values.apply(headers.low, headers.high, metadata);
            verdict.apply(headers, metadata, intrinsic, for_deparser, for_tm);
        } else {
            registration.apply(headers.ethernet, metadata.is_registration, intrinsic, for_deparser);
            forwarding.apply(headers.ethernet, for_deparser, for_tm);
        }
    }
}

Pipeline(IngressParser(), Ingress(), IngressDeparser(), EgressParser(), Egress(), EgressDeparser())
    pipe;
Switch(pipe) main;
