// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace ina::library {

/// Appends `word` ("joined", "left", or "failed" if leaving failed) as a line to the file that the
/// environment variable INA_PRESENCE names, if the variable is set. The launcher of the workers
/// reads there whether a worker ended without leaving. Throws Failure.
void note_presence(const char* word);

}  // namespace ina::library
