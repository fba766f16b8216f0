// Radix sorts of unsigned keys that have the elements' order. Values are taken from the input by
// the sorted index, so every bit of them survives. Short rows are sorted by one block each;
// everything else at once: first by key, then, where there are several rows, by row.
#include <algorithm>
#include <bit>

#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wsign-compare"
#endif
#include <cub/block/block_radix_sort.cuh>
#include <cub/device/device_radix_sort.cuh>
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

#include "shims/device_memory.h"
#include "shims/kernels/launch.h"
#include "shims/kernels/sort.h"

namespace shims {
inline namespace sort_cu {  // without a name, nvcc would make one of the path of this file

// The order of floats as the order of unsigned numbers of their width. kExponent: bits of infinity.
template <typename Key>
__device__ Key float_order(Key bits, Key exponent) {
  constexpr Key kSign = static_cast<Key>(Key{1} << (8 * sizeof(Key) - 1));
  const Key magnitude = static_cast<Key>(bits & ~kSign);
  if (magnitude > exponent) {
    return static_cast<Key>(~Key{0});
  }
  if (magnitude == 0) {
    return kSign;
  }
  return static_cast<Key>((bits & kSign) != 0 ? ~bits : bits | kSign);
}

template <typename Key>
__device__ Key key_of(const void* from, int64_t at, DType dtype);

template <>
__device__ uint16_t key_of<uint16_t>(const void* from, int64_t at, DType dtype) {
  switch (dtype) {
    case DType::kUInt8:
    case DType::kBool:
      return static_cast<const uint8_t*>(from)[at];
    case DType::kInt8:
      return static_cast<uint16_t>(static_cast<const int8_t*>(from)[at] + 128);
    case DType::kInt16:
      return static_cast<const uint16_t*>(from)[at] ^ 0x8000u;
    case DType::kUInt16:
      return static_cast<const uint16_t*>(from)[at];
    case DType::kFloat16:
      return float_order<uint16_t>(static_cast<const uint16_t*>(from)[at], 0x7c00u);
    default:
      return float_order<uint16_t>(static_cast<const uint16_t*>(from)[at], 0x7f80u);
  }
}

template <>
__device__ uint32_t key_of<uint32_t>(const void* from, int64_t at, DType dtype) {
  const uint32_t bits = static_cast<const uint32_t*>(from)[at];
  return dtype == DType::kFloat32  ? float_order<uint32_t>(bits, 0x7f800000u)
         : dtype == DType::kUInt32 ? bits
                                   : bits ^ 0x80000000u;
}

template <>
__device__ uint64_t key_of<uint64_t>(const void* from, int64_t at, DType dtype) {
  const uint64_t bits = static_cast<const uint64_t*>(from)[at];
  return dtype == DType::kFloat64  ? float_order<uint64_t>(bits, 0x7ff0000000000000u)
         : dtype == DType::kUInt64 ? bits
                                   : bits ^ 0x8000000000000000u;
}

// Inverting the key turns the order around and leaves equal keys equal.
template <typename Key>
__device__ Key directed_key(const SortJob& job, int64_t at) {
  const Key key = key_of<Key>(job.from, at, job.dtype);
  return job.descending ? static_cast<Key>(~key) : key;
}

// Where element `i` of row `row` lies; rows are numbered over [outer, inner].
__device__ int64_t place(const SortJob& job, int64_t row, int64_t i) {
  const int64_t outer = row / job.inner;
  return (outer * job.length + i) * job.inner + (row - outer * job.inner);
}

__device__ void put(const SortJob& job, int64_t row, int64_t rank, int64_t i) {
  const int64_t to = place(job, row, rank);
  const int64_t from = place(job, row, i);
  job.indices[to] = i;
  switch (element_size(static_cast<int32_t>(job.dtype))) {
    case 1:
      static_cast<uint8_t*>(job.values)[to] = static_cast<const uint8_t*>(job.from)[from];
      break;
    case 2:
      static_cast<uint16_t*>(job.values)[to] = static_cast<const uint16_t*>(job.from)[from];
      break;
    case 4:
      static_cast<uint32_t*>(job.values)[to] = static_cast<const uint32_t*>(job.from)[from];
      break;
    default:
      static_cast<uint64_t*>(job.values)[to] = static_cast<const uint64_t*>(job.from)[from];
      break;
  }
}

// The value of a key, for types in which a key has one value only: not so for NaN and for 0.
template <typename Key>
__device__ bool value_of(Key key, const SortJob& job, Key* value) {
  constexpr Key kSign = static_cast<Key>(Key{1} << (8 * sizeof(Key) - 1));
  const Key order = job.descending ? static_cast<Key>(~key) : key;
  switch (job.dtype) {
    case DType::kFloat32:
    case DType::kFloat64:
      *value = static_cast<Key>((order & kSign) != 0 ? order ^ kSign : ~order);
      return order != kSign && order != static_cast<Key>(~Key{0});
    case DType::kInt32:
    case DType::kInt64:
      *value = order ^ kSign;
      return true;
    default:
      return false;
  }
}

template <typename Key, int kThreads, int kItems>
__global__ void __launch_bounds__(kThreads) sort_rows(SortJob job) {
  using Sort = cub::BlockRadixSort<Key, kThreads, kItems, int>;
  __shared__ typename Sort::TempStorage storage;
  const int64_t row = blockIdx.x;
  const int length = static_cast<int>(job.length);
  Key keys[kItems];
  int order[kItems];
#pragma unroll
  for (int item = 0; item < kItems; ++item) {
    const int i = static_cast<int>(threadIdx.x) * kItems + item;
    order[item] = i;
    // Places beyond the row sort last: they are behind equal keys already.
    keys[item] =
        i < length ? directed_key<Key>(job, place(job, row, i)) : static_cast<Key>(~Key{0});
  }
  Sort(storage).SortBlockedToStriped(keys, order);
#pragma unroll
  for (int item = 0; item < kItems; ++item) {
    const int rank = item * kThreads + static_cast<int>(threadIdx.x);
    if (rank < length) {
      put(job, row, rank, order[item]);
    }
  }
}

constexpr int kTileThreads = 512;
constexpr int kTileItems = 8;
constexpr uint32_t kTile = kTileThreads * kTileItems;
constexpr uint32_t kRuns = 8;  // merged at a time

// One block a tile: keys and indices in their row, in order.
template <typename Key>
__global__ void __launch_bounds__(kTileThreads)
    sort_tiles(SortJob job, int64_t first_row, uint32_t tiles, Key* keys_out, uint32_t* order_out) {
  using Sort = cub::BlockRadixSort<Key, kTileThreads, kTileItems, uint32_t>;
  __shared__ typename Sort::TempStorage storage;
  const uint32_t row = blockIdx.x / tiles;
  const uint32_t begin = blockIdx.x % tiles * kTile;
  const auto length = static_cast<uint32_t>(job.length);
  Key keys[kTileItems];
  uint32_t order[kTileItems];
#pragma unroll
  for (int item = 0; item < kTileItems; ++item) {
    const uint32_t i = begin + threadIdx.x * kTileItems + static_cast<uint32_t>(item);
    order[item] = i;
    keys[item] = i < length ? directed_key<Key>(job, place(job, first_row + row, i))
                            : static_cast<Key>(~Key{0});
  }
  Sort(storage).SortBlockedToStriped(keys, order);
#pragma unroll
  for (int item = 0; item < kTileItems; ++item) {
    const uint32_t i = begin + static_cast<uint32_t>(item) * kTileThreads + threadIdx.x;
    if (i < length) {
      keys_out[row * length + i] = keys[item];
      order_out[row * length + i] = order[item];
    }
  }
}

// Each element finds its place among eight sorted runs: in its own run it is known, in each other
// it is the number of elements that go before. Equal ones of earlier runs do, of later runs do not.
template <typename Key, bool kLast>
__global__ void merge_runs(SortJob job, int64_t first_row, uint32_t count, uint32_t run,
                           const Key* keys, const uint32_t* order, Key* keys_out,
                           uint32_t* order_out) {
  const uint32_t at = blockIdx.x * blockDim.x + threadIdx.x;
  if (at >= count) {
    return;
  }
  const auto length = static_cast<uint32_t>(job.length);
  const uint32_t row = at / length;
  const uint32_t i = at - row * length;
  const uint32_t own = i / run;
  const uint32_t first = own / kRuns * kRuns;
  const Key key = keys[at];
  const Key* row_keys = keys + row * length;
  uint32_t rank = i - own * run;
  for (uint32_t other = first; other < first + kRuns && other * run < length; ++other) {
    if (other == own) {
      continue;
    }
    uint32_t low = other * run;
    uint32_t high = min(low + run, length);
    const uint32_t begin = low;
    while (low < high) {
      const uint32_t middle = low + (high - low) / 2;
      const Key seen = row_keys[middle];
      if (seen < key || (other < own && seen == key)) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    rank += low - begin;
  }
  rank += first * run;
  if constexpr (kLast) {
    put(job, first_row + row, rank, order[at]);
  } else {
    keys_out[row * length + rank] = key;
    order_out[row * length + rank] = order[at];
  }
}

// Elements of all rows from `first_row` on, row by row.
template <typename Key>
__global__ void make_keys(SortJob job, int64_t first_row, int64_t count, Key* keys,
                          uint32_t* order) {
  const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x;
  for (int64_t at = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; at < count;
       at += step) {
    const int64_t row = at / job.length;
    keys[at] = directed_key<Key>(job, place(job, first_row + row, at - row * job.length));
    order[at] = static_cast<uint32_t>(at);
  }
}

__global__ void make_rows(int64_t length, int64_t count, const uint32_t* order, uint32_t* rows) {
  const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x;
  for (int64_t at = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; at < count;
       at += step) {
    rows[at] = static_cast<uint32_t>(order[at] / length);
  }
}

// One sorted row. Most values follow from their keys, which lie side by side; the input's do not.
template <typename Key>
__global__ void put_row(SortJob job, int64_t row, const Key* keys, const uint32_t* order) {
  const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x;
  for (int64_t rank = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
       rank < job.length; rank += step) {
    Key value{};
    if (value_of(keys[rank], job, &value)) {
      const int64_t to = place(job, row, rank);
      static_cast<Key*>(job.values)[to] = value;
      job.indices[to] = order[rank];
    } else {
      put(job, row, rank, order[rank]);
    }
  }
}

__global__ void put_all(SortJob job, int64_t first_row, int64_t count, const uint32_t* order) {
  const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x;
  for (int64_t at = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; at < count;
       at += step) {
    const int64_t row = at / job.length;
    put(job, first_row + row, at - row * job.length, order[at] - row * job.length);
  }
}

dim3 grid_for(int64_t count) {
  return dim3(static_cast<unsigned>(std::min<int64_t>((count + 255) / 256, 132 * 16)));
}

template <typename Key>
Error radix_sort(cub::DoubleBuffer<Key>* keys, cub::DoubleBuffer<uint32_t>* order, int64_t count,
                 int bits, int32_t device, cudaStream_t stream) {
  std::size_t bytes = 0;
  SHIMS_CUDA(cub::DeviceRadixSort::SortPairs(nullptr, bytes, *keys, *order, static_cast<int>(count),
                                             0, bits, stream));
  Scratch scratch;
  SHIMS_TRY(scratch.allocate(device, stream, std::max<std::size_t>(bytes, 1)));
  SHIMS_CUDA(cub::DeviceRadixSort::SortPairs(scratch.as<void>(), bytes, *keys, *order,
                                             static_cast<int>(count), 0, bits, stream));
  return Error::kOk;
}

template <typename Key>
Error sort_many(const SortJob& job, int64_t first_row, int64_t rows, int32_t device,
                cudaStream_t stream) {
  const int64_t count = rows * job.length;
  const auto elements = static_cast<std::size_t>(count);
  Scratch key_scratch;
  Scratch order_scratch;
  SHIMS_TRY(
      key_scratch.allocate(device, stream, 2 * elements * std::max(sizeof(Key), sizeof(uint32_t))));
  SHIMS_TRY(order_scratch.allocate(device, stream, 2 * elements * sizeof(uint32_t)));
  cub::DoubleBuffer<Key> keys(key_scratch.as<Key>(), key_scratch.as<Key>() + elements);
  cub::DoubleBuffer<uint32_t> order(order_scratch.as<uint32_t>(),
                                    order_scratch.as<uint32_t>() + elements);
  SHIMS_TRY(launch(make_keys<Key>, grid_for(count), dim3(256), stream, job, first_row, count,
                   keys.Current(), order.Current()));
  SHIMS_TRY(radix_sort(&keys, &order, count, static_cast<int>(8 * sizeof(Key)), device, stream));
  if (rows > 1) {
    // The keys have done their work; their memory holds the rows.
    cub::DoubleBuffer<uint32_t> row_keys(key_scratch.as<uint32_t>(),
                                         key_scratch.as<uint32_t>() + elements);
    SHIMS_TRY(launch(make_rows, grid_for(count), dim3(256), stream, job.length, count,
                     static_cast<const uint32_t*>(order.Current()), row_keys.Current()));
    SHIMS_TRY(radix_sort(&row_keys, &order, count,
                         static_cast<int>(std::bit_width(static_cast<uint64_t>(rows - 1))), device,
                         stream));
  }
  if (rows == 1) {
    return launch(put_row<Key>, grid_for(count), dim3(256), stream, job, first_row,
                  static_cast<const Key*>(keys.Current()),
                  static_cast<const uint32_t*>(order.Current()));
  }
  return launch(put_all, grid_for(count), dim3(256), stream, job, first_row, count,
                static_cast<const uint32_t*>(order.Current()));
}

template <typename Key>
Error sort_by_tiles(const SortJob& job, int64_t first_row, int64_t rows, int32_t device,
                    cudaStream_t stream) {
  const auto count = static_cast<uint32_t>(rows * job.length);
  const auto length = static_cast<uint32_t>(job.length);
  const uint32_t tiles = (length + kTile - 1) / kTile;
  Scratch key_scratch;
  Scratch order_scratch;
  SHIMS_TRY(key_scratch.allocate(device, stream, 2 * std::size_t{count} * sizeof(Key)));
  SHIMS_TRY(order_scratch.allocate(device, stream, 2 * std::size_t{count} * sizeof(uint32_t)));
  Key* keys[2] = {key_scratch.as<Key>(), key_scratch.as<Key>() + count};
  uint32_t* order[2] = {order_scratch.as<uint32_t>(), order_scratch.as<uint32_t>() + count};
  SHIMS_TRY(launch(sort_tiles<Key>, dim3(static_cast<unsigned>(rows) * tiles), dim3(kTileThreads),
                   stream, job, first_row, tiles, keys[0], order[0]));
  int now = 0;
  uint32_t run = kTile;
  for (; length > run * kRuns; run *= kRuns) {
    SHIMS_TRY(launch(merge_runs<Key, false>, dim3((count + 255) / 256), dim3(256), stream, job,
                     first_row, count, run, static_cast<const Key*>(keys[now]),
                     static_cast<const uint32_t*>(order[now]), keys[1 - now], order[1 - now]));
    now = 1 - now;
  }
  return launch(merge_runs<Key, true>, dim3((count + 255) / 256), dim3(256), stream, job, first_row,
                count, run, static_cast<const Key*>(keys[now]),
                static_cast<const uint32_t*>(order[now]), static_cast<Key*>(nullptr),
                static_cast<uint32_t*>(nullptr));
}

template <typename Key, int kThreads, int kItems>
Error launch_rows(const SortJob& job, cudaStream_t stream) {
  return launch(sort_rows<Key, kThreads, kItems>,
                dim3(static_cast<unsigned>(job.outer * job.inner)), dim3(kThreads), stream, job);
}

template <typename Key>
Error sort_keys(const SortJob& job, int32_t device, cudaStream_t stream) {
  const int64_t rows = job.outer * job.inner;
  if (rows <= INT32_MAX) {
    if (job.length <= 256) {
      return launch_rows<Key, 64, 4>(job, stream);
    }
    if (job.length <= 1024) {
      return launch_rows<Key, 256, 4>(job, stream);
    }
    if (job.length <= 4096) {
      return launch_rows<Key, 512, 8>(job, stream);
    }
  }
  // Three levels of merging cost about what a radix sort does.
  const bool by_tiles = job.length <= int64_t{kTile} * kRuns * kRuns;
  if (job.length > INT32_MAX) {
    return fail(Error::kNotSupported, "sorting rows of 2^31 elements and more");
  }
  const int64_t rows_at_once = std::max<int64_t>(1, INT32_MAX / job.length);
  for (int64_t row = 0; row < rows; row += rows_at_once) {
    const int64_t some = std::min(rows_at_once, rows - row);
    SHIMS_TRY(by_tiles ? sort_by_tiles<Key>(job, row, some, device, stream)
                       : sort_many<Key>(job, row, some, device, stream));
  }
  return Error::kOk;
}

}  // namespace sort_cu

bool can_sort(DType dtype) {
  switch (dtype) {
    case DType::kUInt8:
    case DType::kBool:
    case DType::kInt8:
    case DType::kInt16:
    case DType::kUInt16:
    case DType::kFloat16:
    case DType::kBFloat16:
    case DType::kInt32:
    case DType::kUInt32:
    case DType::kFloat32:
    case DType::kInt64:
    case DType::kUInt64:
    case DType::kFloat64:
      return true;
    default:
      return false;
  }
}

Error sort(const SortJob& job, int32_t device, cudaStream_t stream) {
  if (job.outer * job.length * job.inner == 0) {
    return Error::kOk;
  }
  switch (element_size(static_cast<int32_t>(job.dtype))) {
    case 8:
      return sort_keys<uint64_t>(job, device, stream);
    case 4:
      return sort_keys<uint32_t>(job, device, stream);
    default:
      return sort_keys<uint16_t>(job, device, stream);
  }
}

}  // namespace shims
