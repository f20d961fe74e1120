// SPDX-License-Identifier: Apache-2.0
#include "tools/tegu/top/clients.h"

#include <algorithm>

#include "tools/tegu/top/parts.h"

namespace tegu {
namespace cli {
namespace top {
namespace {

struct ColumnInfo {
    const char* word;
    const char* heading;
    int columns;
    int rank;
    bool descending;
};
constexpr ColumnInfo kInfos[] = {
#define TEGU_X(Name, word, heading, columns, rank, descending) {word, heading, columns, rank, descending},
    TEGU_TOP_COLUMNS(TEGU_X)
#undef TEGU_X
};

const ColumnInfo& info(Column column) {
    return kInfos[static_cast<std::size_t>(column)];
}

bool flush_left(Column column) {
    return column == Column::User || column == Column::Name;
}

Number value(const Account& account, Column column) {
    switch (column) {
        case Column::Pid: return account.pid;
        case Column::User: return account.uid;
        case Column::Name: return {};
        case Column::Connections: return account.connections;
        case Column::Buffers: return account.buffers;
        case Column::Memory: return account.buffer_bytes;
        case Column::InFlight: return account.jobs_in_flight;
        case Column::Rate: return account.jobs_per_second;
        case Column::Gpu: return account.device_share;
        case Column::Cpu: return account.cpu_share;
        case Column::Bytes: return account.bytes_per_second;
        case Column::Jobs: return account.jobs;
    }
    return {};
}

std::string user_text(const Account& account) {
    return !account.user.empty() ? account.user : account.uid ? fixed_text(account.uid, 0) : "-";
}

std::string cell(const Account& account, Column column) {
    const Number number = value(account, column);
    switch (column) {
        case Column::Pid: return fixed_text(number, 0);
        case Column::User: return user_text(account);
        case Column::Name: return account.name.empty() ? "-" : account.name;
        case Column::Memory: return size_text(number);
        case Column::Gpu:
        case Column::Cpu: return number ? fixed_text(*number * 100, 1) : "-";
        case Column::Bytes: return size_text(number);
        default: return count_text(number);
    }
}

// -1, 0, 1; what is not known comes last either way.
int compare(Number a, Number b, bool descending) {
    if (!a || !b) return a ? -1 : b ? 1 : 0;
    if (*a == *b) return 0;
    return (*a < *b) != descending ? -1 : 1;
}

int compare_by(const Account& a, const Account& b, Column column, bool descending) {
    if (column != Column::Name && column != Column::User)
        return compare(value(a, column), value(b, column), descending);
    const int order = cell(a, column).compare(cell(b, column));
    return descending ? -order : order;
}

}  // namespace

bool is_gone(const Account& account) {
    return account.connections && *account.connections <= 0;
}

void hide_gone(std::vector<Account>& clients) {
    const auto idle = [](const Account& client) {
        return is_gone(client) && client.jobs_per_second.value_or(0) <= 0;
    };
    clients.erase(std::remove_if(clients.begin(), clients.end(), idle), clients.end());
}

std::vector<std::string> column_words() {
    std::vector<std::string> words;
    for (const ColumnInfo& column : kInfos) words.push_back(column.word);
    return words;
}

Column column_of(const std::string& word) {
    int found = 0;
    while (found + 1 < kColumns && word != kInfos[found].word) ++found;
    return static_cast<Column>(found);
}

void sort_accounts(std::vector<Account>& accounts, const Order& order) {
    const bool descending = info(order.column).descending != order.reverse;
    std::stable_sort(accounts.begin(), accounts.end(), [&](const Account& a, const Account& b) {
        int result = compare_by(a, b, order.column, descending);
        if (result == 0) result = compare(a.jobs_per_second, b.jobs_per_second, true);
        if (result == 0) result = is_gone(a) - is_gone(b);
        if (result == 0) result = compare(a.jobs, b.jobs, true);
        if (result == 0) result = compare(a.pid, b.pid, false);
        if (result == 0) result = compare(a.uid, b.uid, false);
        return result < 0;
    });
}

std::vector<Column> columns_for(int width, bool users) {
    std::vector<Column> shown;
    int wanted = -1;
    for (int i = 0; i < kColumns; ++i) {
        const auto column = static_cast<Column>(i);
        if (users && (column == Column::Pid || column == Column::Name)) continue;
        shown.push_back(column);
        wanted += info(column).columns + 1;
    }
    while (wanted > width && shown.size() > 1) {
        auto worst = shown.begin();
        for (auto column = shown.begin(); column != shown.end(); ++column)
            if (info(*column).rank >= info(*worst).rank) worst = column;
        wanted -= info(*worst).columns + 1;
        shown.erase(worst);
    }
    return shown;
}

Column next_column(Column column, int step, const std::vector<Column>& shown) {
    const auto found = std::find(shown.begin(), shown.end(), column);
    if (found == shown.end()) return shown.front();
    const auto count = static_cast<int>(shown.size());
    const auto at = static_cast<int>(found - shown.begin());
    return shown[static_cast<std::size_t>(((at + step) % count + count) % count)];
}

void draw_accounts(const std::vector<Account>& accounts, const Order& order, bool users, int first, int row,
                   int rows, Grid& grid) {
    const std::vector<Column> shown = columns_for(grid.width(), users);
    int spare = grid.width() + 1;
    for (const Column column : shown) spare -= info(column).columns + 1;
    if (row >= 0 && row < grid.height()) grid.restyle(row, Style::Heading);
    int at = 0;
    for (const Column column : shown) {
        // The name, or of users the first column, takes what is left.
        const bool wide = column == (users ? Column::User : Column::Name);
        const int width = info(column).columns + (wide ? std::max(spare, 0) : 0);
        const auto draw = [&](int line, const std::string& text, Style style) {
            const int columns = std::min(columns_of(text, grid.unicode()), width);
            grid.put(line, at + (flush_left(column) ? 0 : width - columns), columns, text, style);
        };
        const bool chosen = column == order.column;
        const bool descending = info(column).descending != order.reverse;
        const char* arrow = !chosen ? "" : grid.unicode() ? descending ? "▾" : "▴" : descending ? "v" : "^";
        draw(row, info(column).heading + std::string(arrow), chosen ? Style::Chosen : Style::Heading);
        for (int i = 0; i + 1 < rows && first + i < static_cast<int>(accounts.size()); ++i) {
            const Account& account = accounts[static_cast<std::size_t>(first + i)];
            draw(row + 1 + i, cell(account, column), is_gone(account) ? Style::Label : Style::Plain);
        }
        at += width + 1;
    }
}

}  // namespace top
}  // namespace cli
}  // namespace tegu
