# SPDX-License-Identifier: Apache-2.0
# Libraries that the system lacks: a pinned release is fetched and checked by its hash, else it joins one list of all that
# is missing. Knows no library itself.
option(TEGU_FETCH "Fetch pinned releases of libraries that are missing" ON)
set(TEGU_SOURCES ${PROJECT_BINARY_DIR}/sources CACHE PATH
  "Where fetched releases are kept, as NAME-VERSION; those that lie there already are used without network")

# The first line of what a program printed, for a sentence.
function(tegu_first_line variable text)
  string(STRIP "${text}" text)
  string(REGEX REPLACE "[\r\n].*" "" text "${text}")
  set(${variable} "${text}" PARENT_SCOPE)
endfunction()

# Fetches <tag> of the repository <url> into <folder>; <failure> is the reason if that is not <commit>, else empty.
function(tegu_fetch_git failure folder url tag commit)
  set(${failure} "" PARENT_SCOPE)
  find_program(TEGU_GIT git)
  mark_as_advanced(TEGU_GIT)
  if(NOT TEGU_GIT)
    set(${failure} "git is not installed" PARENT_SCOPE)
    return()
  endif()
  file(MAKE_DIRECTORY ${folder})
  set(ENV{GIT_TERMINAL_PROMPT} 0)
  foreach(words "init;--quiet" "fetch;--quiet;--depth;1;${url};refs/tags/${tag}" "checkout;--quiet;FETCH_HEAD")
    execute_process(COMMAND ${TEGU_GIT} ${words} WORKING_DIRECTORY ${folder}
      RESULT_VARIABLE failed OUTPUT_QUIET ERROR_VARIABLE text)
    if(failed)
      tegu_first_line(text "${text}")
      set(${failure} "${url}: ${text}" PARENT_SCOPE)
      return()
    endif()
  endforeach()
  execute_process(COMMAND ${TEGU_GIT} rev-parse HEAD WORKING_DIRECTORY ${folder}
    OUTPUT_VARIABLE found OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT found STREQUAL commit)
    set(${failure} "${url}: ${tag} is commit ${found}, not ${commit}" PARENT_SCOPE)
  endif()
endfunction()

# Fetches the archive <url> and unpacks its folder <part> to <folder>/<part>; <failure> as above, for another <sha256>.
function(tegu_fetch_archive failure folder url sha256 part)
  set(${failure} "" PARENT_SCOPE)
  get_filename_component(file "${url}" NAME)
  file(MAKE_DIRECTORY ${folder})
  file(DOWNLOAD ${url} ${folder}/${file} STATUS status INACTIVITY_TIMEOUT 30)
  list(GET status 0 code)
  if(code)
    list(GET status 1 text)
    string(REPLACE "\"" "" text "${text}")
    set(${failure} "${url}: ${text}" PARENT_SCOPE)
    return()
  endif()
  file(SHA256 ${folder}/${file} found)
  if(NOT found STREQUAL sha256)
    set(${failure} "${url}: SHA-256 is ${found}, not ${sha256}" PARENT_SCOPE)
    return()
  endif()
  # tar unpacks one folder, where CMake before 3.13 knows archives as a whole only.
  execute_process(COMMAND tar -xf ${file} ${part} WORKING_DIRECTORY ${folder} RESULT_VARIABLE failed ERROR_QUIET)
  if(failed)
    execute_process(COMMAND ${CMAKE_COMMAND} -E tar xf ${file} WORKING_DIRECTORY ${folder} RESULT_VARIABLE failed
      OUTPUT_QUIET ERROR_QUIET)
  endif()
  file(REMOVE ${folder}/${file})
  if(failed OR NOT IS_DIRECTORY ${folder}/${part})
    set(${failure} "${url}: does not unpack to ${part}" PARENT_SCOPE)
  endif()
endfunction()

# tegu_fetch(<variable> <name> GIT <url> TAG <tag> COMMIT <hash> | ARCHIVE <url> SHA256 <hash> PART <folder>): the folder
# of the sources, or empty with the reason in <variable>_FAILED. Half a release never stays.
function(tegu_fetch variable name)
  cmake_parse_arguments(ARG "" "GIT;TAG;COMMIT;ARCHIVE;SHA256;PART" "" ${ARGN})
  set(folder ${TEGU_SOURCES}/${name})
  set(${variable} ${folder} PARENT_SCOPE)
  set(${variable}_FAILED "" PARENT_SCOPE)
  if(IS_DIRECTORY ${folder})
    return()
  endif()
  set(failure "TEGU_FETCH is OFF")
  if(TEGU_FETCH)
    message(STATUS "tegu: fetching ${name}")
    file(REMOVE_RECURSE ${folder}.new)
    if(ARG_GIT)
      tegu_fetch_git(failure ${folder}.new ${ARG_GIT} ${ARG_TAG} ${ARG_COMMIT})
    else()
      tegu_fetch_archive(failure ${folder}.new ${ARG_ARCHIVE} ${ARG_SHA256} ${ARG_PART})
    endif()
  endif()
  if(failure)
    file(REMOVE_RECURSE ${folder}.new)
    set(${variable} "" PARENT_SCOPE)
    set(${variable}_FAILED "${failure}" PARENT_SCOPE)
    return()
  endif()
  file(RENAME ${folder}.new ${folder})
endfunction()

# tegu_missing(<library and floor> <package> [<more>...]): notes what is missing; tegu_report_missing() ends the
# configuration if there is any. <more>: a line each, of what was found and why nothing was fetched.
function(tegu_missing library package)
  set(text "  ${library}: package ${package}")
  foreach(line ${ARGN})
    string(APPEND text "\n      ${line}")
  endforeach()
  set_property(GLOBAL APPEND_STRING PROPERTY TEGU_MISSING "${text}\n")
  set_property(GLOBAL APPEND_STRING PROPERTY TEGU_MISSING_PACKAGES " ${package}")
endfunction()

function(tegu_report_missing)
  get_property(missing GLOBAL PROPERTY TEGU_MISSING)
  get_property(packages GLOBAL PROPERTY TEGU_MISSING_PACKAGES)
  if(missing)
    message(FATAL_ERROR "tegu needs what is missing here:\n${missing}"
      "scripts/install-deps.sh build test installs them. By hand, on Debian and Ubuntu:\n"
      "  apt-get install${packages}\n"
      "A release that is not packaged there can be put, unpacked, into a folder of ${TEGU_SOURCES}.")
  endif()
endfunction()
