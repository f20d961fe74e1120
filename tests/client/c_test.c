/* SPDX-License-Identifier: Apache-2.0 */
/* Calls every function of tegu.h from C99, against the daemon on $TEGU_SOCKET. Compiled with -pedantic. */
#include "client/tegu.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures = 0;

#define CHECK(condition)                                                            \
    do {                                                                            \
        if (!(condition)) {                                                         \
            ++failures;                                                             \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
        }                                                                           \
    } while (0)

static void check_words(void) {
    int i;
    CHECK(strcmp(tegu_status_word(TEGU_BAD_RANGE), "BAD_RANGE") == 0);
    CHECK(strcmp(tegu_status_word(-1), "INTERNAL") == 0 && strcmp(tegu_status_word(70000), "INTERNAL") == 0);
    CHECK(strlen(tegu_status_sentence(TEGU_BUSY)) > 5);
    CHECK(tegu_status_exit_code(TEGU_UNAVAILABLE) == 69 && tegu_status_exit_code(TEGU_OK) == 0);
    CHECK(tegu_status_retryable(TEGU_BUSY) == 1 && tegu_status_retryable(TEGU_BAD_RANGE) == 0);
    CHECK(strcmp(tegu_element_word(TEGU_F16), "f16") == 0 && tegu_element_word(0) == NULL &&
          tegu_element_word(99) == NULL);
    CHECK(tegu_element_bytes(TEGU_F64) == 8 && tegu_element_bytes(77) == 0);
    CHECK(strcmp(tegu_role_word(2), "sum") == 0 && strcmp(tegu_role_word(TEGU_ROLE_MAP), "map") == 0 &&
          tegu_role_word(200) == NULL);
    CHECK(strlen(tegu_version()) >= 5);
    for (i = 0; i <= TEGU_IO; ++i) CHECK(tegu_status_word(i)[0] != '\0');
}

static void check_jobs(tegu_client* client) {
    static const float x[4] = {3, 1, 4, 1};
    tegu_request request;
    tegu_result* result = NULL;
    tegu_error error;
    tegu_array array;
    tegu_poll_state state;
    uint64_t ids[3], done = 0;
    double total = 0;
    int i;

    tegu_request_init(&request, sizeof request, TEGU_REDUCE);
    request.type = TEGU_F32;
    request.cols = 4;
    request.inputs[0].data = x;
    request.params.reduce.statistics = TEGU_STAT_SUM | TEGU_STAT_ARGMIN;
    CHECK(tegu_run(client, &request, &result, &error) == TEGU_OK);
    CHECK(tegu_result_count(result) == 2);
    CHECK(tegu_result_find(result, 2, &array) == 1 && array.type == TEGU_F64 &&
          *(const double*)array.data == 9.0);
    CHECK(tegu_result_array(result, 1).role == 7);
    CHECK(tegu_result_find(result, TEGU_ROLE_MAP, &array) == 0);
    CHECK(tegu_result_backend(result) == TEGU_BACKEND_CPU);
    CHECK(strncmp(tegu_result_policy(result), "cpu", 3) == 0);
    CHECK(tegu_result_timing(result).round_trip_ns > 0);
    tegu_result_free(result);

    for (i = 0; i < 3; ++i) CHECK(tegu_submit(client, &request, &ids[i], &error) == TEGU_OK);
    CHECK(tegu_flush(client, &error) == TEGU_OK);
    CHECK(tegu_wait(client, ids[1], -1, &result, NULL, NULL) == TEGU_OK);
    tegu_result_free(result);
    for (i = 0; i < 2; ++i) {
        CHECK(tegu_wait(client, 0, -1, &result, &done, &error) == TEGU_OK);
        CHECK(done == ids[0] || done == ids[2]);
        CHECK(tegu_result_find(result, 2, &array) == 1);
        total += *(const double*)array.data;
        tegu_result_free(result);
    }
    CHECK(total == 18.0);
    CHECK(tegu_wait(client, 0, 0, &result, &done, &error) == TEGU_NOT_FOUND && result == NULL && done == 0);
    tegu_get_poll_state(client, &state);
    CHECK(state.fd >= 0 && (state.events & POLLIN) != 0 && state.timeout_ms == -1 && state.connection == 1);
    CHECK(tegu_cancel(client, ids[0], &error) == TEGU_NOT_FOUND);

    tegu_request_init(&request, sizeof request, TEGU_TOPK);
    request.type = TEGU_F32;
    request.cols = 4;
    request.inputs[0].data = x;
    request.params.topk.k = 9;
    CHECK(tegu_run(client, &request, &result, &error) == TEGU_BAD_RANGE);
    CHECK(strcmp(error.field, "k") == 0 && error.allowed[0] != '\0' && error.message[0] != '\0' &&
          error.status == TEGU_BAD_RANGE);
    request.params.topk.k = 2;
    CHECK(tegu_run(client, &request, &result, NULL) == TEGU_OK);
    CHECK(tegu_result_find(result, TEGU_ROLE_VALUES, &array) == 1 && ((const float*)array.data)[1] == 3.0f);
    CHECK(tegu_result_find(result, TEGU_ROLE_INDICES, &array) == 1 && ((const int64_t*)array.data)[0] == 2);
    tegu_result_free(result);
    tegu_result_free(NULL);
}

static void check_run_into(tegu_client* client) {
    static const float x[4] = {3, 1, 4, 1};
    static float large[TEGU_RAN_BYTES];
    tegu_request request;
    tegu_result* kept = NULL;
    tegu_result* result = NULL;
    tegu_error error;
    tegu_ran ran;
    double sum = 0;

    memset(&ran, 0, sizeof ran);
    tegu_request_init(&request, sizeof request, TEGU_REDUCE);
    request.type = TEGU_F32;
    request.cols = 4;
    request.inputs[0].data = x;
    request.params.reduce.statistics = TEGU_STAT_COUNT | TEGU_STAT_SUM | TEGU_STAT_MINMAX;
    CHECK(tegu_run_into(client, &request, -1, &ran, &error) == TEGU_OK);
    CHECK(ran.id == 0 && ran.count == 3 && ran.bytes == 24 && ran.result != NULL);
    CHECK(ran.shapes[1].role == 2 && ran.shapes[1].type == TEGU_F64 && ran.shapes[1].rows == 1);
    CHECK(ran.shapes[2].type == TEGU_F32 && ran.shapes[2].cols == 2);
    memcpy(&sum, ran.values + 8, sizeof sum);
    CHECK(sum == 9.0 && *(const double*)ran.data[1] == 9.0);
    CHECK(memcmp(ran.values + 16, ran.data[2], 8) == 0 && ((const float*)ran.data[2])[1] == 4.0f);

    kept = ran.result; /* a failed job changes nothing but the id */
    request.params.reduce.statistics = 0;
    CHECK(tegu_run_into(client, &request, -1, &ran, &error) == TEGU_BAD_RANGE);
    CHECK(ran.result == kept && ran.count == 3 && ran.id == 0);
    ran.result = NULL; /* and a kept result is not freed */
    request.params.reduce.statistics = TEGU_STAT_SUM;
    CHECK(tegu_run_into(client, &request, 60000, &ran, NULL) == TEGU_OK && ran.count == 1 && ran.bytes == 8);
    CHECK(tegu_result_count(kept) == 3);
    tegu_result_free(kept);

    tegu_request_init(&request, sizeof request, TEGU_TOPK); /* values and indices: more than has room */
    request.type = TEGU_F32;
    request.cols = TEGU_RAN_BYTES;
    request.inputs[0].data = large;
    request.params.topk.k = TEGU_RAN_BYTES;
    CHECK(tegu_run_into(client, &request, -1, &ran, &error) == TEGU_OK && ran.count == 2 && ran.bytes == 0);
    CHECK(((const int64_t*)ran.data[1])[TEGU_RAN_BYTES - 1] == TEGU_RAN_BYTES - 1);
    request.params.topk.k = 32; /* 128 and 256 bytes */
    CHECK(tegu_run_into(client, &request, -1, &ran, &error) == TEGU_OK && ran.bytes == 384);
    CHECK(memcmp(ran.values + 128, ran.data[1], 256) == 0);

    if (tegu_run_into(client, &request, 0, &ran, &error) == TEGU_DEADLINE_EXCEEDED) {
        CHECK(ran.id != 0 && ran.bytes == 384);
        CHECK(tegu_wait(client, ran.id, -1, &result, NULL, &error) == TEGU_OK);
        tegu_result_free(result);
    }
    tegu_result_free(ran.result);
}

static void check_buffers(tegu_client* client) {
    enum { ROWS = 300, COLS = 400 };
    tegu_buffer *image = NULL, *map = NULL;
    tegu_buffer_info list[8];
    tegu_request request;
    tegu_result* result = NULL;
    tegu_error error;
    size_t count = 0;
    int i;

    CHECK(tegu_buffer_create(client, ROWS * COLS, &image, &error) == TEGU_OK);
    CHECK(tegu_buffer_create(client, ROWS * COLS * sizeof(float), &map, &error) == TEGU_OK);
    CHECK(tegu_buffer_bytes(image) == ROWS * COLS && tegu_buffer_handle(image) != tegu_buffer_handle(map));
    for (i = 0; i < ROWS * COLS; ++i) ((unsigned char*)tegu_buffer_data(image))[i] = (unsigned char)(i * 37);
    tegu_buffer_commit(image);
    CHECK(tegu_buffer_generation(image) == 1);
    CHECK(tegu_buffer_freeze(image, &error) == TEGU_OK);
    tegu_request_init(&request, sizeof request, TEGU_ENTROPY_MAP);
    request.type = TEGU_U8;
    request.rows = ROWS;
    request.cols = COLS;
    request.inputs[0].buffer = image;
    request.output = map;
    CHECK(tegu_run(client, &request, &result, &error) == TEGU_OK);
    CHECK(tegu_result_array(result, 0).data == tegu_buffer_data(map));
    CHECK(((float*)tegu_buffer_data(map))[COLS * 5 + 5] > 0);
    tegu_result_free(result);
    CHECK(tegu_buffer_list(client, list, 8, &count, &error) == TEGU_OK && count == 2);
    CHECK(tegu_buffer_list(client, list, 0, &count, &error) == TEGU_OK && count == 2);
    CHECK(list[0].frozen + list[1].frozen == 1 && list[0].created_by_daemon == 1);
    tegu_buffer_free(map);
    tegu_buffer_free(image);
    tegu_buffer_free(NULL);
    CHECK(tegu_buffer_list(client, list, 8, &count, &error) == TEGU_OK && count == 0);
    CHECK(tegu_buffer_register(client, 0, 100, TEGU_ACCESS_READ, &image, &error) == TEGU_BAD_DESCRIPTOR);
}

static void check_job_control(tegu_client* client) {
    tegu_job list[2];
    tegu_error error;
    size_t count = 7;
    int flag = -1;

    CHECK(tegu_jobs(client, list, 2, &count, &flag, &error) == TEGU_OK && count == 0 && flag == 1);
    CHECK(tegu_jobs(client, NULL, 0, &count, NULL, &error) == TEGU_OK && count == 0);
    CHECK(tegu_cancel_job(client, 1, &flag, &error) == TEGU_NOT_FOUND && strcmp(error.field, "id") == 0);
    CHECK(tegu_cancel_job(client, 0, NULL, &error) == TEGU_BAD_RANGE);
}

static void check_two_inputs(tegu_client* client) {
    static const int32_t x[3] = {1, 2, 3}, y[3] = {10, 20, INT32_MAX};
    tegu_request request;
    tegu_result* result = NULL;
    tegu_error error;
    tegu_array array;
    tegu_buffer* buffer = NULL;

    tegu_request_init(&request, sizeof request, TEGU_DOT);
    request.type = TEGU_I32;
    request.cols = 3;
    request.inputs[0].data = x;
    request.inputs[1].data = x;
    CHECK(tegu_run(client, &request, &result, &error) == TEGU_OK);
    CHECK(tegu_result_find(result, TEGU_ROLE_DOT, &array) == 1 && array.type == TEGU_I64 &&
          *(const int64_t*)array.data == 14);
    tegu_result_free(result);

    tegu_request_init(&request, sizeof request, TEGU_ADD);
    request.type = TEGU_I32;
    request.cols = 3;
    request.inputs[0].data = x;
    request.inputs[1].data = y;
    CHECK(tegu_run(client, &request, &result, &error) == TEGU_OVERFLOW && result == NULL);
    CHECK(strcmp(error.field, "values") == 0 && strstr(error.message, "2147483650") != NULL);
    CHECK(tegu_buffer_create(client, 4096, &buffer, &error) == TEGU_OK);
    memcpy(tegu_buffer_data(buffer), y, sizeof y);
    request.cols = 2;
    request.inputs[1].data = NULL;
    request.inputs[1].buffer = buffer;
    request.output = buffer; /* in place */
    CHECK(tegu_run(client, &request, &result, &error) == TEGU_OK);
    CHECK(tegu_result_array(result, 0).data == tegu_buffer_data(buffer));
    CHECK(((const int32_t*)tegu_buffer_data(buffer))[1] == 22 &&
          ((const int32_t*)tegu_buffer_data(buffer))[2] == INT32_MAX);
    tegu_result_free(result);
    request.inputs[1].buffer = NULL;
    CHECK(tegu_run(client, &request, &result, &error) == TEGU_BAD_REQUEST &&
          strcmp(error.field, "inputs[1].data") == 0);
    tegu_buffer_free(buffer);
}

static void check_parts(tegu_client* client) {
    static const float x[4] = {0, 1, 1, 3};
    static const double q[2] = {0.5, 1};
    tegu_part parts[3];
    tegu_request request;
    tegu_result* result = NULL;
    tegu_error error;
    tegu_array array;

    tegu_part_init(&parts[0], TEGU_HISTOGRAM);
    CHECK(parts[0].operation == TEGU_HISTOGRAM && parts[0].params.histogram.bins == 10);
    parts[0].params.histogram.bins = 4;
    parts[0].params.histogram.has_range = 1;
    parts[0].params.histogram.hi = 4;
    tegu_part_init(&parts[1], TEGU_QUANTILE);
    parts[1].params.quantile.q = q;
    parts[1].params.quantile.count = 2;
    tegu_part_init(&parts[2], TEGU_REDUCE);
    parts[2].params.reduce.statistics = TEGU_STAT_SUM;
    tegu_request_init(&request, sizeof request, TEGU_FUSED);
    request.type = TEGU_F32;
    request.cols = 4;
    request.inputs[0].data = x;
    request.params.fused.parts = parts;
    request.params.fused.count = 3;
    CHECK(tegu_run(client, &request, &result, &error) == TEGU_OK);
    CHECK(tegu_result_count(result) == 4 && tegu_result_array(result, 0).role == TEGU_ROLE_HISTOGRAM);
    CHECK(tegu_result_find(result, TEGU_ROLE_HISTOGRAM, &array) == 1 &&
          ((const uint64_t*)array.data)[1] == 2);
    CHECK(tegu_result_find(result, TEGU_ROLE_EDGES, &array) == 1 && array.cols == 5 &&
          ((const double*)array.data)[4] == 4);
    CHECK(tegu_result_find(result, TEGU_ROLE_QUANTILES, &array) == 1 && ((const double*)array.data)[0] == 1);
    CHECK(tegu_result_array(result, 3).role == 2 && *(const double*)tegu_result_array(result, 3).data == 5);
    tegu_result_free(result);
    request.params.fused.count = 0;
    CHECK(tegu_run(client, &request, &result, &error) == TEGU_BAD_REQUEST &&
          strcmp(error.field, "parts") == 0);
    parts[1] = parts[0];
    request.params.fused.count = 2;
    CHECK(tegu_run(client, &request, &result, &error) == TEGU_BAD_REQUEST &&
          strcmp(error.field, "parts") == 0);
}

/* The sum of three chunks, from a piece of two and one of one. */
static void check_partials(tegu_client* client) {
    enum { CHUNK = 16384 };
    static double x[3 * CHUNK];
    double sums[2];
    tegu_node nodes[4];
    tegu_request request;
    tegu_result* result = NULL;
    tegu_error error;
    tegu_array array;
    int i;

    for (i = 0; i < 3 * CHUNK; ++i) x[i] = 1.0 / (i + 1);
    CHECK(tegu_piece_nodes(5, CHUNK, 0, NULL, 0) == 0);
    CHECK(tegu_piece_nodes(2 * CHUNK, CHUNK, 1, nodes, 4) == 1 && nodes[0].begin == 0);
    CHECK(tegu_piece_nodes(0, (uint64_t)1 << 41, 0, NULL, 0) == 0);
    for (i = 0; i < 2; ++i) {
        const uint64_t offset = i == 0 ? 0 : 2 * CHUNK, n = i == 0 ? 2 * CHUNK : CHUNK;
        CHECK(tegu_piece_nodes(offset, n, i, nodes, 4) == 1 && nodes[0].count == n);
        tegu_request_init(&request, sizeof request, TEGU_REDUCE);
        request.type = TEGU_F64;
        request.cols = n;
        request.inputs[0].data = x + offset;
        request.params.reduce.statistics = TEGU_STAT_SUM;
        request.params.reduce.partial = 1;
        request.params.reduce.offset = (uint32_t)offset;
        request.params.reduce.last = (uint8_t)i;
        CHECK(tegu_run(client, &request, &result, &error) == TEGU_OK);
        CHECK(tegu_result_find(result, TEGU_ROLE_NODES, &array) == 1 && array.rows == 1 && array.cols == 16);
        memcpy(&sums[i], array.data, sizeof sums[i]);
        tegu_result_free(result);
    }
    request.params.reduce.partial = request.params.reduce.last = 0;
    request.params.reduce.offset = 0;
    request.cols = 3 * CHUNK;
    request.inputs[0].data = x;
    CHECK(tegu_run(client, &request, &result, &error) == TEGU_OK);
    CHECK(*(const double*)tegu_result_array(result, 0).data == sums[0] + sums[1]);
    tegu_result_free(result);
    request.params.reduce.last = 1;
    CHECK(tegu_run(client, &request, &result, &error) == TEGU_BAD_REQUEST &&
          strcmp(error.field, "last") == 0);
}

static void check_health(tegu_client* client) {
    static char text[TEGU_HEALTH_BYTES];
    char start[9] = "untouche";
    int state = -1;
    size_t bytes = 0;
    tegu_error error;
    CHECK(tegu_health(client, TEGU_HEALTH_JSON, &state, text, sizeof text, &bytes, &error) == TEGU_OK);
    CHECK(state >= TEGU_HEALTH_OK && state <= TEGU_HEALTH_FAILING);
    CHECK(bytes > 100 && bytes <= sizeof text && memcmp(text, "{\"state\"", 8) == 0 &&
          text[bytes - 1] == '}');
    CHECK(tegu_health(client, TEGU_HEALTH_TEXT, &state, start, 6, &bytes, &error) == TEGU_OK);
    CHECK(strcmp(start, "healthhe") == 0 && bytes > 6);
    CHECK(tegu_health(client, TEGU_HEALTH_METRICS, &state, NULL, 0, &bytes, &error) == TEGU_OK &&
          bytes > 100);
    CHECK(tegu_health(client, 3, &state, text, sizeof text, &bytes, &error) == TEGU_BAD_RANGE);
    CHECK(strcmp(error.field, "form") == 0);
}

static void check_fields(tegu_client* client) {
    tegu_fields* fields = NULL;
    tegu_error error;
    size_t i;
    int found = 0;
    CHECK(tegu_info(client, &fields, &error) == TEGU_OK);
    for (i = 0; i < tegu_fields_count(fields); ++i) {
        const tegu_field field = tegu_fields_at(fields, i);
        if (strcmp(field.name, "backend") == 0)
            found = field.kind == TEGU_FIELD_TEXT && strcmp(field.text, "cpu") == 0;
    }
    CHECK(found);
    tegu_fields_free(fields);
    CHECK(tegu_stats(client, &fields, &error) == TEGU_OK && tegu_fields_count(fields) > 0);
    tegu_fields_free(fields);
    tegu_fields_free(NULL);
    check_health(client);
}

int main(void) {
    tegu_options options;
    tegu_client* client = NULL;
    tegu_error error;
    uint64_t time_ns = 0;

    check_words();
    tegu_options_init(&options, sizeof options);
    options.name = "c_test";
    options.connect_ms = 60000;
    if (tegu_connect(&options, &client, &error) != TEGU_OK) {
        fprintf(stderr, "tegu_connect: %s\n", error.message);
        return tegu_status_exit_code(error.status);
    }
    CHECK(tegu_ping(client, &time_ns, &error) == TEGU_OK && time_ns > 0);
    CHECK(tegu_ping(client, NULL, NULL) == TEGU_OK);
    check_jobs(client);
    check_run_into(client);
    check_buffers(client);
    check_job_control(client);
    check_two_inputs(client);
    check_parts(client);
    check_partials(client);
    check_fields(client);
    CHECK(tegu_reconnects(client) == 0);
    tegu_close(client);
    tegu_close(NULL);
    printf("%d failures\n", failures);
    return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
