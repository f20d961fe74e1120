// SPDX-License-Identifier: Apache-2.0
// A shared object that is no module. With FIXTURE_NEEDS it needs another library, which is then missing.
int tegu_test_value(void);

#ifdef FIXTURE_NEEDS
int tegu_test_needs(void);
int tegu_test_needs(void) {
    return tegu_test_value();
}
#else
int tegu_test_value(void) {
    return 7;
}
#endif
