// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace ina::library {

/// Appends the line "joined", "left" or "failed" (to leave) to the file named by INA_PRESENCE, if
/// the variable is set. The launcher of the workers thus knows which of them ended without leaving.
/// Throws Failure.
void note_presence(const char* word);

}  // namespace ina::library
