// Real exports that were damaged or are for another GPU: each is refused in words, and the next
// model runs. Skipped without a GPU.
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <cuda_runtime_api.h>
#include <elf.h>
#include <executorch/extension/module/module.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <unistd.h>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "backends/cuda/sha256.h"
#include "backends/cuda/testing/on_gpu.h"
#include "runtime/exports/export_files.h"

namespace executorch::backends::cuda {
namespace {

using exports::Export;
using extension::Module;
using ::testing::AnyOf;
using ::testing::HasSubstr;

constexpr const char* kModel = "1.5.1/add";

// An export's program, with its one library found in it.
class Program {
 public:
  explicit Program(const std::string& path) : bytes_(exports::read_file(path)) {
    for (std::size_t at = 0; at + sizeof(Elf64_Ehdr) <= bytes_.size(); ++at) {
      Elf64_Ehdr header;
      std::memcpy(&header, bytes_.data() + at, sizeof header);
      if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_type != ET_DYN ||
          header.e_machine != EM_X86_64) {
        continue;
      }
      begin_ = at;
      size_ = header.e_shoff + std::size_t{header.e_shnum} * header.e_shentsize;
      return;
    }
  }
  bool found() const { return size_ != 0 && begin_ + size_ <= bytes_.size(); }
  std::span<std::uint8_t> library() { return {bytes_.data() + begin_, size_}; }
  std::string hash() { return to_hex(sha256(library())); }

  /// Replaces every occurrence by something as long; says how many there were.
  std::size_t replace(const std::string& from, const std::string& to) {
    std::size_t count = 0;
    for (auto at = bytes_.begin();;) {
      at = std::search(at, bytes_.end(), from.begin(), from.end());
      if (at == bytes_.end()) return count;
      at = std::copy(to.begin(), to.end(), at);
      ++count;
    }
  }
  void save(const std::filesystem::path& path) const {
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes_.data()),
               static_cast<std::streamsize>(bytes_.size()));
  }

 private:
  Bytes bytes_;
  std::size_t begin_ = 0;
  std::size_t size_ = 0;
};

template <typename Integer>
Integer read(std::span<const std::uint8_t> bytes, std::size_t at) {
  Integer value{};
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

// Makes all device code of a library, machine code and PTX, that of another architecture.
std::size_t move_to_architecture(std::span<std::uint8_t> library, std::uint32_t to) {
  constexpr std::uint32_t kFatbin = 0xba55ed50;
  constexpr std::uint16_t kPtx = 1;
  constexpr std::size_t kArchitectureAt = 28;
  constexpr std::size_t kFlagsAt = offsetof(Elf64_Ehdr, e_flags);
  std::size_t changed = 0;
  for (std::size_t at = 0; at + 16 <= library.size(); ++at) {
    if (read<std::uint32_t>(library, at) != kFatbin) continue;
    const std::size_t end = at + 16 + read<std::uint64_t>(library, at + 8);
    for (std::size_t entry = at + 16; entry + 64 <= std::min(end, library.size());) {
      const std::size_t body = entry + read<std::uint32_t>(library, entry + 4);
      const std::size_t size = read<std::uint64_t>(library, entry + 8);
      std::memcpy(library.data() + entry + kArchitectureAt, &to, sizeof to);
      if (read<std::uint16_t>(library, entry) == kPtx) {
        const std::string digits = std::to_string(to);
        const std::string_view target = ".target sm_";
        const auto text = library.subspan(body, size);
        const auto found = std::search(text.begin(), text.end(), target.begin(), target.end());
        if (found != text.end()) {
          std::copy(digits.begin(), digits.end(),
                    found + static_cast<std::ptrdiff_t>(target.size()));
        }
      } else if (std::memcmp(library.data() + body, ELFMAG, SELFMAG) == 0) {
        // Bits 8 to 15 in the form that this compiler writes.
        library[body + kFlagsAt + 1] = static_cast<std::uint8_t>(to);
      }
      ++changed;
      entry = body + size;
    }
  }
  return changed;
}

class RefusalsOnGpu : public OnGpu {
 protected:
  void SetUp() override {
    OnGpu::SetUp();
    if (IsSkipped()) return;
    folder_ =
        std::filesystem::temp_directory_path() / ("refusals_gpu_test." + std::to_string(getpid()));
    std::filesystem::create_directory(folder_);
  }
  void TearDown() override {
    if (!folder_.empty()) std::filesystem::remove_all(folder_);
  }

  static std::string program_of(const std::string& model) {
    return exports::read_export(exports::export_folder(model)).program;
  }
  // The output of the model's first call; empty where that failed. `text` is what was said.
  static Bytes run_first(const std::string& program, std::string* text) {
    Export files = exports::read_export(exports::export_folder(kModel));
    ::testing::internal::CaptureStderr();
    std::vector<Bytes> outputs;
    {
      Module module(program, files.data);
      outputs = run(module, files.calls.front());
    }
    *text = ::testing::internal::GetCapturedStderr();
    return outputs.empty() ? Bytes() : outputs.front();
  }
  void next_model_runs() const {
    std::string text;
    const Bytes bytes = run_first(program_of(kModel), &text);
    EXPECT_EQ(bytes, exports::read_export(exports::export_folder(kModel)).calls[0].outputs[0].bytes)
        << text;
  }

  std::filesystem::path folder_;
};

TEST_F(RefusalsOnGpu, DeviceCodeForAnotherArchitecture) {
  Program program(program_of(kModel));
  ASSERT_TRUE(program.found());
  const std::string hash = program.hash();
  // No device of today has this number.
  constexpr std::uint32_t kNone = 99;
  ASSERT_GE(move_to_architecture(program.library(), kNone), 1u);
  const std::string other = program.hash();
  ASSERT_NE(hash, other);
  ASSERT_EQ(program.replace(hash, other), 2u) << "the payload's key, and that of the data";
  const auto path = folder_ / "other.pte";
  program.save(path);
  std::string text;
  EXPECT_TRUE(run_first(path, &text).empty());
  EXPECT_THAT(text, AnyOf(HasSubstr("no kernel image"), HasSubstr("no binary"))) << text;
  next_model_runs();
}

TEST_F(RefusalsOnGpu, ALibraryThatIsNotTheOneThatWasExported) {
  Program program(program_of(kModel));
  ASSERT_TRUE(program.found());
  const std::string hash = program.hash();
  program.library()[program.library().size() / 2] ^= 1;
  const auto path = folder_ / "changed.pte";
  program.save(path);
  std::string text;
  EXPECT_TRUE(run_first(path, &text).empty());
  EXPECT_THAT(text, HasSubstr(hash.substr(0, 16))) << "what it should be";
  EXPECT_THAT(text, HasSubstr(program.hash().substr(0, 16))) << "what it is";
  next_model_runs();
}

TEST_F(RefusalsOnGpu, AFileThatEndsInTheMiddleOfTheLibrary) {
  const auto path = folder_ / "cut.pte";
  std::filesystem::copy_file(program_of(kModel), path);
  std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);
  std::string text;
  EXPECT_TRUE(run_first(path, &text).empty());
  EXPECT_THAT(text, HasSubstr("in a file of " + std::to_string(std::filesystem::file_size(path))));
  next_model_runs();
}

}  // namespace
}  // namespace executorch::backends::cuda
