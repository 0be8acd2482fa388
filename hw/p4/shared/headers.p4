// SPDX-License-Identifier: BSD-3-Clause
// The headers of hw/protocol/wire/headers.hpp, field by field. A test compares the two.
#ifndef INA_HEADERS_P4
#define INA_HEADERS_P4

header ethernet_h {
    bit<48> destination;
    bit<48> source;
    bit<16> ether_type;
}

header ipv4_h {
    bit<8> version_and_length;
    bit<8> traffic_class;
    bit<16> total_length;
    bit<16> identification;
    bit<16> fragment;
    bit<8> time_to_live;
    bit<8> protocol;
    bit<16> checksum;
    bit<32> source;
    bit<32> destination;
}

header udp_h {
    bit<16> source_port;
    bit<16> destination_port;
    bit<16> length;
    bit<16> checksum;
}

header switchml_h {
    bit<8> job;
    bit<8> worker;
    bit<16> version_and_slot;
    bit<32> offset;
    bit<16> exponents;
}

header atp_h {
    bit<8> kind;
    bit<8> flags;
    bit<16> job;
    bit<32> psn;
    bit<32> aggregator_index;
    bit<32> bitmap0;
    bit<32> bitmap1;
    bit<8> fan_in_degree0;
    bit<8> fan_in_degree1;
    bit<16> worker;
}

header dsa_h {
    bit<8> kind;
    bit<8> flags;
    bit<16> job;
    bit<32> psn;
    bit<32> aggregator_index;
    bit<32> bitmap0;
    bit<16> priority;
    bit<16> branch;
    bit<8> fan_in_degree0;
    bit<8> fan_in_degree1;
    bit<16> worker;
}

// The first fields of ATP's and DSA's headers.
header kind_and_flags_h {
    bit<8> kind;
    bit<8> flags;
}

#endif
