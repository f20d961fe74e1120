// SPDX-License-Identifier: Apache-2.0
// What a probe says of drivers that cannot be used, in a process that has a library of the test for its
// driver.
#include <gtest/gtest.h>

#include <cstdio>
#include <string>

namespace tegu::device {
namespace {

std::string probe_with(const std::string& environment) {
    const std::string command =
        "LD_LIBRARY_PATH='" TEGU_FAKE_DRIVER_FOLDER "' " + environment + " '" TEGU_PROBE_PROGRAM "'";
    std::FILE* const output = ::popen(command.c_str(), "r");
    if (output == nullptr) return "popen failed";
    char line[512] = "";
    if (std::fgets(line, sizeof line, output) == nullptr) line[0] = 0;
    EXPECT_EQ(0, ::pclose(output));
    return line;
}

TEST(ProbeCuda, ADriverThatIsTooOldIsNamedWithItsVersion) {
    const std::string said = probe_with("TEGU_FAKE_DRIVER=9000");
    EXPECT_EQ(
        0u,
        said.rfind("0 the NVIDIA driver is too old: it is made for CUDA 9.0, the GPU backend for CUDA ", 0))
        << said;
}

TEST(ProbeCuda, ADriverWithoutADeviceSaysSo) {
    EXPECT_EQ("0 no CUDA device\n", probe_with("TEGU_FAKE_DRIVER=99000 TEGU_FAKE_INIT=100"));
}

TEST(ProbeCuda, PartsOfADriverThatDoNotMatchAreNamed) {
    const std::string said = probe_with("TEGU_FAKE_DRIVER=99000 TEGU_FAKE_INIT=803");
    EXPECT_EQ(0u, said.rfind("0 the parts of the NVIDIA driver do not match: ", 0)) << said;
}

TEST(ProbeCuda, AnyOtherFailureIsToldInCudasWords) {
    const std::string said = probe_with("TEGU_FAKE_DRIVER=99000 TEGU_FAKE_INIT=999");
    EXPECT_EQ(0u, said.rfind("0 the CUDA runtime ", 0)) << said;
    EXPECT_NE(std::string::npos, said.find(" cannot use the driver (CUDA 99.0): ")) << said;
    EXPECT_NE(std::string::npos, said.find("cudaError")) << said;
}

}  // namespace
}  // namespace tegu::device
