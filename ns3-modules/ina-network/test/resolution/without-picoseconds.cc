/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

// Sends a frame without Time::SetResolution(Time::PS), which must abort. A program of its own,
// since the resolution of a process can be set only once.

#include "ns3-modules/ina-network/test/network-test-support.h"

int
main()
{
    const ns3::TestLink link;
    link.left->SendFrame(ns3::MakeFrame(0));
    return 0;
}
