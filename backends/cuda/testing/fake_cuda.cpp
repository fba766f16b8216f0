#include "backends/cuda/testing/fake_cuda.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <utility>

namespace executorch::backends::cuda::testing {
namespace {

constexpr std::size_t kAlignment = 256;
std::map<std::uintptr_t, std::size_t> sizes;

// Notes a call; whether it may go on.
bool passes(const char* name) {
  FakeCuda& fake = FakeCuda::instance();
  const auto index = static_cast<std::int64_t>(fake.calls.size());
  fake.calls.emplace_back(name);
  if (index == fake.fail_at) fake.last_error = fake.failure;
  return index != fake.fail_at;
}

cudaError_t give(void** ret, std::size_t bytes, std::set<std::uintptr_t>& kind) {
  const std::size_t rounded =
      (std::max<std::size_t>(bytes, 1) + kAlignment - 1) / kAlignment * kAlignment;
  *ret = std::aligned_alloc(kAlignment, rounded);
  // What was never written shows.
  std::memset(*ret, 0xcd, rounded);
  kind.insert(reinterpret_cast<std::uintptr_t>(*ret));
  sizes[reinterpret_cast<std::uintptr_t>(*ret)] = rounded;
  return cudaSuccess;
}

cudaError_t take(void* memory, std::set<std::uintptr_t>& kind) {
  if (memory == nullptr) return cudaSuccess;
  if (kind.erase(reinterpret_cast<std::uintptr_t>(memory)) == 0) return cudaErrorInvalidValue;
  sizes.erase(reinterpret_cast<std::uintptr_t>(memory));
  std::free(memory);
  return cudaSuccess;
}

// What captured streams are to do, and the graphs made of it.
struct Graph {
  std::vector<std::function<void()>> work;
};
std::map<cudaStream_t, Graph*> captures;

bool is_captured(cudaStream_t stream) { return captures.contains(stream); }

void do_in_order(cudaStream_t stream, std::function<void()> work) {
  // The legacy default stream, and those that a test made up, are not ours.
  FakeCuda::instance().streams_used.insert(stream);
  const auto captured = captures.find(stream);
  if (captured == captures.end()) {
    work();
  } else {
    captured->second->work.push_back(std::move(work));
  }
}

// Streams that were ours once must still be.
std::set<cudaStream_t> gone;
void must_be_alive(cudaStream_t stream) {
  if (gone.contains(stream)) {
    std::fputs("a stream is used that is gone\n", stderr);
    std::abort();
  }
}

bool within(const std::set<std::uintptr_t>& kind, const void* address) {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  auto next = kind.upper_bound(at);
  if (next == kind.begin()) return false;
  --next;
  return at < *next + sizes[*next];
}

}  // namespace

FakeCuda& FakeCuda::instance() {
  static auto* const fake = new FakeCuda();
  return *fake;
}

void FakeCuda::reset() {
  calls.clear();
  fail_at = -1;
  failure = cudaErrorLaunchFailure;
  driver = cudaSuccess;
  streams_used.clear();
  last_error = cudaSuccess;
  bytes_allocated = 0;
}

std::size_t FakeCuda::count(const std::string& call) const {
  return static_cast<std::size_t>(std::count(calls.begin(), calls.end(), call));
}

bool FakeCuda::is_device(const void* address) const { return within(device_memory, address); }

DeviceFloats::DeviceFloats(const std::vector<float>& values) : size_(values.size()) {
  void* memory = nullptr;
  give(&memory, values.size() * sizeof(float), FakeCuda::instance().device_memory);
  data_ = static_cast<float*>(memory);
  std::copy(values.begin(), values.end(), data_);
}

DeviceFloats::~DeviceFloats() { take(data_, FakeCuda::instance().device_memory); }

}  // namespace executorch::backends::cuda::testing

using executorch::backends::cuda::testing::captures;
using executorch::backends::cuda::testing::do_in_order;
using executorch::backends::cuda::testing::FakeCuda;
using executorch::backends::cuda::testing::give;
using executorch::backends::cuda::testing::gone;
using executorch::backends::cuda::testing::Graph;
using executorch::backends::cuda::testing::is_captured;
using executorch::backends::cuda::testing::must_be_alive;
using executorch::backends::cuda::testing::passes;
using executorch::backends::cuda::testing::take;
using executorch::backends::cuda::testing::within;

// Returns the injected failure from a call that is its turn.
#define MAY_FAIL() \
  if (!passes(__func__)) return FakeCuda::instance().failure

#define FAKE extern "C" __attribute__((visibility("default"))) cudaError_t

FAKE cudaGetDeviceCount(int* count) {
  MAY_FAIL();
  *count = FakeCuda::instance().driver == cudaSuccess ? 1 : 0;
  return FakeCuda::instance().driver;
}
FAKE cudaGetDevice(int* device) {
  MAY_FAIL();
  *device = 0;
  return cudaSuccess;
}
FAKE cudaSetDevice(int device) {
  MAY_FAIL();
  return device == 0 ? cudaSuccess : cudaErrorInvalidDevice;
}
FAKE cudaDeviceGetAttribute(int* value, enum cudaDeviceAttr attribute, int device) {
  static_cast<void>(device);
  MAY_FAIL();
  *value = attribute == cudaDevAttrComputeCapabilityMajor ? 9 : 0;
  return cudaSuccess;
}
FAKE cudaDeviceSynchronize() {
  MAY_FAIL();
  return cudaSuccess;
}
FAKE cudaPointerGetAttributes(struct cudaPointerAttributes* attributes, const void* address) {
  MAY_FAIL();
  *attributes = {};
  attributes->type = within(FakeCuda::instance().device_memory, address) ? cudaMemoryTypeDevice
                     : within(FakeCuda::instance().pinned_memory, address)
                         ? cudaMemoryTypeHost
                         : cudaMemoryTypeUnregistered;
  return cudaSuccess;
}
FAKE cudaMalloc(void** memory, size_t bytes) {
  MAY_FAIL();
  FakeCuda::instance().bytes_allocated += bytes;
  return give(memory, bytes, FakeCuda::instance().device_memory);
}
FAKE cudaFree(void* memory) {
  MAY_FAIL();
  return take(memory, FakeCuda::instance().device_memory);
}
FAKE cudaMallocHost(void** memory, size_t bytes) {
  MAY_FAIL();
  return give(memory, bytes, FakeCuda::instance().pinned_memory);
}
FAKE cudaFreeHost(void* memory) {
  MAY_FAIL();
  return take(memory, FakeCuda::instance().pinned_memory);
}
FAKE cudaMemcpy(void* to, const void* from, size_t bytes, enum cudaMemcpyKind kind) {
  static_cast<void>(kind);
  MAY_FAIL();
  std::memmove(to, from, bytes);
  return cudaSuccess;
}
FAKE cudaMemcpyAsync(void* to, const void* from, size_t bytes, enum cudaMemcpyKind kind,
                     cudaStream_t stream) {
  static_cast<void>(kind);
  MAY_FAIL();
  must_be_alive(stream);
  do_in_order(stream, [=] { std::memmove(to, from, bytes); });
  return cudaSuccess;
}
FAKE cudaStreamCreate(cudaStream_t* stream) {
  MAY_FAIL();
  // Never given back, so that no later stream has its address.
  *stream = reinterpret_cast<cudaStream_t>(new int(0));
  FakeCuda::instance().streams.insert(*stream);
  return cudaSuccess;
}
FAKE cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned int flags) {
  static_cast<void>(flags);
  return cudaStreamCreate(stream);
}
FAKE cudaStreamDestroy(cudaStream_t stream) {
  MAY_FAIL();
  must_be_alive(stream);
  FakeCuda::instance().streams.erase(stream);
  gone.insert(stream);
  return cudaSuccess;
}
FAKE cudaStreamSynchronize(cudaStream_t stream) {
  MAY_FAIL();
  must_be_alive(stream);
  return is_captured(stream) ? cudaErrorStreamCaptureUnsupported : cudaSuccess;
}
FAKE cudaStreamQuery(cudaStream_t stream) {
  MAY_FAIL();
  must_be_alive(stream);
  return FakeCuda::instance().last_error;
}
FAKE cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus* status) {
  MAY_FAIL();
  must_be_alive(stream);
  *status = is_captured(stream) ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
  return cudaSuccess;
}
FAKE cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode) {
  static_cast<void>(mode);
  MAY_FAIL();
  must_be_alive(stream);
  captures[stream] = new Graph();
  return cudaSuccess;
}
FAKE cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  Graph* const made = captures[stream];
  captures.erase(stream);
  if (!passes(__func__)) {
    delete made;
    return FakeCuda::instance().failure;
  }
  ++FakeCuda::instance().graphs;
  *graph = reinterpret_cast<cudaGraph_t>(made);
  return cudaSuccess;
}
FAKE cudaGraphDestroy(cudaGraph_t graph) {
  --FakeCuda::instance().graphs;
  delete reinterpret_cast<Graph*>(graph);
  return cudaSuccess;
}
FAKE cudaGraphInstantiate(cudaGraphExec_t* instance, cudaGraph_t graph, unsigned long long flags) {
  static_cast<void>(flags);
  MAY_FAIL();
  ++FakeCuda::instance().graphs;
  *instance = reinterpret_cast<cudaGraphExec_t>(new Graph(*reinterpret_cast<Graph*>(graph)));
  return cudaSuccess;
}
FAKE cudaGraphLaunch(cudaGraphExec_t instance, cudaStream_t stream) {
  MAY_FAIL();
  must_be_alive(stream);
  FakeCuda::instance().streams_used.insert(stream);
  for (const auto& work : reinterpret_cast<Graph*>(instance)->work) work();
  return cudaSuccess;
}
FAKE cudaGraphExecDestroy(cudaGraphExec_t instance) {
  MAY_FAIL();
  --FakeCuda::instance().graphs;
  delete reinterpret_cast<Graph*>(instance);
  return cudaSuccess;
}
FAKE cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags) {
  must_be_alive(stream);
  static_cast<void>(event);
  static_cast<void>(flags);
  MAY_FAIL();
  return cudaSuccess;
}
FAKE cudaEventCreateWithFlags(cudaEvent_t* event, unsigned int flags) {
  static_cast<void>(flags);
  MAY_FAIL();
  ++FakeCuda::instance().events;
  *event = reinterpret_cast<cudaEvent_t>(new int(0));
  return cudaSuccess;
}
FAKE cudaEventCreate(cudaEvent_t* event) { return cudaEventCreateWithFlags(event, 0); }
FAKE cudaEventQuery(cudaEvent_t event) {
  static_cast<void>(event);
  MAY_FAIL();
  return cudaSuccess;
}
FAKE cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  static_cast<void>(event);
  must_be_alive(stream);
  MAY_FAIL();
  return cudaSuccess;
}
FAKE cudaEventSynchronize(cudaEvent_t event) {
  static_cast<void>(event);
  MAY_FAIL();
  return cudaSuccess;
}
FAKE cudaEventDestroy(cudaEvent_t event) {
  MAY_FAIL();
  --FakeCuda::instance().events;
  delete reinterpret_cast<int*>(event);
  return cudaSuccess;
}
FAKE cudaGetLastError() { return std::exchange(FakeCuda::instance().last_error, cudaSuccess); }
FAKE cudaPeekAtLastError() { return FakeCuda::instance().last_error; }
FAKE cudaMemPoolCreate(cudaMemPool_t* pool, const struct cudaMemPoolProps* properties) {
  static_cast<void>(properties);
  MAY_FAIL();
  static int place = 0;
  *pool = reinterpret_cast<cudaMemPool_t>(&place);
  return cudaSuccess;
}
FAKE cudaMemPoolSetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void* value) {
  static_cast<void>(pool);
  static_cast<void>(attribute);
  static_cast<void>(value);
  MAY_FAIL();
  return cudaSuccess;
}
FAKE cudaMallocFromPoolAsync(void** memory, size_t bytes, cudaMemPool_t pool, cudaStream_t stream) {
  static_cast<void>(pool);
  MAY_FAIL();
  must_be_alive(stream);
  FakeCuda::instance().streams_used.insert(stream);
  if (!is_captured(stream)) return give(memory, bytes, FakeCuda::instance().device_memory);
  // Memory of a graph: it is there whenever the graph runs, and never counted.
  *memory = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  return cudaSuccess;
}
FAKE cudaFreeAsync(void* memory, cudaStream_t stream) {
  MAY_FAIL();
  must_be_alive(stream);
  return is_captured(stream) ? cudaSuccess : take(memory, FakeCuda::instance().device_memory);
}

extern "C" __attribute__((visibility("default"))) void fake_cuda_launch(void* stream,
                                                                        void (*kernel)(const void*),
                                                                        const void* state,
                                                                        std::size_t bytes) {
  const auto* const begin = static_cast<const std::byte*>(state);
  const std::vector<std::byte> copy(begin, begin + bytes);
  do_in_order(static_cast<cudaStream_t>(stream), [=] { kernel(copy.data()); });
}

// The driver's functions that compiled libraries use.
#define DRIVER extern "C" __attribute__((visibility("default"))) int

DRIVER cuModuleLoadData(void** module, const void* image) {
  static_cast<void>(image);
  *module = new int(0);
  ++FakeCuda::instance().modules;
  return 0;
}
DRIVER cuCtxGetCurrent(void** context) {
  *context = nullptr;
  return 0;
}
