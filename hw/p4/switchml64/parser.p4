// SPDX-License-Identifier: BSD-3-Clause
#ifndef INA_SWITCHML64_PARSER_P4
#define INA_SWITCHML64_PARSER_P4

#include "../shared/constants.p4"
#include "../shared/recirculation.p4"
#include "types.p4"

parser IngressParser(packet_in packet, out headers_t headers, out metadata_t metadata,
                     out ingress_intrinsic_metadata_t intrinsic) {
    Checksum() ipv4_checksum;
    value_set<PortId_t>(MAX_LOOPED_PORTS) looped_ports;

    state start {
        packet.extract(intrinsic);
        packet.advance(PORT_METADATA_SIZE);
        transition select(intrinsic.ingress_port) {
            FROM_RECIRCULATION: parse_recirculated;
            looped_ports: parse_recirculated;
            default: parse_first;
        }
    }

    state parse_first {
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
            IP_PROTOCOL_UDP: parse_udp;
            default: accept;
        }
    }
    state parse_udp {
        packet.extract(headers.udp);
        transition select(headers.udp.destination_port) {
            SWITCHML_UPDATE_PORT: parse_switchml;
            SWITCHML_RESULT_PORT: parse_switchml;
            REGISTRATION_PORT: parse_registration;
            default: accept;
        }
    }
    state parse_registration {
        metadata.is_registration = 1;
        transition accept;
    }
    state parse_switchml {
        packet.extract(headers.switchml);
        packet.extract(headers.low);
        packet.extract(headers.high);
        transition accept;
    }

    // The first pass has checked this header.
    state parse_recirculated {
        packet.extract(headers.recirculated);
        metadata.place = headers.recirculated.place;
        metadata.update = UPDATE_HARVEST;
        packet.extract(headers.ethernet);
        packet.extract(headers.ipv4);
        packet.extract(headers.udp);
        packet.extract(headers.switchml);
        packet.extract(headers.low);
        transition accept;
    }
}

control IngressDeparser(packet_out packet, inout headers_t headers, in metadata_t metadata,
                        in ingress_intrinsic_metadata_for_deparser_t for_deparser) {
    apply {
        packet.emit(headers);
    }
}

#endif
