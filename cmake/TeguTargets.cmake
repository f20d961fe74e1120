# SPDX-License-Identifier: Apache-2.0
# How targets are made here: the flags that all share, a library per folder, a test per file, and the objects of the CPU
# kernels that are compiled once per instruction set.

add_library(tegu_flags INTERFACE)
target_include_directories(tegu_flags INTERFACE ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}/generated)
# tegu_link_options(<target> <scope> <option>...): target_link_options(), which CMake has from 3.13 on.
function(tegu_link_options target scope)
  if(CMAKE_VERSION VERSION_LESS 3.13)
    target_link_libraries(${target} ${scope} ${ARGN})
  else()
    target_link_options(${target} ${scope} ${ARGN})
  endif()
endfunction()

# tegu_objects(<name> SOURCES ... LINKS ...): a library of objects, compiled as what links LINKS. Before CMake 3.12 it
# cannot link them, and gets their flags here.
function(tegu_objects name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINKS" ${ARGN})
  add_library(${name} OBJECT ${ARG_SOURCES})
  if(NOT CMAKE_VERSION VERSION_LESS 3.12)
    target_link_libraries(${name} PRIVATE ${ARG_LINKS})
    return()
  endif()
  foreach(library ${ARG_LINKS})
    set(of TARGET_PROPERTY:${library},INTERFACE)
    target_compile_options(${name} PRIVATE $<${of}_COMPILE_OPTIONS>)
    target_compile_definitions(${name} PRIVATE $<${of}_COMPILE_DEFINITIONS>)
    target_include_directories(${name} PRIVATE $<${of}_INCLUDE_DIRECTORIES>)
    target_include_directories(${name} SYSTEM PRIVATE $<${of}_SYSTEM_INCLUDE_DIRECTORIES>)
  endforeach()
endfunction()

# Device code has flags of its own (TeguCuda.cmake).
function(tegu_host_options)
  foreach(option ${ARGN})
    target_compile_options(tegu_flags INTERFACE $<$<OR:$<COMPILE_LANGUAGE:C>,$<COMPILE_LANGUAGE:CXX>>:${option}>)
  endforeach()
endfunction()
tegu_host_options(
  $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>  # GCC loses track of which alternative a std::variant holds
  -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Wold-style-cast -Wcast-qual -Wundef -fno-math-errno
  $<$<CONFIG:Debug>:-D_GLIBCXX_ASSERTIONS>)
tegu_host_options(-ffp-contract=off)  # no FMA that the source does not name: same bits everywhere
tegu_link_options(tegu_flags INTERFACE -Wl,--as-needed)
if(TEGU_SCALAR)
  target_compile_definitions(tegu_flags INTERFACE TEGU_SCALAR=1)
endif()
if(TEGU_WERROR)
  tegu_host_options(-Werror)
endif()
if(TEGU_SANITIZE)
  tegu_host_options(-fsanitize=${TEGU_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  tegu_link_options(tegu_flags INTERFACE -fsanitize=${TEGU_SANITIZE})
  if(TEGU_SANITIZE MATCHES "address")
    # At a fixed address: 47 MB of relocations of tegud are then done by the linker, and a program starts in half the time.
    tegu_link_options(tegu_flags INTERFACE $<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-no-pie>)
  endif()
  if(TEGU_FUZZ)
    tegu_host_options(-fno-sanitize=vptr)  # takes std::error_category of libstdc++ for another type
  endif()
endif()
if(TEGU_COVERAGE)
  tegu_host_options(--coverage)
  tegu_link_options(tegu_flags INTERFACE --coverage)
endif()

# KERNELS: loops of the kernels. LITTLE: code that is slow to optimise and never hot. Under sanitizers -O3 takes four times
# as long to compile as -O1.
set(TEGU_OPTIMISE_KERNELS -O3)
set(TEGU_OPTIMISE_LITTLE -O1)
if(TEGU_SANITIZE)
  set(TEGU_OPTIMISE_KERNELS -O1)
  set(TEGU_OPTIMISE_LITTLE -O0)
endif()
# Where frames are kept for AddressSanitizer, GCC before 14 misaligns vectors of 64 bytes (GCC bug 110027).
if(TEGU_SANITIZE MATCHES "address" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  list(APPEND TEGU_OPTIMISE_KERNELS --param=asan-use-after-return=0)
endif()

# The undefined behaviour sanitizer leaves out the test programs' own code: it doubles their build, and what they test is instrumented
# in full. Linked last, as only a later flag takes an earlier one back.
add_library(tegu_test_flags INTERFACE)
if(TEGU_SANITIZE MATCHES "undefined")
  target_compile_options(tegu_test_flags INTERFACE -fno-sanitize=undefined)
endif()

# tegu_operations_with(<folder> <variable> <macro> <header>): the operations that have a file <folder>/<stem>.cpp. <variable>: these files.
# <header>, in the build folder, defines <macro>(X) with X(stem) for each.
function(tegu_operations_with folder variable macro header)
  set(files)
  set(items)
  foreach(stem ${TEGU_OPERATIONS})
    if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/${stem}.cpp)
      list(APPEND files ${folder}/${stem}.cpp)
      string(APPEND items " X(${stem})")
    endif()
  endforeach()
  set(${variable} ${files} PARENT_SCOPE)
  file(GENERATE OUTPUT ${PROJECT_BINARY_DIR}/generated/${header} CONTENT "#pragma once\n#define ${macro}(X)${items}\n")
endfunction()

# tegu_operation_files(<variable> <folder>): the file <folder>/<stem>.cpp of each operation.
function(tegu_operation_files variable folder)
  set(files)
  foreach(stem ${TEGU_OPERATIONS})
    list(APPEND files ${folder}/${stem}.cpp)
  endforeach()
  set(${variable} ${files} PARENT_SCOPE)
endfunction()

# tegu_in_batches(<target>): compiles its files twelve at a time, in half the time, where TEGU_UNITY is ON. Their unnamed namespaces are
# then one, so names in them must differ. Kernels are never compiled so.
option(TEGU_UNITY "Compile the files of large libraries in batches" OFF)
function(tegu_in_batches target)
  if(TEGU_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 12)
  endif()
endfunction()

# tegu_library(<folder> SOURCES ... LINKS ...): the static library tegu_<folder>. LINKS are the layers it may use.
function(tegu_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINKS" ${ARGN})
  add_library(tegu_${name} STATIC ${ARG_SOURCES})
  if(name MATCHES "^(base|wire|config|device|daemon|placement|health|clientlib|board|field)$")
    tegu_in_batches(tegu_${name})
  endif()
  target_link_libraries(tegu_${name} PUBLIC tegu_flags ${ARG_LINKS})
  if(TEGU_SANITIZE AND name MATCHES "^(health|kernels|placement)$")
    target_compile_options(tegu_${name} PRIVATE ${TEGU_OPTIMISE_KERNELS})  # their tests compute for longer than this takes
  endif()
endfunction()

# tegu_isa_objects(<target> <file>...): compiles each file once per instruction set, with TEGU_ISA naming it (sse2, avx2,
# avx512; neon on aarch64; scalar elsewhere), and adds the objects to <target>. The files put everything into
# `namespace tegu::kernels::TEGU_ISA` and emit no inline function of another header. The linker keeps one copy of such a
# function, which the machine may not be able to run. tests/layers checks the symbols.
function(tegu_isa_objects target)
  string(TOLOWER "${CMAKE_SYSTEM_PROCESSOR}" processor)
  if(TEGU_SCALAR)  # nothing but what the language has: scripts/check-scalar.sh
    set(isas scalar)
    set(flags_scalar -fno-tree-vectorize -fno-tree-slp-vectorize -U__SSE2__)
  elseif(processor MATCHES "x86_64|amd64")
    set(isas sse2 avx2 avx512)
  elseif(processor MATCHES "aarch64|arm64")
    set(isas neon)
  else()
    set(isas scalar)
  endif()
  set(flags_avx2 -mavx2 -mf16c -mbmi -mbmi2 -mpopcnt -mlzcnt)
  set(flags_avx512 ${flags_avx2} -mavx512f -mavx512bw -mavx512dq -mavx512vl -mprefer-vector-width=512)
  if(TEGU_SANITIZE MATCHES "thread" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    list(APPEND flags_avx512 -Wno-uninitialized)  # GCC warns of its own header there (GCC bug 105593)
  endif()
  foreach(isa ${isas})
    set(objects ${target}_${isa})
    tegu_objects(${objects} SOURCES ${ARGN} LINKS tegu_flags)
    target_compile_definitions(${objects} PRIVATE TEGU_ISA=${isa} TEGU_ISA_${isa}=1)
    target_compile_options(${objects} PRIVATE ${TEGU_OPTIMISE_KERNELS} ${flags_${isa}})
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:${objects}>)
  endforeach()
endfunction()

# A clean clone has no times of earlier runs, and what starts last ends last: the longest tests start first.
set(TEGU_LONG_TESTS faults_daemon fuzz systemd_watchdog_test daemon_gpu_test simt_seed_cases_test digests.best
  tuning_cpu_policies_test tools_tune systemd_store_test tools_bench topk_test daemon_stop histogram_test quantile_test add_test
  dot_job_test reduce_long_test rowscale_test entropy_test reduce_bounds_test fused_test histogram_numpy tools_docs tools_cli_replay
  tools_cli_terminal tools_cli_top client_test daemon_store docs.numerics)
function(tegu_start_early name base)
  if(base IN_LIST TEGU_LONG_TESTS)
    set_tests_properties(${name} PROPERTIES COST 100)
  endif()
endfunction()

# How tests are compiled: a program, or objects of several.
function(tegu_test_code name)
  # The tested code is optimised. Of the test programs themselves only those that compute much (TEGU_TESTS_COMPUTE) are: the others build
  # faster without.
  set(optimise -O0)
  if(NOT CMAKE_BUILD_TYPE STREQUAL "Debug" AND TEGU_TESTS_COMPUTE)
    set(optimise -O1)
  endif()
  target_compile_options(${name} PRIVATE ${optimise})
  tegu_precompile(${name} OPTIONS ${optimise})
  target_compile_definitions(${name} PRIVATE TEGU_SOURCE_DIR="${PROJECT_SOURCE_DIR}" TEGU_BINARY_DIR="${PROJECT_BINARY_DIR}")
endfunction()

# tegu_test(<name> SOURCES ... LINKS ... [LABELS ...] [UNIT]): a GoogleTest program, one CTest test each. UNIT: of single classes, none of which
# computes results; built and run only where TEGU_UNIT_TESTS is ON. In folders where TEGU_TESTS_COMPUTE is set the programs are optimised.
option(TEGU_UNIT_TESTS "Test single classes and the replay of corpora: OFF where another build of the same run does, with sanitizers" ON)
function(tegu_test name)
  cmake_parse_arguments(ARG "UNIT" "TIMEOUT" "SOURCES;LINKS;LABELS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_LINKS} GTest::gtest GTest::gtest_main tegu_test_flags)
  tegu_test_code(${name})
  if(ARG_UNIT AND NOT TEGU_UNIT_TESTS)
    set_target_properties(${name} PROPERTIES EXCLUDE_FROM_ALL ON)
    return()
  endif()
  add_test(NAME ${name} COMMAND ${name})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 900)  # of one that hangs: a slow machine that is busy takes minutes
  endif()
  set_tests_properties(${name} PROPERTIES LABELS "${ARG_LABELS}" TIMEOUT ${ARG_TIMEOUT}
    ENVIRONMENT "TSAN_OPTIONS=halt_on_error=1;ASAN_OPTIONS=detect_stack_use_after_return=1;UBSAN_OPTIONS=print_stacktrace=1")
  tegu_start_early(${name} ${name})
endfunction()

# tegu_test_objects(<name> SOURCES ... LINKS ...): tests that several programs of tegu_test() hold, compiled once.
function(tegu_test_objects name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINKS" ${ARGN})
  tegu_objects(${name} SOURCES ${ARG_SOURCES} LINKS ${ARG_LINKS} GTest::gtest tegu_test_flags)
  set_target_properties(${name} PROPERTIES EXCLUDE_FROM_ALL ON)
  tegu_test_code(${name})
endfunction()

# tegu_isa_tests(<name>...): runs tests of tegu_test() once more with sse2 and with avx2. Where the machine has no better set, the
# setting changes nothing. Not under sanitizers, where they would take minutes.
function(tegu_isa_tests)
  if(TEGU_SANITIZE)
    return()
  endif()
  foreach(name ${ARGN})
    foreach(isa sse2 avx2)
      add_test(NAME ${name}.${isa} COMMAND ${name})
      set_tests_properties(${name}.${isa} PROPERTIES TIMEOUT 300 ENVIRONMENT "TEGU_CPU_ISA=${isa}")
      tegu_start_early(${name}.${isa} ${name})
    endforeach()
  endforeach()
endfunction()

# tegu_script_test(<name> COMMAND ... [LABELS ...] [ONCE]): a script as a test; exit code 77 means skipped. ONCE: it judges files, texts, or
# results beside those of other libraries, so builds with sanitizers would only repeat it.
function(tegu_script_test name)
  cmake_parse_arguments(ARG "ONCE" "TIMEOUT" "COMMAND;LABELS" ${ARGN})
  if(ARG_ONCE AND TEGU_SANITIZE)
    return()
  endif()
  add_test(NAME ${name} COMMAND ${ARG_COMMAND} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 900)  # of one that hangs: a slow machine that is busy takes minutes
  endif()
  set_tests_properties(${name} PROPERTIES LABELS "${ARG_LABELS}" TIMEOUT ${ARG_TIMEOUT} SKIP_RETURN_CODE 77
    ENVIRONMENT "TEGU_BUILD_DIR=${PROJECT_BINARY_DIR};TEGU_LIBRARY=${PROJECT_BINARY_DIR}/lib/libtegu.so.0;PYTHONPATH=${PROJECT_SOURCE_DIR}/client/python;TEGU_SANITIZE=${TEGU_SANITIZE}")
  tegu_start_early(${name} ${name})
endfunction()

# tegu_fuzz_target(<name> LAYER <folder> LIBRARY <target> CORPUS <folder>... [SOURCES ...]): the program fuzz_<name> of fuzz_<name>.cpp. With
# TEGU_FUZZ it is a fuzzer, and LIBRARY, which it attacks, is instrumented for it; else a replay, and each CORPUS a test of LAYER, a UNIT as in
# tegu_test(). WRAP: functions whose calls go to __wrap_<function> in it.
function(tegu_fuzz_target name)
  cmake_parse_arguments(ARG "" "LAYER;LIBRARY" "CORPUS;SOURCES;WRAP" ${ARGN})
  add_executable(fuzz_${name} fuzz_${name}.cpp ${ARG_SOURCES})
  target_link_libraries(fuzz_${name} PRIVATE ${ARG_LIBRARY})
  foreach(function ${ARG_WRAP})
    tegu_link_options(fuzz_${name} PRIVATE -Wl,--wrap=${function})
  endforeach()
  if(TEGU_FUZZ)
    tegu_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
    target_compile_options(fuzz_${name} PRIVATE -fsanitize=fuzzer-no-link)
    target_compile_options(${ARG_LIBRARY} PRIVATE -fsanitize=fuzzer-no-link)
    return()
  endif()
  target_sources(fuzz_${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests/wire/replay_main.cpp)
  target_compile_options(fuzz_${name} PRIVATE ${TEGU_OPTIMISE_LITTLE})
  if(NOT TEGU_UNIT_TESTS)
    set_target_properties(fuzz_${name} PROPERTIES EXCLUDE_FROM_ALL ON)
    return()
  endif()
  foreach(corpus ${ARG_CORPUS})
    get_filename_component(stem ${corpus} NAME)
    if(NOT stem STREQUAL name)
      set(stem ${name}_${stem})
    endif()
    tegu_script_test(${ARG_LAYER}_replay_${stem} COMMAND fuzz_${name} ${corpus})
  endforeach()
endfunction()
