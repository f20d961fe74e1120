/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tegu.h: the C interface to tegud. The C++ wrapper (tegu.hpp) and the Python package use this ABI.
 *
 * A client is one connection. Two threads must not use one client, its buffers or its results at once, nor a
 * signal handler with the call it interrupts; several clients are independent. After fork() a client belongs
 * to the parent: the child may call only the functions that free. Functions that can fail return a
 * tegu_status (0 is TEGU_OK) and fill *error if error is not NULL. Outputs are untouched on failure. Pointers
 * must not be NULL unless stated; the functions that free accept NULL.
 *
 * The library does the following without the caller:
 * - A lost connection, TEGU_SHUTTING_DOWN and TEGU_DEVICE_LOST: it reconnects with exponential back-off (5 ms
 *   to 1 s, with jitter) and registers the buffers again. It then replays the jobs without a reply, in order
 *   and with the rest of their deadlines; jobs are pure functions, so that is safe. (A job whose output
 *   overwrites an input is not: once it may have begun, it fails with TEGU_IO, field "output".) A job fails
 *   with TEGU_UNAVAILABLE after options.reconnect_ms without a connection, after ten lost connections under
 *   that job, or after options.reconnect_ms of replies with these statuses.
 * - TEGU_BUSY: a job is sent again after the daemon's hint and some jitter, until its deadline, or without
 *   one for options.reconnect_ms. The request of tegu_buffer_create is sent again for options.reconnect_ms.
 *   options.busy_retry 0 disables both.
 * - Deadlines are enforced here too, so that a hung daemon cannot block a caller.
 * - At most as many jobs are on the wire as the daemon allows per connection; the others wait here.
 *
 * tegu_options and tegu_request begin with their size: set by their init functions, so that later versions
 * can append fields. The library accepts a smaller struct of an older caller; missing fields have their
 * defaults. It accepts a larger struct of a newer caller if the unknown part is zero, else it fails with
 * TEGU_UNSUPPORTED. All other structs are closed: they will never grow.
 */
#ifndef TEGU_H
#define TEGU_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define TEGU_API __attribute__((visibility("default")))
#else
#define TEGU_API
#endif

#define TEGU_DEFAULT_SOCKET "/run/tegud/tegud.sock"

typedef int tegu_status;
enum {
    TEGU_OK = 0,
    TEGU_BAD_REQUEST = 1,
    TEGU_UNSUPPORTED = 2,
    TEGU_BAD_VERSION = 3,
    TEGU_NOT_FOUND = 4,
    TEGU_BAD_RANGE = 5,
    TEGU_BAD_DESCRIPTOR = 6,
    TEGU_TOO_LARGE = 7,
    TEGU_OVER_QUOTA = 8,
    TEGU_BUSY = 9,
    TEGU_DEADLINE_EXCEEDED = 10,
    TEGU_CANCELLED = 11,
    TEGU_DENIED = 12,
    TEGU_SHUTTING_DOWN = 13,
    TEGU_DEVICE_LOST = 14,
    TEGU_OUT_OF_MEMORY = 15,
    TEGU_INTERNAL = 16,
    TEGU_DUPLICATE_ID = 17,
    TEGU_OVERFLOW = 18,
    TEGU_EMPTY_INPUT = 19,
    TEGU_UNAVAILABLE = 20,
    TEGU_IO = 21
};

/* Element types. */
enum {
    TEGU_U8 = 1,
    TEGU_I8 = 2,
    TEGU_U16 = 3,
    TEGU_I16 = 4,
    TEGU_U32 = 5,
    TEGU_I32 = 6,
    TEGU_U64 = 7,
    TEGU_I64 = 8,
    TEGU_F16 = 9,
    TEGU_F32 = 10,
    TEGU_F64 = 11
};

/* Operations. */
enum {
    TEGU_REDUCE = 1,
    TEGU_TOPK = 2,
    TEGU_ENTROPY_MAP = 3,
    TEGU_ADD = 4,
    TEGU_DOT = 5,
    TEGU_ROWSCALE = 6,
    TEGU_QUANTILE = 7,
    TEGU_HISTOGRAM = 8,
    TEGU_ENTROPY = 9,
    TEGU_FUSED = 10
};

/* Statistics are bits of a set; the role of a statistic's array in a result is its number + 1. */
enum {
    TEGU_STAT_COUNT = 1 << 0,
    TEGU_STAT_SUM = 1 << 1,
    TEGU_STAT_MEAN = 1 << 2,
    TEGU_STAT_MIN = 1 << 3,
    TEGU_STAT_MAX = 1 << 4,
    TEGU_STAT_MINMAX = 1 << 5,
    TEGU_STAT_ARGMIN = 1 << 6,
    TEGU_STAT_ARGMAX = 1 << 7,
    TEGU_STAT_ABSMAX = 1 << 8,
    TEGU_STAT_L1 = 1 << 9,
    TEGU_STAT_L2 = 1 << 10,
    TEGU_STAT_VAR = 1 << 11,
    TEGU_STAT_STD = 1 << 12,
    TEGU_STAT_NONZERO = 1 << 13,
    TEGU_STAT_NANS = 1 << 14
};

/* Roles of the arrays in a result, besides the statistics. */
enum {
    TEGU_ROLE_VALUES = 32,
    TEGU_ROLE_INDICES = 33,
    TEGU_ROLE_COUNTS = 34,
    TEGU_ROLE_MAP = 35,
    TEGU_ROLE_DOT = 36,
    TEGU_ROLE_SCALES = 37,
    TEGU_ROLE_QUANTILES = 38,
    TEGU_ROLE_HISTOGRAM = 39,
    TEGU_ROLE_EDGES = 40,
    TEGU_ROLE_ENTROPY = 41,
    TEGU_ROLE_NODES = 42,
    TEGU_ROLE_LEVELS = 43
};

enum { TEGU_AXIS_WHOLE = 0, TEGU_AXIS_ROWS = 1 };
enum { TEGU_PRIORITY_HIGH = 0, TEGU_PRIORITY_NORMAL = 1, TEGU_PRIORITY_LOW = 2 };
enum { TEGU_BACKEND_AUTO = 0, TEGU_BACKEND_CPU = 1, TEGU_BACKEND_GPU = 2 };
enum { TEGU_BASE_2 = 0, TEGU_BASE_E = 1 };
enum { TEGU_BORDER_CLIP = 0, TEGU_BORDER_MIRROR = 1 };
/* Interpolation between two order statistics, with numpy's names. */
enum {
    TEGU_QUANTILE_LINEAR = 0,
    TEGU_QUANTILE_LOWER = 1,
    TEGU_QUANTILE_HIGHER = 2,
    TEGU_QUANTILE_NEAREST = 3,
    TEGU_QUANTILE_MIDPOINT = 4
};
enum { TEGU_ACCESS_READ = 0, TEGU_ACCESS_READ_WRITE = 1 };

/* An error, for a program (status, field, allowed, retry_after_ns) and for a person (message). Texts are
 * UTF-8, cut to fit. */
typedef struct tegu_error {
    tegu_status status;
    uint64_t retry_after_ns; /* only with TEGU_BUSY; may be zero */
    char field[64];          /* the wrong field; may be empty */
    char allowed[192];       /* the accepted values; may be empty */
    char message[512];
} tegu_error;

typedef struct tegu_client tegu_client;
typedef struct tegu_buffer tegu_buffer;
typedef struct tegu_result tegu_result;
typedef struct tegu_fields tegu_fields;
typedef struct tegu_kernels tegu_kernels;

typedef struct tegu_options {
    uint32_t size;       /* sizeof(tegu_options) */
    uint32_t connect_ms; /* how long tegu_connect tries; 0: once */
    /* how long to reconnect after a loss; 0: jobs fail with TEGU_UNAVAILABLE at once */
    uint32_t reconnect_ms;
    /* 1: after a TEGU_BUSY reply the library sends jobs, and tegu_buffer_create, again; 0: the caller gets
     * TEGU_BUSY */
    uint32_t busy_retry;
    /* NULL: $TEGU_SOCKET, else TEGU_DEFAULT_SOCKET if it is there, else $XDG_RUNTIME_DIR/tegud/tegud.sock if
     * it is there and nobody else can change its folder. The last two are tried anew at each connection. */
    const char* socket_path;
    const char* name; /* program name for the daemon's lists; NULL: the name of the executable */
    /* the required uid of the listening socket (SO_PEERCRED), else TEGU_DENIED; -1: any. A socket that
     * systemd listens on belongs to 0. Set it for a socket in a directory where others can write; the
     * directory of TEGU_DEFAULT_SOCKET is safe. */
    int64_t server_uid;
    /* 0..10000: how long to poll for the reply to a small job (64 KiB of input) before sleeping, because a
     * wake-up takes longer than the job. Only while replies come faster than that and while no other thread
     * needs the core; 0: never */
    uint32_t spin_us;
    uint32_t reserved; /* zero */
} tegu_options;
/* Fills in the defaults: connect_ms 0, reconnect_ms 10000, busy_retry 1, server_uid -1, spin_us 50. `size` is
 * the caller's sizeof(tegu_options). */
TEGU_API void tegu_options_init(tegu_options* options, size_t size);

/* "0.1.0": the version of the library. */
TEGU_API const char* tegu_version(void);
/* "BAD_RANGE", and the sentence, the sysexits(3) code, and whether the same request may succeed later (1 or
 * 0). */
TEGU_API const char* tegu_status_word(tegu_status status);
TEGU_API const char* tegu_status_sentence(tegu_status status);
TEGU_API int tegu_status_exit_code(tegu_status status);
TEGU_API int tegu_status_retryable(tegu_status status);
/* "f32", "sum", "values": NULL for an unknown number; element_bytes returns 0. */
TEGU_API const char* tegu_element_word(uint8_t type);
TEGU_API size_t tegu_element_bytes(uint8_t type);
TEGU_API const char* tegu_role_word(uint8_t role);

/* Connects; options may be NULL. The caller frees *client with tegu_close: jobs without a reply are dropped,
 * their ids become invalid. Buffers and results outlive the client as plain memory; each is still freed by
 * its own function. */
TEGU_API tegu_status tegu_connect(const tegu_options* options, tegu_client** client, tegu_error* error);
TEGU_API void tegu_close(tegu_client* client);
/* Round trip of an empty message, in nanoseconds. round_trip_ns may be NULL. */
TEGU_API tegu_status tegu_ping(tegu_client* client, uint64_t* round_trip_ns, tegu_error* error);
/* The number of reconnects of this client. */
TEGU_API uint64_t tegu_reconnects(const tegu_client* client);

/* Named values. The caller frees them. Names and texts live as long as the tegu_fields. */
enum { TEGU_FIELD_U64 = 0, TEGU_FIELD_F64 = 1, TEGU_FIELD_TEXT = 2 };
typedef struct tegu_field {
    const char* name;
    int kind; /* TEGU_FIELD_*: which of the three is set */
    uint64_t u64;
    double f64;
    const char* text;
} tegu_field;
TEGU_API tegu_status tegu_info(tegu_client* client, tegu_fields** fields, tegu_error* error);
TEGU_API tegu_status tegu_stats(tegu_client* client, tegu_fields** fields, tegu_error* error);
TEGU_API size_t tegu_fields_count(const tegu_fields* fields);
TEGU_API tegu_field tegu_fields_at(const tegu_fields* fields, size_t index);
TEGU_API void tegu_fields_free(tegu_fields* fields);

/*
 * The health of the board and the daemon, with reasons. Writes at most `capacity` bytes of the text, without
 * a NUL; *bytes is the full length, at most TEGU_HEALTH_BYTES. form: TEGU_HEALTH_JSON one object,
 * TEGU_HEALTH_TEXT lines for people, TEGU_HEALTH_METRICS the text format of Prometheus.
 */
enum { TEGU_HEALTH_OK = 0, TEGU_HEALTH_DEGRADED = 1, TEGU_HEALTH_FAILING = 2 };
enum { TEGU_HEALTH_JSON = 0, TEGU_HEALTH_TEXT = 1, TEGU_HEALTH_METRICS = 2 };
enum { TEGU_HEALTH_BYTES = 73728 };
TEGU_API tegu_status tegu_health(tegu_client* client, int form, int* state, char* text, size_t capacity,
                                 size_t* bytes, tegu_error* error);

/*
 * The kernels of the GPU backend as launched by the default policy, and their resources on the first device
 * that runs jobs. The caller frees the list; texts live as long as it. Without a GPU it is empty, and
 * tegu_kernels_reason returns the reason ("" otherwise).
 */
typedef struct tegu_kernel {
    const char* name;
    const char* moves;                                  /* the bytes read and written, as text */
    uint32_t registers;                                 /* of a thread */
    uint32_t threads, max_threads;                      /* of a block: by the policy, and maximum */
    uint32_t blocks_per_multiprocessor;                 /* at once */
    uint32_t static_shared_bytes, dynamic_shared_bytes; /* of a block */
    uint32_t local_bytes; /* of a thread: spilled registers and indexed arrays */
    uint32_t constant_bytes;
    uint32_t architecture; /* 87: machine code for sm_87 */
    uint32_t reserved;
} tegu_kernel;
TEGU_API tegu_status tegu_kernels_get(tegu_client* client, tegu_kernels** kernels, tegu_error* error);
TEGU_API size_t tegu_kernels_count(const tegu_kernels* kernels);
TEGU_API tegu_kernel tegu_kernels_at(const tegu_kernels* kernels, size_t index);
TEGU_API const char* tegu_kernels_reason(const tegu_kernels* kernels);
TEGU_API uint32_t tegu_kernels_threads_per_multiprocessor(const tegu_kernels* kernels); /* 0 without a GPU */
TEGU_API void tegu_kernels_free(tegu_kernels* kernels);

/*
 * Buffers: memory that the daemon and this process both map; a job that names a buffer sends no data.
 * tegu_buffer_create: the daemon allocates it; it is mapped here for reading and writing, initially zero.
 * tegu_buffer_register: `fd` is a memfd made with MFD_ALLOW_SEALING, whole (not sparse) and at least `bytes`
 * long. The library keeps a duplicate; the caller still owns fd. The daemon adds F_SEAL_SHRINK.
 * tegu_buffer_data is NULL for these. A handle names the buffer on one connection: tegu_buffer_handle changes
 * when the library reconnects (0 if that failed).
 */
TEGU_API tegu_status tegu_buffer_create(tegu_client* client, uint64_t bytes, tegu_buffer** buffer,
                                        tegu_error* error);
TEGU_API tegu_status tegu_buffer_register(tegu_client* client, int fd, uint64_t bytes, int access,
                                          tegu_buffer** buffer, tegu_error* error);
TEGU_API void* tegu_buffer_data(tegu_buffer* buffer); /* of a frozen buffer: read-only memory */
TEGU_API uint64_t tegu_buffer_bytes(const tegu_buffer* buffer);
TEGU_API uint64_t tegu_buffer_handle(const tegu_buffer* buffer);
/* Call after a change of the content: increments the generation that later jobs name. Before the first commit
 * jobs name none, and boards that must copy then copy for every job; after it they copy once per commit. A
 * job that writes into the buffer increments it, too. */
TEGU_API void tegu_buffer_commit(tegu_buffer* buffer);
TEGU_API uint64_t tegu_buffer_generation(const tegu_buffer* buffer);
/* Seals the buffer against writing, for good; the address of tegu_buffer_data stays the same and becomes
 * read-only memory. Fails with TEGU_BAD_DESCRIPTOR while another mapping is writable, TEGU_BUSY while a job
 * writes into it. */
TEGU_API tegu_status tegu_buffer_freeze(tegu_buffer* buffer, tegu_error* error);
/* Releases the handle and unmaps. Jobs in flight keep the memory. */
TEGU_API void tegu_buffer_free(tegu_buffer* buffer);

/* The buffers of this user in the daemon, of all its connections. */
typedef struct tegu_buffer_info {
    uint64_t handle, session, bytes, jobs_total, generation; /* generation: the newest that a job named */
    uint32_t pid;
    uint8_t access, frozen, created_by_daemon, reserved;
} tegu_buffer_info;
/* Writes at most `capacity` entries; *count is the total number. */
TEGU_API tegu_status tegu_buffer_list(tegu_client* client, tegu_buffer_info* list, size_t capacity,
                                      size_t* count, tegu_error* error);

/*
 * The jobs of this user that wait or run in the daemon, of all its connections. An administrator (root, and
 * the user of the daemon) sees those of all users. Jobs so small that the daemon computes them at once are
 * never listed. predicted_ns: of the computation; left_ns: what is left of it, without the jobs ahead.
 */
enum { TEGU_JOB_WAITING = 0, TEGU_JOB_RUNNING = 1 };
enum { TEGU_PLACE_CPU = 0, TEGU_PLACE_EXPRESS = 1, TEGU_PLACE_GPU = 2 };
typedef struct tegu_job {
    uint64_t id; /* for tegu_cancel_job; not the id of tegu_submit. Another daemon begins anew */
    uint64_t session, rows, cols;
    uint64_t age_ns, predicted_ns, left_ns;
    uint32_t uid, pid;
    uint16_t operation; /* a newer daemon may have more than this header */
    uint8_t type, priority;
    uint8_t state, place; /* TEGU_JOB_*, TEGU_PLACE_* */
    uint8_t gpu, gpus;    /* the first GPU of `gpus` that share it; 0 on the CPU */
    char name[72];        /* of the program, terminated */
} tegu_job;
/* Writes at most `capacity` entries, by id; *count is the total number. *all_users, which may be NULL: 1 for
 * an administrator, else 0. */
TEGU_API tegu_status tegu_jobs(tegu_client* client, tegu_job* list, size_t capacity, size_t* count,
                               int* all_users, tegu_error* error);
/* Requests that the daemon stops a job of this user, of any connection; for an administrator, any job. Its
 * client gets TEGU_CANCELLED, or the result if that was earlier. *was_running, which may be NULL: 0 if the
 * job had not started. TEGU_NOT_FOUND: no such job, or another user's. Not repeated on a lost connection. */
TEGU_API tegu_status tegu_cancel_job(tegu_client* client, uint64_t id, int* was_running, tegu_error* error);

/*
 * One input. Either `buffer` with an offset, or `data`: memory of the caller, sent in the message if the
 * inputs are small (64 KiB), else through the library's own buffer: one copy, which also packs rows with a
 * stride. The memory must stay valid until tegu_submit returns.
 */
typedef struct tegu_operand {
    const void* data;
    tegu_buffer* buffer;
    uint64_t offset_bytes;
    uint64_t row_stride; /* elements; 0 means cols */
} tegu_operand;

/* Flags are 0 or 1. `reserved` is zero. */
typedef struct tegu_reduce_params {
    uint32_t statistics; /* a set of TEGU_STAT_*; at least one */
    uint32_t ddof;       /* variance and standard deviation divide by count - ddof; 0 or 1 */
    uint8_t skip_nans;   /* leaves NaN elements out of everything but TEGU_STAT_NANS */
    uint8_t partial;     /* the input is a piece of a longer array: docs/partials.md */
    uint8_t last;        /* with partial: the piece ends the longer array */
    uint8_t reserved;
    uint32_t offset; /* with partial: place of the piece in the longer array, modulo 2^32 */
} tegu_reduce_params;
typedef struct tegu_topk_params {
    uint64_t k;       /* 1 to the elements (of a row) */
    uint8_t largest;  /* else the smallest */
    uint8_t distinct; /* each value once, with its first index */
    uint8_t reserved[6];
} tegu_topk_params;
typedef struct tegu_entropy_map_params {
    uint32_t window_rows, window_cols; /* odd, 3 to 63 */
    uint32_t levels;                   /* 2 to 256 */
    /* 0: the whole range of an integer type, min to max of the finite pixels of a float type */
    uint8_t has_range;
    uint8_t base;   /* TEGU_BASE_* */
    uint8_t border; /* TEGU_BORDER_* */
    uint8_t reserved;
    double lo, hi; /* with has_range: the lower edge of the first level and the upper edge of the last */
} tegu_entropy_map_params;

typedef struct tegu_add_params {
    uint8_t reserved[8];
} tegu_add_params;
typedef struct tegu_dot_params {
    uint8_t skip_nans; /* leaves out the pairs with a NaN */
    uint8_t partial;   /* this and the next two: as in tegu_reduce_params */
    uint8_t last;
    uint8_t reserved;
    uint32_t offset;
} tegu_dot_params;
typedef struct tegu_rowscale_params {
    uint8_t skip_nans; /* NaN elements stay NaN, and do not affect the scale */
    uint8_t reserved[7];
} tegu_rowscale_params;
typedef struct tegu_quantile_params {
    const double* q; /* `count` numbers in [0, 1], in any order; must stay valid until tegu_submit returns */
    uint32_t count;  /* 1 to 1024 */
    uint8_t method;  /* TEGU_QUANTILE_* */
    uint8_t skip_nans; /* else a NaN makes every quantile NaN */
    uint8_t reserved[2];
} tegu_quantile_params;
typedef struct tegu_histogram_params {
    uint32_t bins;     /* 1 to 2^20, of equal width; the last one holds its upper edge */
    uint8_t has_range; /* 0: smallest to largest element */
    uint8_t skip_nans; /* without it, and without a range, a NaN is an error */
    uint8_t reserved[2];
    double lo, hi; /* with has_range: elements outside are not counted */
} tegu_histogram_params;
typedef struct tegu_entropy_params {
    uint32_t levels;   /* 2 to 65536 */
    uint8_t has_range; /* 0: as tegu_entropy_map_params */
    uint8_t base;      /* TEGU_BASE_* */
    uint8_t skip_nans; /* leaves NaN elements out, else one makes the entropy NaN */
    uint8_t partial;   /* the result is TEGU_ROLE_LEVELS, the counts of the levels: docs/partials.md */
    double lo, hi;     /* with has_range: elements outside belong to the first or last level */
} tegu_entropy_params;
/* Several operations on one input, each at most once. The result has the arrays of the parts in order. */
typedef struct tegu_fused_params {
    const struct tegu_part* parts; /* needed until tegu_submit returns */
    uint32_t count;                /* 1 to 5 */
    uint8_t reserved[4];
} tegu_fused_params;
typedef union tegu_params {
    tegu_reduce_params reduce;
    tegu_topk_params topk;
    tegu_entropy_map_params entropy_map;
    tegu_add_params add;
    tegu_dot_params dot;
    tegu_rowscale_params rowscale;
    tegu_quantile_params quantile;
    tegu_histogram_params histogram;
    tegu_entropy_params entropy;
    tegu_fused_params fused;
    uint8_t reserved[64];
} tegu_params;
typedef struct tegu_part {
    uint16_t operation;  /* TEGU_REDUCE, TEGU_TOPK, TEGU_QUANTILE, TEGU_HISTOGRAM or TEGU_ENTROPY */
    uint8_t reserved[6]; /* zero */
    tegu_params params;
} tegu_part;
/* Zeroes the part and fills in its operation and the defaults of its parameters, as tegu_request_init. */
TEGU_API void tegu_part_init(tegu_part* part, uint16_t operation);

typedef struct tegu_request {
    uint32_t size;      /* sizeof(tegu_request) */
    uint16_t operation; /* TEGU_REDUCE, ...: selects the member of `params` */
    uint8_t type;       /* element type of the inputs */
    uint8_t axis;
    uint64_t rows, cols;
    tegu_operand inputs[2];
    tegu_params params;
    /* NULL: the library provides the memory of the result. TEGU_ADD and TEGU_ROWSCALE may write exactly over
     * a dense input (same buffer and offset); else output and inputs must not overlap. The arrays start at
     * multiples of 64 from the offset, in the order of the result. A failed job leaves the output undefined:
     * in place, its input, too */
    tegu_buffer* output;
    uint64_t output_offset_bytes; /* a multiple of 64 */
    uint64_t deadline_ns;         /* from submit; 0: none */
    uint8_t priority;             /* TEGU_PRIORITY_* */
    uint8_t backend;              /* TEGU_BACKEND_*: the required backend, else the job fails */
    uint8_t reserved[6];          /* zero */
} tegu_request;
/* Zeroes the request, then: size, rows 1, normal priority, and the defaults of the operation's parameters
 * (statistics none; largest; window 5x5, 16 levels, base 2, clip; 10 bins; 256 levels). `size` is the
 * caller's sizeof(tegu_request). */
TEGU_API void tegu_request_init(tegu_request* request, size_t size, uint16_t operation);

/* A node of a piece of a longer array: elements [begin, begin + count) of the piece. docs/partials.md. */
typedef struct tegu_node {
    uint64_t begin, count;
} tegu_node;
/* The nodes of a piece of n elements at `offset` of a longer array, in the order of the rows of
 * TEGU_ROLE_NODES. `last`: the piece ends the longer array. Writes the first `capacity` to `nodes`, which may
 * be NULL if that is 0. Returns how many there are; 0 for more than 2^40 elements, which no job takes. */
TEGU_API size_t tegu_piece_nodes(uint64_t offset, uint64_t n, int last, tegu_node* nodes, size_t capacity);
/* Submits a job; *id is its id, never 0. The job may wait in the library until 32 KiB are gathered or until
 * the next flush or wait, so that one system call sends several. The caller must fetch its result with
 * tegu_wait. Several may be in flight; results come in any order. Blocks while the library's own buffers are
 * all in use by earlier jobs. Fails if the request is invalid, or if its memory cannot be allocated or
 * registered; tegu_wait returns later errors. */
TEGU_API tegu_status tegu_submit(tegu_client* client, const tegu_request* request, uint64_t* id,
                                 tegu_error* error);
/* Sends waiting jobs, as far as the daemon accepts them now; never blocks for long. */
TEGU_API tegu_status tegu_flush(tegu_client* client, tegu_error* error);
/* Waits for the result of job `id`, or with id 0 of any job in flight. Returns the job's status: a failed job
 * has no result (*result is set to NULL), its error is in *error. *done_id (may be NULL) is the job that
 * ended; its id is then invalid. timeout_ms < 0: no limit. After the timeout: TEGU_DEADLINE_EXCEEDED with
 * *done_id 0, and the job continues. An id that is not in flight, or 0 when none is: TEGU_NOT_FOUND with
 * *done_id 0. The caller frees *result. */
TEGU_API tegu_status tegu_wait(tegu_client* client, uint64_t id, int timeout_ms, tegu_result** result,
                               uint64_t* done_id, tegu_error* error);
/* For an event loop: poll(2) `fd` for `events`, at most `timeout_ms`; then call tegu_wait(client, 0, 0, ...)
 * until no job has ended, and get the state again. It changes with every call that has this client. */
typedef struct tegu_poll_state {
    int fd;         /* -1: no connection; the library owns it */
    int events;     /* POLLIN, maybe with POLLOUT */
    int timeout_ms; /* -1: no limit; 0: a result is there */
    uint32_t reserved;
    uint64_t connection; /* another one: another descriptor, maybe of the same number */
} tegu_poll_state;
TEGU_API void tegu_get_poll_state(const tegu_client* client, tegu_poll_state* state);
/* The job is to stop; tegu_wait returns its result or TEGU_CANCELLED. TEGU_NOT_FOUND: no such job. */
TEGU_API tegu_status tegu_cancel(tegu_client* client, uint64_t id, tegu_error* error);
/* Submit and wait. *result is NULL if the job failed. */
TEGU_API tegu_status tegu_run(tegu_client* client, const tegu_request* request, tegu_result** result,
                              tegu_error* error);
typedef struct tegu_array {
    uint8_t role; /* statistic number + 1, or TEGU_ROLE_* */
    uint8_t type;
    uint64_t rows, cols;
    const void* data; /* dense, row-major; lives as long as the result (or the output buffer) */
} tegu_array;
/* queue, copy, compute: by the daemon's clock; round_trip: from tegu_submit to the reply, with retries. */
typedef struct tegu_timing {
    uint64_t queue_ns, copy_ns, compute_ns, round_trip_ns;
} tegu_timing;
TEGU_API size_t tegu_result_count(const tegu_result* result);
TEGU_API tegu_array tegu_result_array(const tegu_result* result, size_t index);
/* The array of a role; 0 if there is none, 1 if *array is set. */
TEGU_API int tegu_result_find(const tegu_result* result, uint8_t role, tegu_array* array);
TEGU_API int tegu_result_backend(const tegu_result* result); /* TEGU_BACKEND_CPU or _GPU: it ran the job */
/* How it ran; lives as long as the result. */
TEGU_API const char* tegu_result_policy(const tegu_result* result);
TEGU_API tegu_timing tegu_result_timing(const tegu_result* result);
TEGU_API void tegu_result_free(tegu_result* result);

/* For bindings of other languages: a job and its result in one call. Zero the struct before its first use. */
enum { TEGU_RAN_ARRAYS = 32, TEGU_RAN_BYTES = 512 };
typedef struct tegu_shape {
    uint8_t role, type; /* of a tegu_array */
    uint8_t reserved[6];
    uint64_t rows, cols;
} tegu_shape;
typedef struct tegu_ran {
    tegu_result* result; /* the caller frees it, or the next job that ends well with this struct does */
    uint64_t id;         /* of a job that continues; else 0 */
    uint32_t count;      /* arrays of the result */
    uint32_t bytes;      /* of `values`; 0: they do not fit, or lie in an output */
    tegu_shape shapes[TEGU_RAN_ARRAYS];
    const void* data[TEGU_RAN_ARRAYS];
    uint8_t values[TEGU_RAN_BYTES]; /* elements of the arrays; each array starts at a multiple of 8 */
} tegu_ran;
/* tegu_submit and tegu_wait. After the timeout: TEGU_DEADLINE_EXCEEDED, and `id` is for tegu_wait. If the job
 * fails, *ran keeps all but its id; a caller that keeps `result` sets it to NULL. */
TEGU_API tegu_status tegu_run_into(tegu_client* client, const tegu_request* request, int timeout_ms,
                                   tegu_ran* ran, tegu_error* error);

/*
 * For CPython: memory for others by DLPack. tegu_dlpack_delete is the deleter of a DLManagedTensor,
 * tegu_dlpack_delete_versioned that of a DLManagedTensorVersioned, tegu_dlpack_destroy the destructor of a
 * capsule with either. They drop one reference to the Python object in manager_ctx. Any thread may call them,
 * also while an exception is pending. Call tegu_dlpack_python first, with functions of the interpreter.
 */
typedef struct tegu_python {
    int (*Py_IsInitialized)(void);
    int (*PyGILState_Ensure)(void);
    void (*PyGILState_Release)(int state);
    int (*PyCapsule_IsValid)(void* capsule, const char* name);
    void* (*PyCapsule_GetPointer)(void* capsule, const char* name);
    void (*Py_DecRef)(void* object);
} tegu_python;
TEGU_API void tegu_dlpack_python(const tegu_python* functions); /* copies them */
TEGU_API void tegu_dlpack_delete(void* managed);
TEGU_API void tegu_dlpack_delete_versioned(void* managed);
TEGU_API void tegu_dlpack_destroy(void* capsule);

#ifdef __cplusplus
}
#endif

#endif
