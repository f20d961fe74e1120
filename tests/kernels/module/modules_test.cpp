// SPDX-License-Identifier: Apache-2.0
// Which files are loaded as modules, why others are not, and which one of several is used.
#include <elf.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "kernels/device/gpu.h"
#include "kernels/module/layout.h"
#include "kernels/module/loader.h"
#include "kernels/module/module_file.h"
#include "tests/kernels/module/loaded_module.h"

namespace tegu::module {
namespace {

std::string content_of(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    EXPECT_FALSE(text.str().empty()) << path;
    return text.str();
}

// A folder whose files end with it.
class Folder {
  public:
    Folder() {
        const char* const base = std::getenv("TMPDIR");
        path_ = std::string(base == nullptr ? "/tmp" : base) + "/tegu-modules-XXXXXX";
        EXPECT_NE(nullptr, ::mkdtemp(&path_[0]));
    }
    ~Folder() {
        for (const std::string& file : files_) (void)::unlink(file.c_str());
        (void)::rmdir(path_.c_str());
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;

    const std::string& path() const { return path_; }
    std::string add(const std::string& name, const std::string& content, mode_t mode = 0755) {
        std::string file = path_ + "/" + name;
        std::ofstream(file, std::ios::binary) << content;
        EXPECT_EQ(0, ::chmod(file.c_str(), mode));
        files_.push_back(file);
        return file;
    }
    std::string link(const std::string& name, const std::string& to) {
        std::string file = path_ + "/" + name;
        EXPECT_EQ(0, ::symlink(to.c_str(), file.c_str()));
        files_.push_back(file);
        return file;
    }

  private:
    std::string path_;
    std::vector<std::string> files_;
};

class Modules : public testing::Test {
  protected:
    Modules() {
        (void)::setenv("TEGU_TEST_REVISION", std::to_string(layout_revision()).c_str(), 1);
        (void)::setenv("TEGU_TEST_GPU", "A", 1);
    }
    static std::string reason(const std::string& path) {
        const Result<const tegu_module*> loaded = load_module(path);
        if (loaded) return "";
        EXPECT_EQ(Status::Unavailable, loaded.error().status);
        return loaded.error().message;
    }
    Folder folder_;
    const std::string good_ = content_of(test::module_path("guard"));
};

TEST_F(Modules, AreFoundByTheirNamesNewestFirst) {
    for (const char* const name : {"tegu-cuda-9.so", "tegu-cuda-13.so", "tegu-cuda-11.so", "tegu-cuda-.so",
                                   "tegu-cuda-12.so.1", "tegu-cuda-x.so", "tegu-cuda-12345.so", "libtegu.so"})
        folder_.add(name, "");
    const Folder second;
    std::vector<std::string> names;
    for (const ModuleFile& file : find_modules({"/nowhere", folder_.path(), second.path()}))
        names.push_back(file.name());
    EXPECT_EQ((std::vector<std::string>{"tegu-cuda-13.so", "tegu-cuda-11.so", "tegu-cuda-9.so"}), names);
}

TEST_F(Modules, OfTheFirstFolderComeFirst) {
    Folder second;
    second.add("tegu-cuda-12.so", "");
    folder_.add("tegu-cuda-12.so", "");
    const std::vector<ModuleFile> found = find_modules({folder_.path(), second.path()});
    ASSERT_EQ(2u, found.size());
    EXPECT_EQ(folder_.path() + "/tegu-cuda-12.so", found[0].path);
}

TEST_F(Modules, OfThisBuildAreLoaded) {
    const Result<const tegu_module*> loaded = load_module(test::module_path("guard"));
    ASSERT_TRUE(loaded.ok()) << loaded.error().message;
    EXPECT_EQ(std::string("99.0"), (*loaded)->toolkit);
    EXPECT_EQ("", reason(folder_.add("tegu-cuda-12.so", good_)));
}

TEST_F(Modules, OfAnotherFormAreRefusedWithTheReason) {
    EXPECT_EQ("its interface has version " + std::to_string(TEGU_MODULE_ABI + 1) + " (" +
                  std::to_string(sizeof(tegu_module)) + " bytes), this program needs version " +
                  std::to_string(TEGU_MODULE_ABI) + " (" + std::to_string(sizeof(tegu_module)) + " bytes)",
              reason(test::module_path("other_abi")));
    EXPECT_EQ("its table has gaps", reason(test::module_path("gaps")));
    EXPECT_EQ("it gives no table: the host has no memory", reason(test::module_path("no_table")));
    EXPECT_EQ("it is not a module: it has no symbol tegu_cuda_module", reason(test::module_path("plain")));
    const std::string other = reason(test::module_path("other_revision"));
    EXPECT_EQ(0u, other.find("it is of another build: tegu 0.0.9, revision ")) << other;
}

TEST_F(Modules, WithoutALibraryThatTheyNeedNameIt) {
    const std::string missing = reason(test::module_path("needy"));
    EXPECT_EQ(0u, missing.find("libtegu_test_missing.so: cannot open shared object file")) << missing;
}

TEST_F(Modules, ThatAreCutShortAreRefusedBeforeTheyAreMapped) {
    for (const std::size_t bytes : {good_.size() - 1, good_.size() / 2, std::size_t{4096}, std::size_t{20}}) {
        const std::string cut = reason(folder_.add("tegu-cuda-12.so", good_.substr(0, bytes)));
        EXPECT_EQ(0u, cut.find("the file is cut short")) << bytes << ": " << cut;
    }
    EXPECT_EQ("it is not a shared object", reason(folder_.add("tegu-cuda-12.so", "")));
}

TEST_F(Modules, ThatAreNoSharedObjectAreRefused) {
    EXPECT_EQ("it is not a shared object", reason(folder_.add("tegu-cuda-12.so", "#!/bin/sh\n")));
    std::string object = good_;
    object[offsetof(Elf64_Ehdr, e_type)] = ET_REL;
    EXPECT_EQ("it is not a shared object", reason(folder_.add("tegu-cuda-12.so", object)));
}

TEST_F(Modules, ForAnotherProcessorAreRefused) {
    std::string other = good_;
    other[offsetof(Elf64_Ehdr, e_machine)] = EM_ARM;
    const std::string said = reason(folder_.add("tegu-cuda-12.so", other));
    EXPECT_EQ(0u, said.find("it is made for another processor (arm), this program for ")) << said;
}

TEST_F(Modules, ThatOthersCanWriteAreRefused) {
    const std::string file = folder_.add("tegu-cuda-12.so", good_, 0757);
    EXPECT_EQ("the file can be written by other users", reason(file));
    ASSERT_EQ(0, ::chmod(file.c_str(), 0755));
    ASSERT_EQ(0, ::chmod(folder_.path().c_str(), 0777));
    EXPECT_EQ("its folder can be written by other users", reason(file));
    ASSERT_EQ(0, ::chmod(folder_.path().c_str(), 0700));
    EXPECT_EQ("", reason(file));
}

TEST_F(Modules, OfAnotherUserOrGroupAreRefused) {
    if (::geteuid() != 0) GTEST_SKIP() << "only root gives files away";
    const std::string file = folder_.add("tegu-cuda-12.so", good_, 0775);
    EXPECT_EQ("", reason(file)) << "root's own group";
    ASSERT_EQ(0, ::chown(file.c_str(), 0, 12345));
    EXPECT_EQ("the file can be written by other users", reason(file));
    ASSERT_EQ(0, ::chown(file.c_str(), 12345, 12345));
    EXPECT_EQ("the file belongs to user 12345, neither to root nor to the daemon's", reason(file));
}

TEST_F(Modules, MustBeRegularFiles) {
    const std::string target = folder_.add("target", good_);
    EXPECT_EQ("it is a symbolic link, not a regular file", reason(folder_.link("tegu-cuda-12.so", target)));
    const std::string pipe = folder_.add("tegu-cuda-11.so", "");
    ASSERT_EQ(0, ::unlink(pipe.c_str()));
    ASSERT_EQ(0, ::mkfifo(pipe.c_str(), 0600));
    EXPECT_EQ("it is not a regular file", reason(pipe));
    EXPECT_EQ("it cannot be opened: No such file or directory", reason(folder_.path() + "/tegu-cuda-1.so"));
}

// Who may write a folder further up could put another folder in the place of this one.
TEST_F(Modules, AllFoldersAboveAreJudged) {
    const std::string inner = folder_.path() + "/inner";
    ASSERT_EQ(0, ::mkdir(inner.c_str(), 0755));
    const std::string file = inner + "/tegu-cuda-13.so";
    std::ofstream(file, std::ios::binary) << good_;
    EXPECT_EQ(0, ::chmod(file.c_str(), 0755));
    EXPECT_TRUE(check_module_file(file).ok());
    EXPECT_EQ(0, ::chmod(folder_.path().c_str(), 0777));
    const Result<void> judged = check_module_file(file);
    EXPECT_EQ(0, ::chmod(folder_.path().c_str(), 0700));
    (void)::unlink(file.c_str());
    (void)::rmdir(inner.c_str());
    ASSERT_FALSE(judged.ok());
    EXPECT_EQ("the folder " + folder_.path() + " can be written by other users", judged.error().message);
}

TEST_F(Modules, TheNewestThatWorksIsUsed) {
    folder_.add("tegu-cuda-14.so", content_of(test::module_path("other_abi")));
    folder_.add("tegu-cuda-13.so", content_of(test::module_path("old_driver")));
    const std::string used = folder_.add("tegu-cuda-11.so", good_);
    folder_.add("tegu-cuda-10.so", "never looked at");
    const device::DeviceList list = device::probe_devices({folder_.path()});
    ASSERT_EQ(1u, list.devices.size()) << list.reason;
    EXPECT_EQ("", list.reason);
    EXPECT_EQ(used, list.module);
    EXPECT_EQ(std::vector<unsigned>{53}, list.built);
    EXPECT_EQ(0u, list.refused.find("tegu-cuda-14.so: its interface has version ")) << list.refused;
    EXPECT_NE(std::string::npos, list.refused.find("; tegu-cuda-13.so: the NVIDIA driver is too old"));
    const Result<std::unique_ptr<device::Gpu>> gpu = device::open_gpu(list.devices[0], device::GpuLimits());
    ASSERT_TRUE(gpu.ok());
    EXPECT_EQ("guarded memory", (*gpu)->info().name);
}

TEST_F(Modules, WithDevicesThatCannotBeUsedAreNotTheLast) {
    (void)::setenv("TEGU_TEST_GPU", "unusable", 1);
    folder_.add("tegu-cuda-13.so", good_);
    folder_.add("tegu-cuda-12.so", "text");
    const device::DeviceList list = device::probe_devices({folder_.path()});
    EXPECT_TRUE(list.devices.empty());
    EXPECT_EQ(
        "tegu-cuda-13.so: GPU 0 (guarded memory): no machine code for sm_110; there is code for sm_53; "
        "tegu-cuda-12.so: it is not a shared object",
        list.reason);
    EXPECT_EQ(std::vector<unsigned>{53}, list.built);
}

TEST_F(Modules, AreMissedWhereThereAreNone) {
    EXPECT_FALSE(device::may_have_gpus({folder_.path()}));
    EXPECT_EQ("there is no tegu-cuda-*.so in " + folder_.path(),
              device::probe_devices({folder_.path()}).reason);
    folder_.add("tegu-cuda-12.so", "text");
    EXPECT_TRUE(device::may_have_gpus({folder_.path()}));
    EXPECT_EQ(Status::Unavailable,
              device::open_gpu(device::DeviceInfo(), device::GpuLimits()).error().status);
}

}  // namespace
}  // namespace tegu::module
