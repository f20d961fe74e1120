# SPDX-License-Identifier: Apache-2.0
# Writes the commit that is being built into HEADER, and leaves the file alone if it says so already.
execute_process(COMMAND git -C ${SOURCE} describe --always --dirty --abbrev=12
  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(NOT commit)
  set(commit "unknown")
endif()
get_filename_component(folder ${HEADER} DIRECTORY)
file(MAKE_DIRECTORY ${folder})
file(WRITE ${HEADER}.new "#define TEGU_COMMIT \"${commit}\"\n")
execute_process(COMMAND ${CMAKE_COMMAND} -E copy_if_different ${HEADER}.new ${HEADER})
