// SPDX-License-Identifier: Apache-2.0
#include "daemon/health/board/fan.h"

namespace tegu::daemon::health {
namespace {

constexpr std::size_t kMaxFans = 16;

// JetPack 4: one fan with files of its own.
void find_pwm_fan(Reader& reader, std::vector<FanLayout>& fans) {
    Source pwm = reader.find("sys/devices/pwm-fan/cur_pwm");
    if (pwm.path.empty()) return;
    fans.push_back({"pwm-fan", std::move(pwm), reader.find("sys/devices/pwm-fan/rpm_measured")});
}

// JetPack 5 and later: the drive and the tachometer are two devices. One of each make one fan.
void find_jetson_fan(Reader& reader, const std::vector<HwmonDevice>& hwmon, std::vector<FanLayout>& fans) {
    FanLayout fan{"pwmfan", {{}, "sys/class/hwmon: has no pwmfan"}, {{}, "sys/class/hwmon: has no pwm_tach"}};
    bool found = false;
    for (const HwmonDevice& device : hwmon) {
        if (device.name == "pwmfan") fan.pwm = reader.find(device.folder + "/pwm1");
        if (device.name == "pwm_tach") fan.revolutions = reader.find(device.folder + "/rpm");
        found = found || device.name == "pwmfan" || device.name == "pwm_tach";
    }
    if (found) fans.push_back(std::move(fan));
}

// A PC's boards: fan1_input and pwm1 of one chip.
void find_board_fans(Reader& reader, const HwmonDevice& device, std::vector<FanLayout>& fans) {
    if (device.name == "pwmfan" || device.name == "pwm_tach") return;
    for (int i = 1; i <= 8; ++i) {
        const std::string number = std::to_string(i);
        Source revolutions = reader.find(device.folder + "/fan" + number + "_input");
        if (revolutions.path.empty() || fans.size() >= kMaxFans) return;
        fans.push_back({device.name + " fan" + number, reader.find(device.folder + "/pwm" + number),
                        std::move(revolutions)});
    }
}

}  // namespace

std::vector<FanLayout> find_fans(Reader& reader, const std::vector<HwmonDevice>& hwmon) {
    std::vector<FanLayout> fans;
    find_pwm_fan(reader, fans);
    find_jetson_fan(reader, hwmon, fans);
    for (const HwmonDevice& device : hwmon) find_board_fans(reader, device, fans);
    return fans;
}

std::vector<Fan> sample_fans(Reader& reader, const std::vector<FanLayout>& layout) {
    std::vector<Fan> fans;
    for (const FanLayout& from : layout)
        fans.push_back({from.name, divided(reader.integer(from.pwm, kPwm), 255),
                        reader.integer(from.revolutions, kRevolutions)});
    return fans;
}

}  // namespace tegu::daemon::health
