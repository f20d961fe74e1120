// SPDX-License-Identifier: Apache-2.0
#include "config/settings_pages.h"

#include <algorithm>
#include <string_view>

#include "config/setting_info.h"

namespace tegu::config {
namespace {

constexpr std::size_t kCommentColumns = 100;

// Appends `text` as comment lines, wrapped between words.
void append_comment(std::string& page, std::string_view text) {
    while (!text.empty()) {
        std::size_t end = text.size();
        if (end > kCommentColumns) {
            const std::size_t space = text.rfind(' ', kCommentColumns);
            end = space == std::string_view::npos ? std::min(text.find(' '), text.size()) : space;
        }
        page += "# " + std::string(text.substr(0, end)) + "\n";
        text.remove_prefix(std::min(end + 1, text.size()));
    }
}

std::string plain(std::string_view help) {
    std::string text(help);
    text.erase(std::remove(text.begin(), text.end(), '`'), text.end());
    return text;
}

// The default as written in a file: 0 for a value that depends on the machine.
std::string default_text(const SettingInfo& info) {
    static const Settings initial;
    return value_text(info, info.get(initial));
}

// Every setting below its help; a line of `settings` begins with `prefix`.
void append_settings(std::string& page, const Settings& settings, std::string_view prefix) {
    for (const SettingTable& table : setting_tables()) {
        page += "\n# " + std::string(table.title) + ".\n[" + std::string(table.name) + "]\n";
        for (const SettingInfo& info : setting_infos()) {
            if (info.table != table.name) continue;
            page += "\n";
            append_comment(page, plain(info.help));
            append_comment(page, "Allowed: " + allowed_text(info) + ". Default: " + default_text(info) +
                                     ". A change " + std::string(reload_text(info.reload)) + ".");
            page += std::string(prefix) + std::string(info.name) + " = " +
                    value_text(info, info.get(settings)) + "\n";
        }
    }
}

constexpr std::string_view kSizes =
    "A size is a number of bytes, or a string of a number and `KiB`, `MiB` or `GiB`: `67108864` and "
    "`\"64MiB\"` are "
    "the "
    "same. The unit of every other number stands in its name.";
constexpr std::string_view kFiles =
    "`tegud` reads `/etc/tegud/tegud.toml`, or the file that `--config` names. What the file does not "
    "mention has its "
    "default. The default file may be missing, and then all have; one that is named must be there. "
    "`tegud --check-config` reports every error of the file with its "
    "line and "
    "column, "
    "`tegud --print-config` prints the values in force as a complete file.";
constexpr std::string_view kReloads =
    "SIGHUP (`systemctl reload tegud`) reads the file again, and the tuning tables. If it has an error, the "
    "old "
    "settings stay in force and "
    "the log "
    "says what is wrong; connections and jobs live on either way. The last column says when a changed value "
    "counts.";

std::string orders_text(std::string_view bracket) {
    std::string text = "These may not exceed each other:";
    for (const SettingOrder& order : setting_orders()) {
        text += text.back() == ':' ? " " : ", ";
        text += std::string(bracket) + std::string(order.smaller) + std::string(bracket) +
                " <= " + std::string(bracket) + std::string(order.larger) + std::string(bracket);
    }
    return text + ".";
}

// Text of the manual with `code` in bold, safe at the start of a line.
std::string roff(std::string_view text) {
    std::string out;
    bool code = false;
    for (const char c : text) {
        if (c == '`')
            out += (code = !code) ? "\\fB" : "\\fR";
        else if (c == '\\')
            out += "\\e";
        else if (c == '-')
            out += "\\-";
        else
            out += c;
    }
    return out;
}

}  // namespace

std::string settings_toml(const Settings& settings) {
    std::string page = "# The settings of tegud that are in force, as tegud.toml(5) describes them.\n";
    append_settings(page, settings, "");
    return page;
}

std::string settings_template() {
    std::string page =
        "# The settings of tegud and their defaults: take the `#` away before the ones to change. See "
        "tegud.toml(5).\n";
    append_settings(page, Settings(), "#");
    return page;
}

std::string settings_markdown() {
    std::string page =
        "<!-- Written by the target settings-pages from config/settings.h: change it there. -->\n# "
        "Settings\n\n";
    for (const std::string_view text : {kFiles, kSizes, kReloads}) page += std::string(text) + "\n\n";
    page += orders_text("`") + "\n";
    for (const SettingTable& table : setting_tables()) {
        page += "\n## [" + std::string(table.name) + "]\n" + std::string(table.title) + ".\n\n";
        page += "| key | meaning | allowed | default | a change |\n|---|---|---|---|---|\n";
        for (const SettingInfo& info : setting_infos()) {
            if (info.table != table.name) continue;
            page += "| `" + std::string(info.name) + "` | " + std::string(info.help) + " | " +
                    allowed_text(info) + " | `" + default_text(info) + "` | " +
                    std::string(reload_text(info.reload)) + " |\n";
        }
    }
    return page;
}

std::string settings_man_page() {
    std::string page =
        ".\\\" Written by the target settings-pages from config/settings.h: change it there.\n"
        ".TH TEGUD.TOML 5 \"\" tegu \"File formats\"\n"
        ".SH NAME\ntegud.toml \\- settings of the job server tegud\n.SH DESCRIPTION\n";
    for (const std::string_view text : {kFiles, kSizes}) page += roff(text) + "\n.PP\n";
    page += "The file is TOML: a table in brackets, then its keys.\n.PP\n" + roff(orders_text("`")) + "\n";
    for (const SettingTable& table : setting_tables()) {
        page += ".SH [" + std::string(table.name) + "]\n" + roff(table.title) + ".\n";
        for (const SettingInfo& info : setting_infos()) {
            if (info.table != table.name) continue;
            page += ".TP\n.B " + std::string(info.name) + "\n" + roff(info.help) + "\n.br\n" +
                    roff(allowed_text(info)) + "; default " + roff(default_text(info)) + "; a change " +
                    std::string(reload_text(info.reload)) + ".\n";
        }
    }
    page +=
        ".SH RELOAD\nSIGHUP\n(\\fBsystemctl reload tegud\\fR)\nreads the file again, and the tuning tables. "
        "If it has "
        "an error, the old "
        "settings stay in "
        "force and the log says what is wrong; connections and jobs live on either way.\n"
        ".SH FILES\n.I /etc/tegud/tegud.toml\n.br\n.I /etc/tegud/tuning.toml\n"
        ".SH EXAMPLE\n.nf\n[limits]\nconnections_per_uid = 16\nbuffer_bytes_total = \"1GiB\"\n.fi\n"
        ".SH SEE ALSO\n.BR tegud (8),\n.BR tegu (1)\n";
    return page;
}

}  // namespace tegu::config
