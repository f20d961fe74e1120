// SPDX-License-Identifier: Apache-2.0
// Boards as trees of files: tests/data/boards/README.md says how they are written down. Each lives in a
// temporary folder of its own, with real files, links, FIFOs and permissions; only errors of drivers and
// sizes of file systems are put in by hand.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "daemon/health/board/files.h"

namespace tegu::daemon::health {

struct Damage {
    std::string name, board, sentence;
    std::vector<std::string> edits;
};

std::string data_path(const std::string& name);  // in tests/data/boards
std::string file_text(const std::string& path);  // fails the test if it cannot be read
std::vector<std::string> file_lines(const std::string& path);
std::vector<std::string> board_names();
std::vector<Damage> all_damage();
std::vector<std::string> board_paths(const std::string& board);  // of its lines

class BoardTree {
  public:
    // An empty tree, or one of these boards as it is at the first reading.
    BoardTree();
    explicit BoardTree(const std::string& board);
    ~BoardTree();
    BoardTree(const BoardTree&) = delete;
    BoardTree& operator=(const BoardTree&) = delete;

    void edit(const std::string& line);
    void write(const std::string& path, const std::string& text);
    // What the board changes, and later edits, before the second reading.
    void advance();
    // Whether an edit denied permission: read as another user then.
    bool denies() const { return !denied_.empty(); }

    const std::string& root() const { return root_; }
    // Reads the tree. Valid as long as the tree is.
    Files& files();

  private:
    class TreeFiles;
    void apply(const std::string& line);
    void remove(const std::string& path);
    void replace(const std::string& path);  // makes room, and the folders above
    void make_folders(const std::string& path);
    std::string full(const std::string& path) const { return root_ + "/" + path; }

    std::string root_;
    std::vector<std::string> later_lines_, later_edits_, denied_;
    std::map<std::string, int> errors_;
    std::map<std::string, DiskSpace> spaces_;
    std::unique_ptr<TreeFiles> files_;
};

// As long as it lives a process of root is nobody, so that permissions hold.
class AsNobody {
  public:
    explicit AsNobody(bool wanted);
    ~AsNobody();
    AsNobody(const AsNobody&) = delete;
    AsNobody& operator=(const AsNobody&) = delete;

  private:
    bool changed_ = false;
};

}  // namespace tegu::daemon::health
