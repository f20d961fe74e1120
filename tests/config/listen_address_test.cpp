// SPDX-License-Identifier: Apache-2.0
#include "config/listen_address.h"

#include <gtest/gtest.h>

#include "config/setting_info.h"

namespace tegu::config {
namespace {

TEST(ListenAddress, PathsAndNumericAddressesAreRead) {
    const auto unix_socket = parse_listen_address("/run/tegud/metrics.sock");
    ASSERT_TRUE(unix_socket);
    EXPECT_EQ("/run/tegud/metrics.sock", unix_socket->path);
    const auto v4 = parse_listen_address("127.0.0.1:9469");
    ASSERT_TRUE(v4);
    EXPECT_TRUE(v4->path.empty() && !v4->is_ipv6);
    EXPECT_EQ("127.0.0.1", v4->host);
    EXPECT_EQ(9469, v4->port);
    const auto v6 = parse_listen_address("[::1]:65535");
    ASSERT_TRUE(v6);
    EXPECT_TRUE(v6->is_ipv6);
    EXPECT_EQ("::1", v6->host);
    EXPECT_EQ(65535, v6->port);
}

TEST(ListenAddress, EverythingElseIsNone) {
    using namespace std::string_view_literals;
    for (const std::string_view text : {""sv,
                                        ":"sv,
                                        "9469"sv,
                                        ":9469"sv,
                                        "localhost:9469"sv,
                                        "127.0.0.1"sv,
                                        "127.0.0.1:"sv,
                                        "127.0.0.1:0"sv,
                                        "127.0.0.1:09469"sv,
                                        "127.0.0.1:65536"sv,
                                        "127.0.0.1:99999999999"sv,
                                        "127.0.0.1:-1"sv,
                                        "127.0.0.1: 1"sv,
                                        "127.1:9469"sv,
                                        "::1:9469"sv,
                                        "[127.0.0.1]:9469"sv,
                                        "[::1]"sv,
                                        "[]:9469"sv,
                                        "[:9469"sv,
                                        "[::1%lo]:9469"sv,
                                        "relative/path"sv,
                                        "127.0.0.1\0:9469"sv,
                                        "256.0.0.1:9469"sv})
        EXPECT_FALSE(parse_listen_address(text)) << text;
}

TEST(ListenAddress, TheSettingTakesWhatCanBeListenedOn) {
    const SettingInfo& info = *find_setting("metrics.listen");
    for (const std::string text : {"", "/run/x.sock", "0.0.0.0:1", "[::]:9469"})
        EXPECT_TRUE(check_value(info, text).ok());
    for (const std::string& text :
         {std::string("/"), "/" + std::string(107, 'x'), std::string("/a\nb"), std::string("x")}) {
        const Result<SettingValue> refused = check_value(info, text);
        ASSERT_FALSE(refused.ok()) << text;
        EXPECT_NE(std::string::npos, refused.error().message.find("127.0.0.1:9469"))
            << refused.error().message;
    }
    EXPECT_FALSE(check_value(info, std::int64_t{9469}).ok());
}

}  // namespace
}  // namespace tegu::config
