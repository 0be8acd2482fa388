/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef INA_LOADED_MODULES_H
#define INA_LOADED_MODULES_H

#include <string>

namespace ns3
{

/**
 * A CRC-32 of the shared libraries of ns-3 modules that this program runs with: ns-3's own, this
 * one in an ns-3 tree, anybody's. Their names count, their folders do not. Read once: a library
 * that is built anew while the program runs changes nothing. Throws std::runtime_error with the
 * path and the reason.
 */
const std::string& Crc32OfLoadedModules();

} // namespace ns3

#endif // INA_LOADED_MODULES_H
