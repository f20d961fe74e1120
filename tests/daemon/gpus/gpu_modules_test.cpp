// SPDX-License-Identifier: Apache-2.0
// tegud itself with modules of the tests (tests/kernels/module): one that computes, and such that cannot be
// used. The CPU then serves, and INFO names the file and the reason.
#include <sys/stat.h>

#include <cerrno>
#include <fstream>

#include "tests/daemon/gpus/gpu_support.h"

namespace tegu::test {
namespace {

const std::string kModules = TEGU_BINARY_DIR "/tests/modules/";

std::string with_modules(const std::string& name) {
    return kAuto + "[gpu]\nmodules = \"" + kModules + name + "\"\n";
}

DaemonProgram tegud(const std::string& gpu) {
    return {"bin/tegud", {"TEGU_TEST_GPU=" + gpu, "TEGU_TEST_FAULT=", "TEGU_TEST_REVISION=0"}};
}

void expect_cpu(const std::string& settings, const std::string& health, const std::string& reason,
                const std::string& gpu = "A") {
    DaemonProcess daemon(settings, tegud(gpu));
    RawClient client(daemon.socket());
    const Message info = info_of(client);
    EXPECT_EQ("cpu", text_field(info, "backend"));
    EXPECT_EQ(health, text_field(info, "health"));
    EXPECT_EQ(0u, text_field(info, "backend_reason").find(reason)) << text_field(info, "backend_reason");
    EXPECT_EQ("", text_field(info, "gpu_module"));
    EXPECT_EQ(health == "degraded", daemon.log().find("no GPU runs jobs: " + reason) != std::string::npos);
    BufferOfOnes buffer(client, 1000);
    EXPECT_EQ(1000, buffer.sum(0, wire::BackendChoice::Cpu));
}

TEST(GpuModules, RunTheJobsOfTegud) {
    DaemonProcess daemon(with_modules("guard"), tegud("A"));
    RawClient client(daemon.socket());
    const Message info = info_of(client);
    EXPECT_EQ("gpu", text_field(info, "backend"));
    EXPECT_EQ("ok", text_field(info, "health"));
    EXPECT_EQ(kModules + "guard/tegu-cuda-99.so", text_field(info, "gpu_module"));
    EXPECT_EQ("", text_field(info, "gpu_modules_refused"));
    EXPECT_EQ("sm_53", text_field(info, "gpu_built_for"));
    BufferOfOnes buffer(client, 1000);
    EXPECT_EQ(1000, buffer.sum(0));
}

TEST(GpuModules, ThatCannotBeUsedAreNamed) {
    expect_cpu(with_modules("other_abi"), "degraded", "tegu-cuda-98.so: its interface has version ");
    expect_cpu(with_modules("other_revision"), "degraded", "tegu-cuda-98.so: it is of another build: ");
    expect_cpu(with_modules("gaps"), "degraded", "tegu-cuda-98.so: its table has gaps");
    expect_cpu(with_modules("plain"), "degraded", "tegu-cuda-98.so: it is not a module");
    expect_cpu(with_modules("needy"), "degraded", "tegu-cuda-98.so: libtegu_test_missing.so: cannot open ");
    expect_cpu(with_modules("guard"), "degraded", "tegu-cuda-99.so: no NVIDIA driver", "none");
}

TEST(GpuModules, ThatAreRefusedSkipNoTest) {
    EXPECT_TRUE(is_absence("tegu-cuda-13.so: no NVIDIA driver"));
    EXPECT_TRUE(is_absence("no CUDA device"));
    EXPECT_TRUE(
        is_absence("memory class C needs access to pageable memory, which this device does not have "
                   "(gpu.memory_class)"));
    EXPECT_FALSE(is_absence("there is no tegu-cuda-*.so in /nowhere"));
    EXPECT_FALSE(is_absence("tegu-cuda-13.so: its folder can be written by other users"));
    EXPECT_FALSE(is_absence("tegu-cuda-13.so: no NVIDIA driver; tegu-cuda-12.so: its table has gaps"));
    EXPECT_FALSE(is_absence(""));
}

std::size_t count_of(const std::string& text, const std::string& words) {
    std::size_t count = 0;
    for (std::size_t at = text.find(words); at != std::string::npos; at = text.find(words, at + 1)) ++count;
    return count;
}

TEST(GpuModules, NeedNotBeThere) {
    ASSERT_TRUE(::mkdir((kModules + "empty").c_str(), 0755) == 0 || errno == EEXIST);
    expect_cpu(with_modules("empty"), "ok", "there is no tegu-cuda-*.so in " + kModules + "empty");
    expect_cpu("[executor]\nbackend = \"gpu\"\n[gpu]\nmodules = \"" + kModules + "empty\"\n", "degraded",
               "there is no tegu-cuda-*.so in ");
}

TEST(GpuModules, InAFolderThatCannotBeReadAreMissedOnce) {
    const std::string folder = kModules + "nowhere";
    const std::string reason =
        "the folder " + folder + " of gpu.modules cannot be read: No such file or directory";
    expect_cpu(with_modules("nowhere"), "degraded", reason);
    expect_cpu(
        with_modules("guard/tegu-cuda-99.so"), "degraded",
        "the folder " + kModules + "guard/tegu-cuda-99.so of gpu.modules cannot be read: Not a directory");

    DaemonProcess daemon(with_modules("nowhere"), tegud("A"));
    RawClient client(daemon.socket());
    const Message health = client.reply_to(
        client.send_message(wire::MessageType::Health, wire::HealthRequest{wire::HealthForm::Json}));
    const Result<wire::HealthReply> reply = wire::decode_health_reply(health.body);
    ASSERT_TRUE(reply.ok());
    EXPECT_NE(std::string::npos, reply->text.find("gpu_unavailable")) << reply->text;
    EXPECT_NE(std::string::npos, reply->text.find(reason)) << reply->text;
    EXPECT_EQ(1u, count_of(daemon.log(), reason)) << daemon.log();
}

}  // namespace
}  // namespace tegu::test
