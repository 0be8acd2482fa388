// SPDX-License-Identifier: BSD-3-Clause
#ifndef INA_RECIRCULATION_P4
#define INA_RECIRCULATION_P4

// The port of each pipe that leads back into it.
const bit<7> RECIRCULATION_PORT = 68;
#define FROM_RECIRCULATION 68 &&& 0x7f

#endif
