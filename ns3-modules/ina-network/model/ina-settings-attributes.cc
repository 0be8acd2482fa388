/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#include "ina-settings-attributes.h"

#include <cctype>

namespace ns3
{

std::string
InaAttributeNameOf(std::string_view key)
{
    std::string name;
    bool isFirst = true;
    for (const char c : key)
    {
        if (c != '_')
        {
            name += isFirst ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
        }
        isFirst = c == '_';
    }
    return name;
}

} // namespace ns3
