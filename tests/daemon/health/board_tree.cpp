// SPDX-License-Identifier: Apache-2.0
#include "tests/daemon/health/board_tree.h"

#include <ftw.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace tegu::daemon::health {
namespace {

constexpr unsigned kNobody = 65534;

int error_number(const std::string& name) {
    static const std::map<std::string, int> kNumbers = {
        {"EAGAIN", EAGAIN}, {"EACCES", EACCES}, {"EIO", EIO}, {"ETIMEDOUT", ETIMEDOUT}, {"ENOENT", ENOENT}};
    const auto found = kNumbers.find(name);
    EXPECT_NE(found, kNumbers.end()) << name;
    return found == kNumbers.end() ? EIO : found->second;
}

std::string unescaped(const std::string& text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '\\' || i + 1 == text.size()) {
            out += text[i];
            continue;
        }
        const char kind = text[++i];
        if (kind == 'x') {
            out += static_cast<char>(std::stoi(text.substr(i + 1, 2), nullptr, 16));
            i += 2;
        } else {
            out += kind == 'n' ? '\n' : kind == '0' ? '\0' : kind;
        }
    }
    return out.empty() || out.back() == '\0' ? out : out + "\n";
}

// "first rest": cuts the first word off.
std::string take_word(std::string& line) {
    const std::size_t blank = line.find(' ');
    std::string word = line.substr(0, blank);
    line = blank == std::string::npos ? std::string() : line.substr(blank + 1);
    return word;
}

DiskSpace space_of(const std::string& text) {
    std::istringstream in(text);
    DiskSpace space;
    in >> space.total_bytes >> space.available_bytes;
    EXPECT_TRUE(in) << text;
    return space;
}

int remove_one(const char* path, const struct stat*, int, struct FTW*) {
    return ::remove(path);
}

void remove_all(const std::string& path) {
    struct stat status;
    if (::lstat(path.c_str(), &status) != 0) return;
    EXPECT_EQ(::nftw(path.c_str(), remove_one, 16, FTW_DEPTH | FTW_PHYS), 0) << path;
}

void put(const std::string& path, const std::string& text) {
    std::ofstream out(path, std::ios::binary);
    out << text;
    EXPECT_TRUE(out.good()) << path;
}

// The lines of a tree: those of the first reading, and those after "@later".
std::pair<std::vector<std::string>, std::vector<std::string>> tree_lines(const std::string& board) {
    std::pair<std::vector<std::string>, std::vector<std::string>> lines;
    bool later = false;
    for (const std::string& line : file_lines(data_path(board + ".tree"))) {
        if (line == "@later")
            later = true;
        else if (!line.empty() && line[0] != '#')
            (later ? lines.second : lines.first).push_back(line);
    }
    return lines;
}

}  // namespace

std::string data_path(const std::string& name) {
    return std::string(TEGU_SOURCE_DIR) + "/tests/data/boards/" + name;
}

std::string file_text(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    EXPECT_TRUE(in.good()) << path;
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

std::vector<std::string> file_lines(const std::string& path) {
    std::istringstream in(file_text(path));
    std::vector<std::string> lines;
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
}

std::vector<std::string> board_names() {
    return {"nano", "tx2", "xavier-nx", "orin-nano", "agx-orin", "thor", "pc"};
}

std::vector<std::string> board_paths(const std::string& board) {
    std::vector<std::string> paths;
    for (const std::string& line : tree_lines(board).first)
        paths.push_back(line.substr(0, line.find_first_of("\t ")));
    return paths;
}

std::vector<Damage> all_damage() {
    std::vector<Damage> all;
    for (std::string line : file_lines(data_path("damage.txt"))) {
        if (line.empty() || line[0] == '#') continue;
        if (line.compare(0, 3, "== ") != 0) {
            all.back().edits.push_back(line);
            continue;
        }
        line.erase(0, 3);
        Damage damage;
        damage.name = take_word(line);
        damage.board = take_word(line);
        damage.sentence = line.substr(2);
        all.push_back(damage);
    }
    return all;
}

// Real files, but for what the tree put in by hand.
class BoardTree::TreeFiles : public Files {
  public:
    TreeFiles(const BoardTree& tree, SystemFiles files) : tree_(tree), files_(std::move(files)) {}

    Value<std::string> read(const std::string& path, std::size_t limit, Longer longer) override {
        const auto error = tree_.errors_.find(path);
        if (error != tree_.errors_.end()) return unknown_of(path, error->second);
        return files_.read(path, limit, longer);
    }
    std::vector<std::string> list(const std::string& path) override { return files_.list(path); }
    Value<DiskSpace> space(const std::string& path) override {
        const auto error = tree_.errors_.find(path);
        if (error != tree_.errors_.end()) return unknown_of(path, error->second);
        const auto space = tree_.spaces_.find(path);
        if (space != tree_.spaces_.end()) return space->second;
        return files_.space(path);
    }

  private:
    const BoardTree& tree_;
    SystemFiles files_;
};

BoardTree::BoardTree() {
    // memory: there are tens of thousands of files
    root_ = ::access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    root_ += "/tegu-board-XXXXXX";
    EXPECT_NE(::mkdtemp(&root_[0]), nullptr);
    EXPECT_EQ(::chmod(root_.c_str(), 0755), 0);  // nobody reads it too
    Result<SystemFiles> files = SystemFiles::open(root_);
    EXPECT_TRUE(files.ok());
    files_ = std::make_unique<TreeFiles>(*this, std::move(*files));
}

BoardTree::BoardTree(const std::string& board) : BoardTree() {
    auto lines = tree_lines(board);
    for (const std::string& line : lines.first) apply(line);
    later_lines_ = std::move(lines.second);
}

BoardTree::~BoardTree() {
    for (const std::string& path : denied_) (void)::chmod(full(path).c_str(), S_IRWXU);
    remove_all(root_);
}

Files& BoardTree::files() {
    return *files_;
}

void BoardTree::remove(const std::string& path) {
    remove_all(full(path));
    errors_.erase(path);
}

void BoardTree::replace(const std::string& path) {
    remove(path);
    make_folders(path);
}

void BoardTree::make_folders(const std::string& path) {
    for (std::size_t slash = path.find('/'); slash != std::string::npos; slash = path.find('/', slash + 1))
        (void)::mkdir(full(path.substr(0, slash)).c_str(), 0755);
}

void BoardTree::write(const std::string& path, const std::string& text) {
    replace(path);
    put(full(path), text);
}

// A line of a tree.
void BoardTree::apply(const std::string& line) {
    const std::size_t tab = line.find('\t');
    if (tab == std::string::npos) {
        const std::size_t arrow = line.find(" -> ");
        ASSERT_NE(arrow, std::string::npos) << line;
        edit("link " + line.substr(0, arrow) + " " + line.substr(arrow + 4));
        return;
    }
    const std::string path = line.substr(0, tab), text = line.substr(tab + 1);
    if (text.compare(0, 7, "!SPACE ") == 0)
        edit("space " + path + " " + text.substr(7));
    else if (!text.empty() && text[0] == '!')
        edit("error " + path + " " + text.substr(1));
    else
        edit("set " + path + " " + text);
}

void BoardTree::edit(const std::string& line) {
    std::string rest = line;
    std::string what = take_word(rest);
    const std::string path = take_word(rest);
    if (what.compare(0, 6, "later-") == 0) {
        later_edits_.push_back(line.substr(6));
    } else if (what == "set") {
        write(path, unescaped(rest));
    } else if (what == "remove") {
        remove(path);
    } else if (what == "huge") {
        write(path, std::string(std::stoul(rest), '7'));
    } else if (what == "deny") {
        EXPECT_EQ(::chmod(full(path).c_str(), 0), 0) << line;
        denied_.push_back(path);
    } else if (what == "fifo") {
        replace(path);
        EXPECT_EQ(::mkfifo(full(path).c_str(), 0644), 0) << line;
    } else if (what == "directory") {
        replace(path);
        EXPECT_EQ(::mkdir(full(path).c_str(), 0755), 0) << line;
    } else if (what == "link") {
        replace(path);
        EXPECT_EQ(::symlink(rest.c_str(), full(path).c_str()), 0) << line;
    } else if (what == "error") {
        write(path, "");
        errors_[path] = error_number(rest);
    } else if (what == "space") {
        make_folders(path + "/");
        spaces_[path] = space_of(rest);
    } else if (what == "copies") {
        const std::string type = file_text(full(path) + "/type"), temp = file_text(full(path) + "/temp");
        const std::string stem = path.substr(0, path.find_last_not_of("0123456789") + 1);
        for (int i = 0; i < std::stoi(rest); ++i) {
            write(stem + std::to_string(1000 + i) + "/type", type);
            write(stem + std::to_string(1000 + i) + "/temp", temp);
        }
    } else {
        ADD_FAILURE() << "no such edit: " << line;
    }
}

// Whoever is not root may change nothing that is denied: it is allowed meanwhile.
void BoardTree::advance() {
    struct stat status;
    std::map<std::string, ino_t> allowed;
    for (const std::string& path : denied_) {
        if (::stat(full(path).c_str(), &status) != 0) continue;
        allowed[full(path)] = status.st_ino;
        (void)::chmod(full(path).c_str(), S_IRWXU);
    }
    for (const std::string& line : later_lines_) apply(line);
    for (const std::string& line : later_edits_) edit(line);
    for (const auto& [path, inode] : allowed)
        if (::stat(path.c_str(), &status) == 0 && status.st_ino == inode) (void)::chmod(path.c_str(), 0);
}

AsNobody::AsNobody(bool wanted) {
    if (!wanted || ::geteuid() != 0) return;
    changed_ = ::seteuid(kNobody) == 0;
    EXPECT_TRUE(changed_);
}

AsNobody::~AsNobody() {
    if (!changed_) return;
    EXPECT_EQ(::seteuid(0), 0);
}

}  // namespace tegu::daemon::health
