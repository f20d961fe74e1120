// SPDX-License-Identifier: Apache-2.0
// The table of clients, by process or by user: its columns, the columns that fit, and the order of the rows.
#pragma once

#include <string>
#include <vector>

#include "tools/tegu/top/grid.h"
#include "tools/tegu/top/view.h"

namespace tegu {
namespace cli {
namespace top {

// X(Name, word of --sort, heading, columns, rank: the highest are left out first, descending at first)
#define TEGU_TOP_COLUMNS(X)                            \
    X(Pid, "pid", "PID", 7, 1, false)                  \
    X(User, "user", "USER", 9, 4, false)               \
    X(Name, "name", "NAME", 14, 1, false)              \
    X(Connections, "connections", "CONNS", 5, 8, true) \
    X(Buffers, "buffers", "BUFS", 5, 7, true)          \
    X(Memory, "memory", "MEMORY", 9, 3, true)          \
    X(InFlight, "active", "ACTIVE", 6, 4, true)        \
    X(Rate, "rate", "JOBS/S", 7, 1, true)              \
    X(Gpu, "gpu", "GPU%", 6, 2, true)                  \
    X(Cpu, "cpu", "CPU%", 6, 2, true)                  \
    X(Bytes, "bytes", "BYTES/S", 10, 6, true)          \
    X(Jobs, "jobs", "JOBS", 7, 5, true)

enum class Column : std::uint8_t {
#define TEGU_X(Name, word, heading, columns, rank, descending) Name,
    TEGU_TOP_COLUMNS(TEGU_X)
#undef TEGU_X
};
constexpr int kColumns = static_cast<int>(Column::Jobs) + 1;

std::vector<std::string> column_words();
// REQUIRES: one of the words.
Column column_of(const std::string& word);

// A client without a connection, which the daemon still lists.
bool is_gone(const Account& account);

// Leaves out clients that have gone, but for those that had jobs since the view before.
void hide_gone(std::vector<Account>& clients);

struct Order {
    Column column = Column::Gpu;
    bool reverse = false;
};
// Equal ones by jobs a second, those that are gone last, then by jobs, then by pid and uid, so that rows do
// not jump.
void sort_accounts(std::vector<Account>& accounts, const Order& order);

// The columns that `width` has place for, as headings and rows show them. Of users there is no process.
std::vector<Column> columns_for(int width, bool users);

// The next column of the table to sort by, `step` to the right; those that have no place are passed over.
Column next_column(Column column, int step, const std::vector<Column>& shown);

// Draws the heading at `row`, then the accounts from `first` on. REQUIRES: accounts are sorted.
void draw_accounts(const std::vector<Account>& accounts, const Order& order, bool users, int first, int row,
                   int rows, Grid& grid);

}  // namespace top
}  // namespace cli
}  // namespace tegu
