#include <cstring>
#include <executorch/extension/data_loader/buffer_data_loader.h>
#include <executorch/extension/data_loader/file_data_loader.h>
#include <executorch/extension/data_loader/mmap_data_loader.h>
#include <executorch/extension/data_loader/shared_ptr_data_loader.h>
#include <fcntl.h>
#include <fstream>
#include <memory>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace executorch::extension {
namespace {

using runtime::DataLoader;
using runtime::Error;
using runtime::FreeableBuffer;
using Type = DataLoader::SegmentInfo::Type;

// Three pages and a bit, every position with a byte of its own.
std::string contents() {
  std::string bytes(3 * 4096 + 100, '\0');
  for (size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<char>(i * 31 + i / 256);
  }
  return bytes;
}

class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& bytes) {
    path_ = ::testing::TempDir() + "data_loader_test_XXXXXX";
    const int fd = mkstemp(path_.data());
    EXPECT_GE(fd, 0);
    EXPECT_EQ(write(fd, bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
    close(fd);
  }
  ~TemporaryFile() { unlink(path_.c_str()); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  const char* path() const { return path_.c_str(); }

 private:
  std::string path_;
};

struct Kind {
  const char* name;
  std::unique_ptr<DataLoader> (*make)(const std::string& bytes, const char* path);
};

template <MmapDataLoader::MlockConfig config>
std::unique_ptr<DataLoader> make_mmap(const std::string&, const char* path) {
  auto loader = MmapDataLoader::from(path, config);
  EXPECT_TRUE(loader.ok());
  return std::make_unique<MmapDataLoader>(std::move(*loader));
}

const Kind kKinds[] = {
    {"buffer",
     [](const std::string& bytes, const char*) -> std::unique_ptr<DataLoader> {
       return std::make_unique<BufferDataLoader>(bytes.data(), bytes.size());
     }},
    {"shared",
     [](const std::string& bytes, const char*) -> std::unique_ptr<DataLoader> {
       auto copy = std::make_shared<std::string>(bytes);
       std::shared_ptr<void> data(copy, copy->data());
       return std::make_unique<SharedPtrDataLoader>(std::move(data), copy->size());
     }},
    {"file",
     [](const std::string&, const char* path) -> std::unique_ptr<DataLoader> {
       auto loader = FileDataLoader::from(path);
       EXPECT_TRUE(loader.ok());
       return std::make_unique<FileDataLoader>(std::move(*loader));
     }},
    {"mmap", make_mmap<MmapDataLoader::MlockConfig::NoMlock>},
    {"mmap_ignoring_mlock", make_mmap<MmapDataLoader::MlockConfig::UseMlockIgnoreErrors>},
    {"mmap_madvise", make_mmap<MmapDataLoader::MlockConfig::UseMadvise>},
};

// What every loader does.
class DataLoaderTest : public ::testing::TestWithParam<Kind> {
 protected:
  std::string bytes_ = contents();
  TemporaryFile file_{bytes_};
  std::unique_ptr<DataLoader> loader_ = GetParam().make(bytes_, file_.path());
  DataLoader::SegmentInfo info_{Type::Program};
};

INSTANTIATE_TEST_SUITE_P(Kinds, DataLoaderTest, ::testing::ValuesIn(kKinds),
                         [](const auto& kind) { return std::string(kind.param.name); });

TEST_P(DataLoaderTest, EveryRangeHoldsItsBytes) {
  EXPECT_EQ(*loader_->size(), bytes_.size());
  for (const size_t offset : {size_t{0}, size_t{1}, size_t{4095}, size_t{4096}, size_t{5000}}) {
    for (const size_t size : {size_t{1}, size_t{100}, size_t{4096}, bytes_.size() - offset}) {
      const auto buffer = loader_->load(offset, size, info_);
      ASSERT_TRUE(buffer.ok());
      ASSERT_EQ(buffer->size(), size);
      EXPECT_EQ(std::memcmp(buffer->data(), bytes_.data() + offset, size), 0);
      std::string copy(size, '\0');
      EXPECT_EQ(loader_->load_into(offset, size, info_, copy.data()), Error::Ok);
      EXPECT_EQ(copy, bytes_.substr(offset, size));
    }
  }
}

TEST_P(DataLoaderTest, NothingIsANullBuffer) {
  for (const size_t offset : {size_t{0}, size_t{10}, bytes_.size()}) {
    const auto buffer = loader_->load(offset, 0, info_);
    ASSERT_TRUE(buffer.ok());
    EXPECT_EQ(buffer->data(), nullptr);
    EXPECT_EQ(buffer->size(), 0u);
    EXPECT_EQ(loader_->load_into(offset, 0, info_, nullptr), Error::Ok);
  }
}

TEST_P(DataLoaderTest, WhatLiesOutsideIsRefused) {
  char byte = 0;
  const size_t size = bytes_.size();
  const std::pair<size_t, size_t> ranges[] = {{size, 1},     {0, size + 1}, {size + 1, 0},
                                              {SIZE_MAX, 2}, {2, SIZE_MAX}, {SIZE_MAX, SIZE_MAX}};
  for (const auto& [offset, length] : ranges) {
    EXPECT_EQ(loader_->load(offset, length, info_).error(), Error::InvalidArgument);
    EXPECT_EQ(loader_->load_into(offset, length, info_, &byte), Error::InvalidArgument);
  }
  EXPECT_EQ(loader_->load_into(0, 1, info_, nullptr), Error::InvalidArgument);
}

TEST_P(DataLoaderTest, SeveralBuffersLiveAtOnce) {
  auto first = loader_->load(10, 5000, info_);
  auto second = loader_->load(20, 5000, info_);
  ASSERT_TRUE(first.ok() && second.ok());
  first->Free();
  EXPECT_EQ(std::memcmp(second->data(), bytes_.data() + 20, 5000), 0);
}

TEST(FileDataLoaderTest, BuffersAreAligned) {
  const TemporaryFile file(contents());
  auto loader = FileDataLoader::from(file.path(), 256);
  ASSERT_TRUE(loader.ok());
  const auto buffer = loader->load(7, 11, DataLoader::SegmentInfo(Type::Constant));
  ASSERT_TRUE(buffer.ok());
  EXPECT_EQ(reinterpret_cast<uintptr_t>(buffer->data()) % 256, 0u);
  EXPECT_EQ(FileDataLoader::from(file.path(), 3).error(), Error::InvalidArgument);
  EXPECT_EQ(FileDataLoader::from(file.path(), 0).error(), Error::InvalidArgument);
  EXPECT_TRUE(FileDataLoader::from(file.path(), 1).ok());
}

TEST(FileDataLoaderTest, AFileThatShrankIsAccessFailed) {
  const TemporaryFile file(contents());
  auto loader = FileDataLoader::from(file.path());
  ASSERT_TRUE(loader.ok());
  ASSERT_EQ(truncate(file.path(), 10), 0);
  EXPECT_EQ(loader->load(0, 100, DataLoader::SegmentInfo(Type::Program)).error(),
            Error::AccessFailed);
}

TEST(FileDataLoaderTest, AMovedFromLoaderSaysSo) {
  const TemporaryFile file("abc");
  auto loader = FileDataLoader::from(file.path());
  ASSERT_TRUE(loader.ok());
  const FileDataLoader taken(std::move(*loader));
  EXPECT_EQ(*taken.size(), 3u);
  EXPECT_EQ(loader->size().error(), Error::InvalidState);
}

template <typename Loader>
class OpeningTest : public ::testing::Test {};
using FileLoaders = ::testing::Types<FileDataLoader, MmapDataLoader>;
TYPED_TEST_SUITE(OpeningTest, FileLoaders);

TYPED_TEST(OpeningTest, OnlyRegularFilesAreOpened) {
  EXPECT_EQ(TypeParam::from("none.pte").error(), Error::AccessFailed);
  EXPECT_EQ(TypeParam::from("/").error(), Error::AccessFailed);
  EXPECT_EQ(TypeParam::from("/dev/null").error(), Error::AccessFailed);
  EXPECT_EQ(TypeParam::from(nullptr).error(), Error::InvalidArgument);
}

TYPED_TEST(OpeningTest, AnEmptyFileHasNothing) {
  const TemporaryFile file("");
  const auto loader = TypeParam::from(file.path());
  ASSERT_TRUE(loader.ok());
  EXPECT_EQ(*loader->size(), 0u);
  EXPECT_TRUE(loader->load(0, 0, DataLoader::SegmentInfo(Type::Program)).ok());
}

// A loader that does only what it must.
class MinimalLoader final : public DataLoader {
 public:
  runtime::Result<FreeableBuffer> load(size_t, size_t, const SegmentInfo&) const override {
    return Error::NotFound;
  }
  runtime::Result<size_t> size() const override { return size_t{0}; }
};

TEST(DataLoaderDefaultTest, LoadIntoIsNotImplemented) {
  char byte = 0;
  EXPECT_EQ(MinimalLoader().load_into(0, 1, DataLoader::SegmentInfo(), &byte),
            Error::NotImplemented);
}

}  // namespace
}  // namespace executorch::extension
