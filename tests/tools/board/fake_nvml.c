/* SPDX-License-Identifier: Apache-2.0 */
/* A management library for tests: lines "name value" of the file $TEGU_FAKE_NVML are what its GPU tells, read
 * at each call. A name that is not in the file is not supported. With "address A" the GPU is found at that
 * PCI address alone; "init N" is what nvmlInit_v2 returns. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))
enum { SUCCESS = 0, NOT_SUPPORTED = 3, NOT_FOUND = 6 };

static int text_of(const char* wanted, char* text, unsigned size) {
    const char* const path = getenv("TEGU_FAKE_NVML");
    FILE* const file = path != NULL ? fopen(path, "r") : NULL;
    char name[64], value[64];
    int found = 0;
    if (file == NULL) return 0;
    while (!found && fscanf(file, "%63s %63s", name, value) == 2) found = strcmp(name, wanted) == 0;
    fclose(file);
    if (found) snprintf(text, size, "%s", value);
    return found;
}

static int number_of(const char* wanted, unsigned* value) {
    char text[64];
    if (!text_of(wanted, text, sizeof text)) return NOT_SUPPORTED;
    *value = (unsigned)strtoul(text, NULL, 0);
    return SUCCESS;
}

static int long_number_of(const char* wanted, unsigned long long* value) {
    char text[64];
    if (!text_of(wanted, text, sizeof text)) return NOT_SUPPORTED;
    *value = strtoull(text, NULL, 0);
    return SUCCESS;
}

static char the_device;

EXPORT int nvmlInit_v2(void) {
    unsigned code = SUCCESS;
    (void)number_of("init", &code);
    return (int)code;
}
EXPORT int nvmlShutdown(void) {
    return SUCCESS;
}
EXPORT const char* nvmlErrorString(int code) {
    return code == 9 ? "Driver Not Loaded" : "an error";
}
EXPORT int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** device) {
    *device = &the_device;
    return index == 0 ? SUCCESS : NOT_FOUND;
}
EXPORT int nvmlDeviceGetHandleByPciBusId_v2(const char* address, void** device) {
    char text[64];
    *device = &the_device;
    return text_of("address", text, sizeof text) && strcmp(text, address) == 0 ? SUCCESS : NOT_FOUND;
}
EXPORT int nvmlSystemGetDriverVersion(char* text, unsigned size) {
    return text_of("driver", text, size) ? SUCCESS : NOT_SUPPORTED;
}
EXPORT int nvmlDeviceGetTemperature(void* device, int sensor, unsigned* value) {
    (void)device;
    return sensor == 0 ? number_of("temperature", value) : NOT_SUPPORTED;
}
EXPORT int nvmlDeviceGetClockInfo(void* device, int kind, unsigned* value) {
    (void)device;
    return number_of(kind == 1 ? "core_clock" : "memory_clock", value);
}
EXPORT int nvmlDeviceGetMaxClockInfo(void* device, int kind, unsigned* value) {
    (void)device;
    return number_of(kind == 1 ? "max_core_clock" : "max_memory_clock", value);
}
EXPORT int nvmlDeviceGetPowerUsage(void* device, unsigned* value) {
    (void)device;
    return number_of("power", value);
}
EXPORT int nvmlDeviceGetEnforcedPowerLimit(void* device, unsigned* value) {
    (void)device;
    return number_of("power_limit", value);
}
EXPORT int nvmlDeviceGetTotalEnergyConsumption(void* device, unsigned long long* value) {
    (void)device;
    return long_number_of("energy", value);
}
EXPORT int nvmlDeviceGetFanSpeed(void* device, unsigned* value) {
    (void)device;
    return number_of("fan", value);
}
EXPORT int nvmlDeviceGetCurrentClocksThrottleReasons(void* device, unsigned long long* value) {
    (void)device;
    return long_number_of("throttle", value);
}
