#include <executorch/runtime/backend/backend_init_context.h>
#include <executorch/runtime/backend/backend_options_map.h>
#include <executorch/runtime/backend/options.h>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace executorch::runtime {
namespace {

TEST(BackendOptionsTest, ValuesComeBackInTheirType) {
  BackendOptions<3> options;
  EXPECT_EQ(options.set_option("flag", true), Error::Ok);
  EXPECT_EQ(options.set_option("number", 7), Error::Ok);
  EXPECT_EQ(options.set_option("text", "hello"), Error::Ok);
  bool flag = false;
  int number = 0;
  const char* text = nullptr;
  EXPECT_EQ(options.get_option("flag", flag), Error::Ok);
  EXPECT_EQ(options.get_option("number", number), Error::Ok);
  EXPECT_EQ(options.get_option("text", text), Error::Ok);
  EXPECT_TRUE(flag);
  EXPECT_EQ(number, 7);
  EXPECT_STREQ(text, "hello");
  EXPECT_EQ(options.get_option("flag", number), Error::InvalidArgument);
  EXPECT_EQ(options.get_option("number", text), Error::InvalidArgument);
  EXPECT_EQ(options.get_option("other", number), Error::NotFound);
}

TEST(BackendOptionsTest, AKeyIsReplacedAndRoomIsLimited) {
  BackendOptions<1> options;
  EXPECT_EQ(options.set_option("a", 1), Error::Ok);
  EXPECT_EQ(options.set_option("a", "now a string"), Error::Ok);
  EXPECT_EQ(options.set_option("b", 1), Error::InvalidArgument);
  EXPECT_EQ(options.view().size(), 1u);
  EXPECT_STREQ(options.view()[0].key, "a");
}

TEST(BackendOptionsTest, ALongStringIsCut) {
  BackendOptions<1> options;
  EXPECT_EQ(options.set_option("a", std::string(500, 'x').c_str()), Error::Ok);
  const char* text = nullptr;
  EXPECT_EQ(options.get_option("a", text), Error::Ok);
  EXPECT_EQ(std::string(text), std::string(kMaxOptionValueLength - 1, 'x'));
}

struct Builder {
  const char* backend_id() const { return "built"; }
  Span<BackendOption> view() { return options.view(); }
  BackendOptions<1> options;
};

TEST(LoadBackendOptionsMapTest, OptionsBelongToTheirBackend) {
  BackendOptions<2> first;
  ASSERT_EQ(first.set_option("a", 1), Error::Ok);
  LoadBackendOptionsMap map;
  EXPECT_EQ(map.set_options("one", first.view()), Error::Ok);
  Builder builder;
  EXPECT_EQ(map.set_options(builder), Error::Ok);
  EXPECT_EQ(map.size(), 2u);
  EXPECT_TRUE(map.has_options("one"));
  EXPECT_FALSE(map.has_options("three"));
  EXPECT_FALSE(map.has_options(nullptr));
  EXPECT_EQ(map.get_options("one").size(), 1u);
  EXPECT_TRUE(map.get_options("built").empty());
  EXPECT_TRUE(map.get_options(nullptr).empty());
  EXPECT_STREQ(map.entry_at(1).backend_id, "built");
  EXPECT_EQ(map.set_options("one", {}), Error::Ok);
  EXPECT_EQ(map.size(), 2u);
  EXPECT_TRUE(map.get_options("one").empty());
}

TEST(LoadBackendOptionsMapTest, WhatDoesNotFitIsRefused) {
  LoadBackendOptionsMap map;
  EXPECT_EQ(map.set_options(nullptr, {}), Error::InvalidArgument);
  EXPECT_EQ(map.set_options("", {}), Error::InvalidArgument);
  EXPECT_EQ(map.set_options(std::string(64, 'x').c_str(), {}), Error::InvalidArgument);
  EXPECT_EQ(map.set_options(std::string(63, 'x').c_str(), {}), Error::Ok);
  for (int i = 1; i < 8; ++i) {
    EXPECT_EQ(map.set_options(std::to_string(i).c_str(), {}), Error::Ok);
  }
  EXPECT_EQ(map.set_options("ninth", {}), Error::InvalidArgument);
}

TEST(BackendInitContextTest, SpecsAreReadByType) {
  BackendOptions<2> options;
  ASSERT_EQ(options.set_option("text", "hello"), Error::Ok);
  ASSERT_EQ(options.set_option("flag", true), Error::Ok);
  const Span<BackendOption> view = options.view();
  const BackendInitContext context(nullptr, nullptr, "forward", nullptr,
                                   Span<const BackendOption>(view.data(), view.size()));
  EXPECT_STREQ(*context.get_runtime_spec<const char*>("text"), "hello");
  EXPECT_TRUE(*context.get_runtime_spec<bool>("flag"));
  EXPECT_EQ(context.get_runtime_spec<int>("flag").error(), Error::InvalidArgument);
  EXPECT_EQ(context.get_runtime_spec<int>("none").error(), Error::NotFound);
  EXPECT_STREQ(context.get_method_name(), "forward");
}

}  // namespace
}  // namespace executorch::runtime
