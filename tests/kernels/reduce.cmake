tegu_test(reduce_test SOURCES reduce_test.cpp LINKS tegu_kernels)
