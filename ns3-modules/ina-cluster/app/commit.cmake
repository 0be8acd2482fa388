# SPDX-License-Identifier: GPL-2.0-only
# Run at every build: writes the commit to a file beside the program, if that is another one: runs may read it meanwhile.
execute_process(
  COMMAND git -C ${SOURCE_DIR} describe --always --dirty --abbrev=12
  OUTPUT_VARIABLE commit
  OUTPUT_STRIP_TRAILING_WHITESPACE
  ERROR_QUIET)
if(NOT commit)
  set(commit unknown)
endif()
file(CONFIGURE OUTPUT ${FILE} CONTENT "${commit}\n" @ONLY)
