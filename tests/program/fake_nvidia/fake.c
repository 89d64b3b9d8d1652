/* Fake driver and NVRTC, controlled by environment variables, so that tests can simulate every kind
   of machine. Compiled by tests/program/devices.rs into libcuda.so and libnvrtc.so.13; computes nothing. */
#include <stdio.h>
#include <stdlib.h>

static int setting(const char *name, int otherwise)
{
    const char *text = getenv(name);
    return text ? atoi(text) : otherwise;
}

static long current;

/* The driver. */
int cuInit(unsigned flags) { return setting("FAKE_INIT", 0); }
int cuDriverGetVersion(int *version) { *version = setting("FAKE_DRIVER", 13000); return 0; }
int cuGetErrorName(int error, const char **text) { *text = "FAKE"; return 0; }
int cuGetErrorString(int error, const char **text) { *text = "so says the fake driver"; return 0; }
int cuDeviceGetCount(int *count) { *count = setting("FAKE_GPUS", 2); return 0; }
int cuDeviceGet(int *device, int ordinal) { *device = ordinal; return 0; }
int cuDeviceGetName(char *name, int room, int device)
{
    snprintf(name, room, "Fake %c", 'A' + device);
    return 0;
}
int cuDeviceGetAttribute(int *value, int attribute, int device)
{
    int capability = setting("FAKE_CAPABILITY", 90);
    switch (attribute) {
    case 16: *value = 132; break; /* multiprocessors */
    case 75: *value = capability / 10; break;
    case 76: *value = capability % 10; break;
    default: *value = 0;
    }
    return 0;
}
int cuDeviceTotalMem_v2(size_t *bytes, int device) { *bytes = (size_t)16 << 30; return 0; }
int cuDevicePrimaryCtxRetain(void **context, int device)
{
    *context = (void *)(long)(device + 1);
    return setting("FAKE_OPEN", 0);
}
int cuDevicePrimaryCtxRelease_v2(int device) { return 0; }
int cuCtxGetCurrent(void **context) { *context = (void *)current; return 0; }
/* Nothing else is supported. */
int cuCtxSynchronize(void) { return 999; }
int cuCtxSetCurrent(void *context) { current = (long)context; return 0; }
/* GPUs with higher numbers have more free memory. */
int cuMemGetInfo_v2(size_t *free, size_t *total)
{
    *free = (size_t)current << 30;
    *total = (size_t)16 << 30;
    return 0;
}

/* NVRTC, which supports only sm_90. */
int nvrtcVersion(int *major, int *minor)
{
    *major = setting("FAKE_NVRTC", 13);
    *minor = 0;
    return 0;
}
int nvrtcGetNumSupportedArchs(int *count) { *count = 1; return 0; }
int nvrtcGetSupportedArchs(int *list) { *list = 90; return 0; }
int nvrtcCreateProgram(void) { return 7; }
int nvrtcCompileProgram(void) { return 7; }
int nvrtcDestroyProgram(void) { return 7; }
int nvrtcGetProgramLogSize(void) { return 7; }
int nvrtcGetProgramLog(void) { return 7; }
int nvrtcGetPTXSize(void) { return 7; }
int nvrtcGetPTX(void) { return 7; }
int nvrtcGetCUBINSize(void) { return 7; }
int nvrtcGetCUBIN(void) { return 7; }
const char *nvrtcGetErrorString(int error) { return "so says the fake NVRTC"; }
