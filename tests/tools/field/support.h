// SPDX-License-Identifier: Apache-2.0
// What the tests of tools/field share: a file that goes with the test, a board of files, and the records of a
// run.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <boost/property_tree/json_parser.hpp>
#include <boost/property_tree/ptree.hpp>
#include <fstream>
#include <sstream>
#include <string>

#include "tests/daemon/health/board_tree.h"
#include "tests/tools/board/fake_gpu.h"
#include "tools/field/field_json.h"
#include "tools/field/runner.h"

namespace tegu::field {

class TemporaryFile {
  public:
    TemporaryFile() : path_(testing::TempDir() + "/field_" + std::to_string(getpid()) + ".json") { remove(); }
    ~TemporaryFile() { remove(); }
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;

    const std::string& path() const { return path_; }
    std::string text() const {
        std::ifstream in(path_, std::ios::binary);
        return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    }
    void write(const std::string& text) const { std::ofstream(path_, std::ios::binary) << text; }
    // Fails the test if the file is not JSON.
    boost::property_tree::ptree parsed() const {
        boost::property_tree::ptree tree;
        std::istringstream in(text());
        EXPECT_NO_THROW(boost::property_tree::read_json(in, tree)) << text();
        return tree;
    }

  private:
    void remove() const {
        ::unlink(path_.c_str());
        ::unlink((path_ + ".new").c_str());
    }
    std::string path_;
};

inline FieldHead head_of(const std::string& board, bool quick = false) {
    board::BoardIdentity identity;
    identity.board = board;
    RunOptions options;
    options.quick = quick;
    return {identity_json(identity, {"0.1.0", "abc1234", "", 0}), options_json(options)};
}

// "kind part case backend" of each record; of conditions "condition part at".
inline std::vector<std::string> records_of(const boost::property_tree::ptree& file) {
    std::vector<std::string> records;
    for (const auto& [none, record] : file.get_child("records")) {
        const std::string kind = record.get<std::string>("kind"), part = record.get<std::string>("part");
        records.push_back(kind == "condition" ? kind + " " + part + " " + record.get<std::string>("at")
                                              : kind + " " + part + " " + record.get<std::string>("case") +
                                                    " " + record.get<std::string>("backend"));
    }
    return records;
}

}  // namespace tegu::field
