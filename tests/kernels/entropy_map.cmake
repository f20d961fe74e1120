# entropy_map: its table, and the maps once per instruction set that this machine can run (a wish for a better one changes nothing).
tegu_test(entropy_table_test SOURCES entropy_table_test.cpp LINKS tegu_kernels)
tegu_test(entropy_map_test SOURCES entropy_map_test.cpp LINKS tegu_kernels)
foreach(isa sse2 avx2)
  add_test(NAME entropy_map_test.${isa} COMMAND entropy_map_test)
  set_tests_properties(entropy_map_test.${isa} PROPERTIES TIMEOUT 300 ENVIRONMENT "TEGU_CPU_ISA=${isa};TSAN_OPTIONS=halt_on_error=1")
endforeach()
