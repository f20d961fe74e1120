// SPDX-License-Identifier: Apache-2.0
// tegu.hpp: the C++17 wrapper of tegu.h, in the headers of tegu/. Functions that can
// fail return Expected<T>; only std::bad_alloc is thrown. tegu.h documents reconnect, replay and threads.
//
//     namespace tc = tegu::client;
//     auto client = tc::Client::connect();
//     if (!client) return complain(client.error());
//     auto result = client->run(tc::Request::reduce(x.data(), x.size(), TEGU_STAT_SUM | TEGU_STAT_STD));
//     if (result) std::printf("%g\n", result->number(tc::role_of(TEGU_STAT_SUM)).value_or(0));
#pragma once

#if defined(__has_include) && __has_include("client/tegu.h")
#include "client/tegu/array.hpp"
#include "client/tegu/buffer.hpp"
#include "client/tegu/client.hpp"
#include "client/tegu/expected.hpp"
#include "client/tegu/node_tree.hpp"
#include "client/tegu/request.hpp"
#include "client/tegu/result.hpp"
#else
#include <tegu/array.hpp>
#include <tegu/buffer.hpp>
#include <tegu/client.hpp>
#include <tegu/expected.hpp>
#include <tegu/node_tree.hpp>
#include <tegu/request.hpp>
#include <tegu/result.hpp>
#endif
