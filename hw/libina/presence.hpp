// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace ina::library {

/// Adds a line, "joined", "left", or "failed" to leave, to the file that INA_PRESENCE names, if it
/// names one: whoever starts workers learns so which of them ended without having left. Throws
/// Failure.
void note_presence(const char* word);

}  // namespace ina::library
