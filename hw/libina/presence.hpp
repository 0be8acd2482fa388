// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace ina::library {

/// Appends a line to the file that the environment variable INA_PRESENCE names, if it is set:
/// "joined", "left", or "failed" if leaving failed. It shows the launcher of the workers which of
/// them ended without leaving. Throws Failure.
void note_presence(const char* word);

}  // namespace ina::library
