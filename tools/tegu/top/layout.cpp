// SPDX-License-Identifier: Apache-2.0
#include "tools/tegu/top/layout.h"

#include <algorithm>
#include <iterator>

namespace tegu {
namespace cli {
namespace top {
namespace {

constexpr int kGap = 2;          // columns between two columns of lines
constexpr int kTwoColumns = 72;  // from this width on
constexpr int kThreeColumns = 118;
constexpr int kRoomyHeight = 32;  // from here on there is place for blank rows and more of everything
constexpr int kMaxReasons = 8;

struct Frame {
    const View& view;
    const History& history;
    const Choice& choice;
    Screen screen;
    double now;

    bool endless() const { return screen.height <= 0; }
    bool roomy() const { return endless() || screen.height >= kRoomyHeight; }
};

// "Jetson Xavier NX" of "NVIDIA Jetson Xavier NX Developer Kit".
std::string model_text(std::string model) {
    const std::string maker = "NVIDIA ", kit = " Developer Kit";
    if (model.compare(0, maker.size(), maker) == 0) model.erase(0, maker.size());
    if (model.size() > kit.size() && model.compare(model.size() - kit.size(), kit.size(), kit) == 0)
        model.resize(model.size() - kit.size());
    return model.empty() ? "unknown board" : model;
}

Line header_line(const Frame& frame) {
    const View& view = frame.view;
    const Style badge = view.state == "ok" && !frame.choice.lost       ? Style::BadgeGood
                        : view.state == "failing" || frame.choice.lost ? Style::BadgeBad
                                                                       : Style::BadgeWarn;
    Line line;
    line.left.push_back({frame.choice.lost ? " no answer " : " " + view.state + " ", badge});
    line.left.push_back({" " + model_text(view.board.model), Style::Strong});
    if (!view.board.power_mode.empty()) line.left.push_back({"  " + view.board.power_mode});
    if (frame.choice.paused) line.right.push_back({" paused ", Style::BadgeWarn});
    if (!view.daemon) {
        line.right.push_back({frame.choice.paused ? "" : "tegud", Style::Label});
        return line;
    }
    if (frame.screen.width >= kTwoColumns || !frame.choice.paused)
        line.right.push_back({" tegud " + view.daemon->version, Style::Label});
    if (frame.screen.width >= kTwoColumns)
        line.right.push_back({"  up " + span_text(view.daemon->uptime_seconds), Style::Label});
    return line;
}

Lines reason_lines(const Frame& frame) {
    const std::vector<Reason>& reasons = frame.view.reasons;
    const int max_shown =
        frame.endless() ? kMaxReasons : std::min(kMaxReasons, std::max(1, frame.screen.height / 8));
    const int count = static_cast<int>(reasons.size());
    const int shown = count > max_shown ? std::max(max_shown - 1, 1) : count;
    Lines lines;
    for (int i = 0; i < shown; ++i) {
        const Reason& reason = reasons[static_cast<std::size_t>(i)];
        Line line;
        line.left.push_back({reason.code + "  ", reason.state == "failing" ? Style::Bad : Style::Warn});
        line.left.push_back({reason.sentence});
        if (reason.since_unix_seconds)
            line.right.push_back({span_text(frame.now - *reason.since_unix_seconds), Style::Label});
        lines.push_back(std::move(line));
        if (frame.roomy()) lines.push_back({{{"  " + reason.action, Style::Label}}, {}, 1});
    }
    if (shown < count)
        lines.push_back(
            {{{"and " + std::to_string(count - shown) + " more: tegu health", Style::Label}}, {}, 1});
    return lines;
}

Lines head_lines(const Frame& frame) {
    Lines lines = {header_line(frame)};
    if (!frame.choice.notice.empty())
        lines.push_back({{{frame.choice.notice, frame.choice.lost ? Style::Bad : Style::Good}}, {}, 1});
    Lines reasons = reason_lines(frame);
    std::move(reasons.begin(), reasons.end(), std::back_inserter(lines));
    if (frame.view.left_out)
        lines.push_back({{{"the daemon's answer had no place for values", Style::Warn}}, {}, 1});
    return lines;
}

using Group = Lines;

Lines joined(std::vector<Group> groups, bool roomy) {
    Lines lines;
    for (Group& group : groups) {
        if (group.empty()) continue;
        if (roomy && !lines.empty()) lines.push_back({{}, {}, 9});
        std::move(group.begin(), group.end(), std::back_inserter(lines));
    }
    return lines;
}

// The lines of each column, from left to right.
std::vector<Lines> body_columns(const Frame& frame) {
    const int width = frame.screen.width;
    const int count = width >= kThreeColumns ? 3 : width >= kTwoColumns ? 2 : 1;
    const Place place{(width - kGap * (count - 1)) / count, frame.screen.unicode, frame.roomy()};
    const View& view = frame.view;
    Lines loads = load_lines(view, frame.history, place), thermal = thermal_lines(view, place);
    Lines power = power_lines(view, place), service, jobs, latency;
    if (view.daemon) {
        service = service_lines(view, place, frame.now);
        jobs = job_lines(view, frame.history, place);
        latency = latency_lines(view, place);
    } else {
        service.push_back({{{"this daemon does not tell of its work", Style::Label}}, {}, 2});
    }
    if (count == 1) return {joined({loads, service, jobs, latency, thermal, power}, frame.roomy())};
    if (count == 2)
        return {joined({loads, thermal, power}, frame.roomy()),
                joined({service, jobs, latency}, frame.roomy())};
    return {joined({loads}, frame.roomy()), joined({thermal, power}, frame.roomy()),
            joined({service, jobs, latency}, frame.roomy())};
}

const std::vector<Account>& accounts_of(const Frame& frame) {
    static const std::vector<Account> none;
    if (!frame.view.daemon) return none;
    return frame.choice.users ? frame.view.daemon->users : frame.view.daemon->clients;
}

// Where everything begins.
struct Rows {
    int body = 0, table = 0, keys = 0, height = 0;
    int table_rows() const { return std::max(keys - table, 0); }
};

Rows divide(const Frame& frame, int head, const std::vector<Lines>& body) {
    int wanted = 0;
    for (const Lines& lines : body) wanted = std::max(wanted, static_cast<int>(lines.size()));
    const int accounts = static_cast<int>(accounts_of(frame).size());
    const int blank = frame.roomy() ? 1 : 0;
    Rows rows;
    rows.body = head + blank;
    if (frame.endless()) {
        rows.table = rows.body + wanted + 1;
        rows.keys = rows.height = rows.table + 1 + accounts;
        return rows;
    }
    rows.height = frame.screen.height;
    rows.keys = rows.height - 1;
    // A third of the screen is the table's, if there are so many clients.
    const int table = std::min(1 + std::max(accounts, 1), std::max(rows.height / 3, 2));
    rows.table = std::max(std::min(rows.body + wanted + blank, rows.keys - table), rows.body);
    return rows;
}

void draw_lines(const Lines& lines, int row, int column, int width, Grid& grid) {
    for (const Line& line : lines) draw_line(line, row++, column, width, grid);
}

Line key_line(const Frame& frame, int rows) {
    Line line;
    const auto key = [&](const char* name, const std::string& meaning) {
        line.left.push_back({name, Style::Key});
        line.left.push_back({" " + meaning + "  ", Style::Label});
    };
    key("q", "quit");
    key("h", "help");
    key("p", frame.choice.paused ? "go on" : "pause");
    key("s", "sort");
    key("r", "reverse");
    key("u", frame.choice.users ? "clients" : "users");
    key("+-", fixed_text(frame.choice.interval, frame.choice.interval < 1 ? 1 : 0) + " s");
    const int count = static_cast<int>(accounts_of(frame).size());
    const Number left_out =
        frame.view.daemon && !frame.choice.users ? frame.view.daemon->clients_left_out : Number();
    const std::string more = left_out.value_or(0) > 0 ? ", " + fixed_text(left_out, 0) + " more" : "";
    if (count > 0 && rows > 1 && (count > rows - 1 || !more.empty()))
        line.right.push_back({std::to_string(frame.choice.first + 1) + "-" +
                                  std::to_string(std::min(frame.choice.first + rows - 1, count)) + " of " +
                                  std::to_string(count) + more,
                              Style::Label});
    return line;
}

const char* const kHelp[][2] = {
    {"q, Ctrl-C", "end"},
    {"h, ?", "this page; any key leaves it"},
    {"p, space", "pause: the screen stays, the daemon is asked on"},
    {"s, right; S, left", "sort the table by the next column; by the one before"},
    {"P N M G C J", "sort by pid, name, memory, GPU, CPU, jobs a second"},
    {"r", "reverse the order"},
    {"u, tab", "the table by users, by clients"},
    {"up, down, page", "scroll the table; Home and End too"},
    {"+ -", "longer, shorter interval"},
    {"", ""},
    {"GPU% CPU%", "share of a second that jobs took of the GPUs, of the CPUs"},
    {"ACTIVE", "jobs that are not answered yet"},
    {"to throttling", "degrees until the board lowers its clocks"},
};

void draw_help(int row, int end, Grid& grid) {
    for (const auto& entry : kHelp) {
        if (row >= end) return;
        grid.put(row, 2, 18, entry[0], Style::Key);
        grid.put(row, 21, grid.width() - 21, entry[1], Style::Plain);
        ++row;
    }
}

Grid too_small(const Frame& frame) {
    Grid grid(frame.screen.width, frame.screen.height, frame.screen.unicode);
    grid.put(0, 0, grid.width(), frame.view.state, Style::Strong);
    grid.put(1, 0, grid.width(),
             std::to_string(kMinWidth) + " x " + std::to_string(kMinHeight) + " is the least", Style::Label);
    return grid;
}

bool is_too_small(const Screen& screen) {
    return screen.width < kMinWidth || (screen.height > 0 && screen.height < kMinHeight);
}

}  // namespace

Grid lay_out(const View& view, const History& history, const Choice& choice, const Screen& screen,
             double now) {
    const Frame frame{view, history, choice, screen, now};
    if (is_too_small(screen)) return too_small(frame);
    const Lines head = head_lines(frame);
    const std::vector<Lines> body = body_columns(frame);
    const Rows rows = divide(frame, static_cast<int>(head.size()), body);
    Grid grid(screen.width, rows.height, screen.unicode);
    draw_lines(head, 0, 0, screen.width, grid);
    if (choice.help) {
        draw_help(rows.body, rows.keys, grid);
    } else {
        const int count = static_cast<int>(body.size());
        const int width = (screen.width - kGap * (count - 1)) / count;
        for (int i = 0; i < count; ++i)
            draw_lines(
                fitting(body[static_cast<std::size_t>(i)], rows.table - rows.body - (frame.roomy() ? 1 : 0)),
                rows.body, i * (width + kGap), width, grid);
        std::vector<Account> accounts = accounts_of(frame);
        sort_accounts(accounts, choice.order);
        draw_accounts(accounts, choice.order, choice.users, choice.first, rows.table, rows.table_rows(),
                      grid);
    }
    if (!frame.endless()) draw_line(key_line(frame, rows.table_rows()), rows.keys, 0, screen.width, grid);
    return grid;
}

int table_rows(const View& view, const History& history, const Choice& choice, const Screen& screen) {
    const Frame frame{view, history, choice, screen, 0};
    if (is_too_small(screen)) return 0;
    return std::max(
        divide(frame, static_cast<int>(head_lines(frame).size()), body_columns(frame)).table_rows() - 1, 0);
}

}  // namespace top
}  // namespace cli
}  // namespace tegu
