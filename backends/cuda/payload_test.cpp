#include "backends/cuda/payload.h"

#include "gtest/gtest.h"

#include "backends/cuda/sha256.h"
#include "backends/cuda/testing/payload_writer.h"

namespace executorch::backends::cuda {
namespace {

using runtime::Error;
using testing::Bytes;
using testing::manifest;

std::span<const std::uint8_t> bytes_of(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

ConstantEntry weight() { return {"layer.w", "key", 24, 6, true, 0, {2, 3}, {3, 1}}; }

TEST(Payload, EmptyNamesDataByTheMethod) {
  Payload payload;
  ASSERT_EQ(parse_payload({}, "prefill", &payload), Error::Ok);
  ASSERT_EQ(payload.libraries.size(), 1u);
  EXPECT_EQ(payload.libraries[0].key, "prefill_so_blob");
  EXPECT_EQ(payload.weights_key, "prefill_weights_blob");
  EXPECT_FALSE(payload.has_manifest);
  ASSERT_EQ(parse_payload({}, "", &payload), Error::Ok);
  EXPECT_EQ(payload.libraries[0].key, "so_blob");
  EXPECT_EQ(payload.weights_key, "weights_blob");
}

TEST(Payload, TwoLinesNameBoth) {
  Payload payload;
  ASSERT_EQ(parse_payload(bytes_of("aa_so_blob\nbb_weights_blob"), "forward", &payload), Error::Ok);
  EXPECT_EQ(payload.libraries[0].key, "aa_so_blob");
  EXPECT_EQ(payload.weights_key, "bb_weights_blob");
}

TEST(Payload, OneLineOrAnEmptyOneIsRefused) {
  Payload payload;
  for (const char* text : {"aa_so_blob", "\nbb", "aa\n", "aa\nbb\ncc", "a\x01\nbb"}) {
    EXPECT_EQ(parse_payload(bytes_of(text), "forward", &payload), Error::InvalidProgram) << text;
  }
}

TEST(Payload, ManifestOfOneLibrary) {
  Payload payload;
  ConstantEntry view{"tail", "key", 24, 6, true, 2, {2}, {2}};
  ConstantEntry on_host{"cpu", "other", 8, 4, false, 0, {}, {}};
  ASSERT_EQ(parse_payload(manifest("lib", {weight(), view, on_host}), "x", &payload), Error::Ok);
  EXPECT_TRUE(payload.has_manifest);
  EXPECT_EQ(payload.libraries[0].key, "lib");
  ASSERT_EQ(payload.constants.size(), 3u);
  EXPECT_EQ(payload.constants[0].fqn, "layer.w");
  EXPECT_EQ(payload.constants[0].storage_bytes, 24u);
  EXPECT_EQ(payload.constants[0].strides, (std::vector<std::int64_t>{3, 1}));
  EXPECT_TRUE(payload.constants[0].on_device);
  EXPECT_EQ(payload.constants[1].storage_offset, 2);
  EXPECT_FALSE(payload.constants[2].on_device);
}

TEST(Payload, EveryShorterManifestIsRefused) {
  const Bytes whole = manifest("lib", {weight()});
  Payload payload;
  for (std::size_t size = 10; size < whole.size(); ++size) {
    EXPECT_EQ(parse_payload({whole.data(), size}, "x", &payload), Error::InvalidProgram) << size;
  }
  Bytes longer = whole;
  longer.push_back(0);
  EXPECT_EQ(parse_payload(longer, "x", &payload), Error::InvalidProgram);
}

TEST(Payload, ViewsBeyondTheirStorageAreRefused) {
  const auto refused = [](auto change) {
    ConstantEntry entry = weight();
    change(entry);
    Payload payload;
    return parse_payload(manifest("lib", {entry}), "x", &payload);
  };
  EXPECT_EQ(refused([](auto& e) { e.storage_bytes = 23; }), Error::InvalidProgram);
  EXPECT_EQ(refused([](auto& e) { e.storage_offset = 1; }), Error::InvalidProgram);
  EXPECT_EQ(refused([](auto& e) { e.storage_offset = -1; }), Error::InvalidProgram);
  EXPECT_EQ(refused([](auto& e) { e.strides[0] = -3; }), Error::InvalidProgram);
  EXPECT_EQ(refused([](auto& e) { e.sizes[0] = -1; }), Error::InvalidProgram);
  EXPECT_EQ(refused([](auto& e) {
              e.strides[0] = INT64_MAX;
              e.sizes[0] = 5;
            }),
            Error::InvalidProgram);
  EXPECT_EQ(refused([](auto& e) { e.storage_offset = INT64_MAX; }), Error::InvalidProgram);
  EXPECT_EQ(refused([](auto& e) { e.fqn = ""; }), Error::InvalidProgram);
  EXPECT_EQ(refused([](auto& e) { e.dtype = 99; }), Error::NotSupported);
  EXPECT_EQ(refused([](auto& e) {
              e.sizes[1] = 0;
              e.storage_bytes = 0;
            }),
            Error::Ok);
}

TEST(Payload, UnknownManifestIsRefusedByName) {
  for (const char* text : {"ETCUDAFQN1rest", "ETCUDAFQN2rest", "ETCUDAFQN9"}) {
    Payload payload;
    ::testing::internal::CaptureStderr();
    EXPECT_EQ(parse_payload(bytes_of(text), "x", &payload), Error::NotSupported);
    EXPECT_NE(::testing::internal::GetCapturedStderr().find(std::string(text, 10)),
              std::string::npos);
  }
}

std::string chosen(std::vector<LibraryVariant> libraries, std::uint32_t sm) {
  Payload payload;
  if (parse_payload(manifest(libraries, {}), "x", &payload) != Error::Ok) return "unreadable";
  const LibraryVariant* one = nullptr;
  if (choose_library(payload, sm, &one) != Error::Ok) return "none";
  return one->key;
}

TEST(Payload, LibraryIsChosenByArchitecture) {
  const LibraryVariant a80{80, 0, false, "a80"}, a90{90, 90, false, "a90"}, any{0, 0, false, "any"},
      fallback{80, 80, true, "ptx"};
  EXPECT_EQ(chosen({any}, 90), "any");
  EXPECT_EQ(chosen({a80, a90}, 90), "a90");
  EXPECT_EQ(chosen({a80, a90}, 100), "none");
  EXPECT_EQ(chosen({a90}, 100), "a90");
  EXPECT_EQ(chosen({a80}, 100), "none");
  EXPECT_EQ(chosen({a90, fallback}, 89), "ptx");
  EXPECT_EQ(chosen({a90, fallback}, 75), "none");
  EXPECT_EQ(chosen({fallback, a80}, 80), "a80");
  EXPECT_EQ(chosen({}, 90), "unreadable");
  EXPECT_EQ(chosen({{80, 90, false, "newer"}}, 90), "unreadable");
}

TEST(Sha256, KnownDigests) {
  EXPECT_EQ(to_hex(sha256({})), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(to_hex(sha256(bytes_of("abc"))),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(to_hex(sha256(bytes_of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"))),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(to_hex(sha256(bytes_of(std::string(1000000, 'a')))),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

}  // namespace
}  // namespace executorch::backends::cuda
