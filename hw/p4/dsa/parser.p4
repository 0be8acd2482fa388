// SPDX-License-Identifier: BSD-3-Clause
#ifndef INA_DSA_PARSER_P4
#define INA_DSA_PARSER_P4

#include "../shared/constants.p4"
#include "types.p4"

parser IngressParser(packet_in packet, out headers_t headers, out metadata_t metadata,
                     out ingress_intrinsic_metadata_t intrinsic) {
    Checksum() ipv4_checksum;
    value_set<PortId_t>(MAX_LOOPED_PORTS) looped_ports;

    state start {
        packet.extract(intrinsic);
        transition select(intrinsic.resubmit_flag, intrinsic.ingress_port) {
            (1, _): parse_carry;
            (0, FROM_RECIRCULATION): parse_recirculated;
            default: look_for_looped_port;
        }
    }
    state look_for_looped_port {
        transition select(intrinsic.ingress_port) {
            looped_ports: parse_recirculated;
            default: parse_first;
        }
    }

    state parse_first {
        packet.advance(PORT_METADATA_SIZE);
        packet.extract(headers.ethernet);
        transition select(headers.ethernet.ether_type) {
            ETHER_TYPE_IPV4: look_for_options;
            default: accept;
        }
    }
    state look_for_options {
        transition select(packet.lookahead<bit<8>>()) {
            IPV4_WITHOUT_OPTIONS: parse_ipv4;
            default: accept;
        }
    }
    state parse_ipv4 {
        packet.extract(headers.ipv4);
        ipv4_checksum.add(headers.ipv4);
        metadata.corrupt = ipv4_checksum.verify();
        transition select(headers.ipv4.protocol) {
            IP_PROTOCOL_DSA: parse_dsa;
            IP_PROTOCOL_UDP: look_for_registration;
            default: accept;
        }
    }
    state look_for_registration {
        udp_h udp = packet.lookahead<udp_h>();
        transition select(udp.destination_port) {
            REGISTRATION_PORT: parse_registration;
            default: accept;
        }
    }
    state parse_registration {
        metadata.is_registration = 1;
        transition accept;
    }
    state parse_dsa {
        packet.extract(headers.dsa);
        metadata.step = STEP_FIRST;
        transition select(headers.dsa.kind) {
            KIND_GRADIENT: parse_values;
            KIND_REMINDER: parse_values;
            default: accept;
        }
    }
    state parse_values {
        packet.extract(headers.values);
        transition accept;
    }

    state parse_recirculated {
        packet.advance(PORT_METADATA_SIZE);
        transition parse_carry;
    }
    // The first pass has checked the headers.
    state parse_carry {
        packet.extract(metadata.came);
        metadata.step = metadata.came.step;
        metadata.marks = metadata.came.marks;
        metadata.generation = metadata.came.generation;
        metadata.expected = metadata.came.expected;
        packet.extract(headers.ethernet);
        packet.extract(headers.ipv4);
        packet.extract(headers.dsa);
        transition select(metadata.came.step) {
            STEP_SWAP: parse_values;
            STEP_FETCH_FIRST: parse_values;
            default: parse_rest;
        }
    }
    state parse_rest {
        packet.extract(headers.done);
        packet.extract(headers.values);
        metadata.half = 1;
        transition accept;
    }
}

control IngressDeparser(packet_out packet, inout headers_t headers, in metadata_t metadata,
                        in ingress_intrinsic_metadata_for_deparser_t for_deparser) {
    Resubmit() resubmit;
    apply {
        if (for_deparser.resubmit_type == RESUBMIT) {
            resubmit.emit(headers.carry);
        }
        packet.emit(headers);
    }
}

#endif
