#include "backends/cuda/payload.h"

#include <algorithm>
#include <cinttypes>
#include <cstring>
#include <type_traits>

#include "backends/cuda/element_type.h"
#include "backends/cuda/refusal.h"

namespace executorch::backends::cuda {
namespace {

constexpr std::string_view kManifest = "ETCUDAFQN";
constexpr std::uint32_t kMostConstants = 1u << 20;
constexpr std::uint32_t kMostLibraries = 256;
constexpr std::uint32_t kMostDimensions = 64;
constexpr std::uint32_t kLongestName = 1u << 16;

// Little-endian numbers and counted texts, one behind the other.
class Reader {
 public:
  explicit Reader(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

  std::size_t offset() const { return offset_; }
  std::size_t left() const { return bytes_.size() - offset_; }
  bool skip(std::size_t count) {
    if (count > left()) return false;
    offset_ += count;
    return true;
  }
  template <typename T>
  bool number(T* ret) {
    if (left() < sizeof(T)) return false;
    std::make_unsigned_t<T> value = 0;
    for (std::size_t i = 0; i < sizeof(T); ++i) {
      value |= static_cast<std::make_unsigned_t<T>>(
          static_cast<std::make_unsigned_t<T>>(bytes_[offset_ + i]) << (8 * i));
    }
    *ret = static_cast<T>(value);
    offset_ += sizeof(T);
    return true;
  }
  bool text(std::string* ret) {
    std::uint32_t size = 0;
    if (!number(&size) || size > kLongestName || size > left()) return false;
    ret->assign(reinterpret_cast<const char*>(bytes_.data()) + offset_, size);
    offset_ += size;
    return true;
  }
  template <typename T>
  bool numbers(std::uint32_t count, std::vector<T>* ret) {
    if (left() / sizeof(T) < count) return false;
    ret->resize(count);
    return std::all_of(ret->begin(), ret->end(), [this](T& value) { return number(&value); });
  }

 private:
  std::span<const std::uint8_t> bytes_;
  std::size_t offset_ = 0;
};

Error cut_short(const Reader& reader, const char* what) {
  REFUSE(InvalidProgram, "the payload ends, or has a length out of range, at byte %zu, in %s",
         reader.offset(), what);
}

// A name that can be looked up, and printed.
bool is_name(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(),
                                      [](char c) { return static_cast<unsigned char>(c) >= 0x20; });
}

// Bytes from the start of the storage to the end of the view; false when that is no number.
bool view_bytes(const ConstantEntry& entry, std::uint64_t* ret) {
  if (std::find(entry.sizes.begin(), entry.sizes.end(), 0) != entry.sizes.end()) {
    *ret = 0;
    return true;
  }
  std::int64_t last = entry.storage_offset;
  for (std::size_t i = 0; i < entry.sizes.size(); ++i) {
    std::int64_t step = 0;
    if (__builtin_mul_overflow(entry.sizes[i] - 1, entry.strides[i], &step) ||
        __builtin_add_overflow(last, step, &last)) {
      return false;
    }
  }
  std::uint64_t elements = 0;
  return !__builtin_add_overflow(static_cast<std::uint64_t>(last), 1u, &elements) &&
         !__builtin_mul_overflow(elements, element_bytes(entry.dtype), ret);
}

Error check(const ConstantEntry& entry) {
  const char* const fqn = entry.fqn.c_str();
  if (element_bytes(entry.dtype) == 0) {
    REFUSE(NotSupported, "constant '%s' has elements of type %" PRId32 ", which is not known", fqn,
           entry.dtype);
  }
  const auto negative = [](std::int64_t value) { return value < 0; };
  std::uint64_t bytes = 0;
  if (entry.storage_offset < 0 || std::any_of(entry.sizes.begin(), entry.sizes.end(), negative) ||
      std::any_of(entry.strides.begin(), entry.strides.end(), negative) ||
      !view_bytes(entry, &bytes) || bytes > entry.storage_bytes) {
    REFUSE(InvalidProgram, "constant '%s' reaches beyond its storage '%s' of %" PRIu64 " bytes",
           fqn, entry.storage_key.c_str(), entry.storage_bytes);
  }
  return Error::Ok;
}

Error read_constant(Reader& reader, ConstantEntry* entry) {
  std::int32_t device = 0;
  std::uint32_t dimensions = 0;
  if (!reader.text(&entry->fqn) || !reader.text(&entry->storage_key) ||
      !reader.number(&entry->storage_bytes) || !reader.number(&entry->dtype) ||
      !reader.number(&device) || !reader.number(&entry->storage_offset) ||
      !reader.number(&dimensions) || dimensions > kMostDimensions ||
      !reader.numbers(dimensions, &entry->sizes) || !reader.numbers(dimensions, &entry->strides)) {
    return cut_short(reader, "the list of constants");
  }
  if (!is_name(entry->fqn) || !is_name(entry->storage_key) || device < 0 || device > 1) {
    REFUSE(InvalidProgram, "a constant before byte %zu has no usable name or device",
           reader.offset());
  }
  entry->on_device = device == 1;
  return check(*entry);
}

Error read_constants(Reader& reader, std::vector<ConstantEntry>* ret) {
  std::uint32_t count = 0;
  // The smallest entry: two empty texts and the numbers.
  constexpr std::size_t kLeast = 4 + 4 + 8 + 4 + 4 + 8 + 4;
  if (!reader.number(&count) || count > kMostConstants || count > reader.left() / kLeast) {
    return cut_short(reader, "the number of constants");
  }
  ret->resize(count);
  for (ConstantEntry& entry : *ret) OK_OR_RETURN(read_constant(reader, &entry));
  if (reader.left() != 0) {
    REFUSE(InvalidProgram, "%zu bytes follow the manifest, at byte %zu", reader.left(),
           reader.offset());
  }
  return Error::Ok;
}

Error read_libraries(Reader& reader, std::vector<LibraryVariant>* ret) {
  std::uint32_t count = 0;
  if (!reader.number(&count) || count == 0 || count > kMostLibraries) {
    return cut_short(reader, "the number of libraries");
  }
  ret->resize(count);
  for (LibraryVariant& library : *ret) {
    std::uint32_t flags = 0;
    if (!reader.number(&library.target_sm) || !reader.number(&library.ptx_compute) ||
        !reader.number(&flags) || !reader.text(&library.key) || !is_name(library.key)) {
      return cut_short(reader, "the list of libraries");
    }
    if (library.ptx_compute > library.target_sm && library.target_sm != 0) {
      REFUSE(InvalidProgram, "library '%s' for sm_%" PRIu32 " holds newer PTX, of compute_%" PRIu32,
             library.key.c_str(), library.target_sm, library.ptx_compute);
    }
    library.fallback_only = (flags & 1u) != 0;
  }
  return Error::Ok;
}

Error read_manifest(std::span<const std::uint8_t> bytes, Payload* ret) {
  Reader reader(bytes);
  static_cast<void>(reader.skip(kManifest.size()));
  std::uint8_t form = 0;
  if (!reader.number(&form)) return cut_short(reader, "the manifest's form");
  ret->has_manifest = true;
  if (form == '3') {
    LibraryVariant only;
    if (!reader.text(&only.key) || !is_name(only.key)) {
      return cut_short(reader, "the library's name");
    }
    ret->libraries.push_back(std::move(only));
  } else if (form == '0') {
    OK_OR_RETURN(read_libraries(reader, &ret->libraries));
  } else {
    const bool printable = form > 0x20 && form < 0x7f;
    REFUSE(
        NotSupported,
        "the payload is an ETCUDAFQN%c manifest; ETCUDAFQN3 and ETCUDAFQN0 can be read. Export the "
        "program with ExecuTorch 1.5",
        printable ? static_cast<char>(form) : '?');
  }
  return read_constants(reader, &ret->constants);
}

Error read_names(std::string_view text, Payload* ret) {
  const std::size_t line_end = text.find('\n');
  if (line_end == std::string_view::npos) {
    REFUSE(InvalidProgram,
           "the payload of %zu bytes is neither a manifest nor the names of a library and of its "
           "weights, one on each of two lines",
           text.size());
  }
  const std::string_view library = text.substr(0, line_end);
  const std::string_view weights = text.substr(line_end + 1);
  if (!is_name(library) || !is_name(weights) || text.size() > kLongestName) {
    REFUSE(InvalidProgram, "one of the payload's two lines (%zu and %zu bytes) is not a name",
           library.size(), weights.size());
  }
  ret->libraries.push_back({0, 0, false, std::string(library)});
  ret->weights_key = weights;
  return Error::Ok;
}

}  // namespace

Error parse_payload(std::span<const std::uint8_t> bytes, std::string_view method_name,
                    Payload* ret) {
  *ret = {};
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (text.empty()) {
    const std::string prefix = method_name.empty() ? std::string() : std::string(method_name) + "_";
    ret->libraries.push_back({0, 0, false, prefix + "so_blob"});
    ret->weights_key = prefix + "weights_blob";
    return Error::Ok;
  }
  if (text.starts_with(kManifest)) return read_manifest(bytes, ret);
  return read_names(text, ret);
}

Error choose_library(const Payload& payload, std::uint32_t sm, const LibraryVariant** ret) {
  const auto& all = payload.libraries;
  const auto take = [&](auto fits) {
    const auto found = std::find_if(all.begin(), all.end(), fits);
    if (found == all.end()) return false;
    *ret = &*found;
    return true;
  };
  if (all.size() == 1 && all[0].target_sm == 0) {
    *ret = &all[0];
    return Error::Ok;
  }
  if (take([&](const LibraryVariant& one) { return one.target_sm == sm && !one.fallback_only; }) ||
      take([&](const LibraryVariant& one) { return one.target_sm == sm; }) ||
      take([&](const LibraryVariant& one) {
        return one.ptx_compute != 0 && one.ptx_compute <= sm &&
               (one.fallback_only || all.size() == 1);
      })) {
    return Error::Ok;
  }
  std::string have;
  for (const LibraryVariant& one : all) have += " sm_" + std::to_string(one.target_sm);
  REFUSE(NotSupported, "the program holds libraries for%s, and this device is sm_%" PRIu32,
         have.c_str(), sm);
}

}  // namespace executorch::backends::cuda
