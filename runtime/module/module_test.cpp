#include <cstdio>
#include <executorch/extension/data_loader/buffer_data_loader.h>
#include <executorch/extension/module/module.h>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <unistd.h>

#include "runtime/executor/method_support.h"
#include "runtime/module/temporary_arena.h"
#include "runtime/testing/tensor_file_writer.h"

namespace executorch::runtime::testing {
namespace {

using extension::make_tensor_ptr;
using extension::Module;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

// A file that is there as long as the object.
class File {
 public:
  explicit File(const Bytes& bytes) {
    static int number = 0;
    path_ = ::testing::TempDir() + "module_test." + std::to_string(getpid()) + "." +
            std::to_string(number++);
    std::ofstream(path_, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
  }
  ~File() { std::remove(path_.c_str()); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

std::vector<Kernel> kernels() { return {std::begin(kTestKernels), std::end(kTestKernels)}; }

TEST(ModuleTest, LoadsWhatIsNeededWhenItIsNeeded) {
  const File file(write_program({.plans = {add_plan({1})}}));
  for (const auto mode :
       {Module::LoadMode::File, Module::LoadMode::Mmap, Module::LoadMode::MmapUseMlockIgnoreErrors,
        Module::LoadMode::MmapUseMadvise}) {
    Module module(file.path(), mode);
    EXPECT_FALSE(module.is_loaded());
    EXPECT_EQ(*module.num_methods(), 1U);
    EXPECT_TRUE(module.is_loaded());
    EXPECT_THAT(*module.method_names(), UnorderedElementsAre("forward"));
    EXPECT_FALSE(module.is_method_loaded("forward"));
    ASSERT_EQ(module.load_forward(nullptr, nullptr, nullptr, kernels()), Error::Ok);
    EXPECT_TRUE(module.is_method_loaded("forward"));
    const auto outputs = module.forward({make_tensor_ptr({1.F}), make_tensor_ptr({2.F})});
    ASSERT_TRUE(outputs.ok());
    EXPECT_THAT(floats(outputs->front()), ElementsAre(3));
    EXPECT_TRUE(module.unload_forward());
    EXPECT_FALSE(module.unload_forward());
  }
}

TEST(ModuleTest, SaysWhichFileCantBeOpened) {
  ::testing::internal::CaptureStderr();
  Module module("none.pte");
  EXPECT_EQ(module.method_names().error(), Error::AccessFailed);
  EXPECT_EQ(module.forward().error(), Error::AccessFailed);
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), HasSubstr("none.pte"));
  const File program(write_program({.plans = {add_plan({1})}}));
  Module without_data(program.path(), std::string("none.ptd"));
  EXPECT_EQ(without_data.load(), Error::AccessFailed);
  EXPECT_FALSE(without_data.is_loaded());
}

TEST(ModuleTest, InputsThatAreSetStay) {
  const File file(write_program({.plans = {add_plan({1})}}));
  Module module(file.path());
  ASSERT_EQ(module.load_forward(nullptr, nullptr, nullptr, kernels()), Error::Ok);
  EXPECT_EQ(module.forward(make_tensor_ptr({1.F})).error(), Error::InvalidArgument);
  ASSERT_EQ(module.set_input(make_tensor_ptr({5.F}), 1), Error::Ok);
  const auto sum = module.get("forward", make_tensor_ptr({1.F}));
  ASSERT_TRUE(sum.ok());
  EXPECT_THAT(floats(*sum), ElementsAre(6));
  EXPECT_THAT(floats(*module.get_output()), ElementsAre(6));
  EXPECT_EQ(module.get_output(1).error(), Error::InvalidArgument);
  EXPECT_EQ(module.get_outputs()->size(), 1U);
  const auto one = make_tensor_ptr({1.F});
  EXPECT_EQ(module.forward({one, one, one}).error(), Error::InvalidArgument);
  EXPECT_EQ(module.set_inputs({one}), Error::InvalidArgument);
  EXPECT_EQ(module.set_inputs({one, one}), Error::Ok);
  EXPECT_TRUE(module.forward().ok());
  EXPECT_EQ(module.set_output(one), Error::InvalidState);
  EXPECT_EQ(module.set_output(EValue(1.0)), Error::InvalidArgument);
  EXPECT_EQ(module.set_outputs({}), Error::InvalidArgument);
  EXPECT_EQ(module.execute("backward").error(), Error::InvalidArgument);
}

TEST(ModuleTest, SharesAProgram) {
  const File file(write_program({.plans = {add_plan({1})}}));
  Module first(file.path());
  ASSERT_EQ(first.load(), Error::Ok);
  Module second(first.program());
  EXPECT_TRUE(second.is_loaded());
  ASSERT_EQ(second.load_forward(nullptr, nullptr, nullptr, kernels()), Error::Ok);
  EXPECT_TRUE(second.forward({make_tensor_ptr({1.F}), make_tensor_ptr({2.F})}).ok());
}

TEST(ModuleTest, TakesSeveralDataFiles) {
  PlanSpec plan = add_plan({1});
  for (std::size_t i = 0; i < 2; ++i) {
    plan.values[i] = tensor_value(
        {.sizes = {1}, .extra = ExtraInfo{.name = i == 0 ? "a" : "b", .external = true}});
  }
  plan.inputs = {};
  const auto data = [](const char* name, float value) {
    return write_tensor_file({.entries = {{.key = name,
                                           .data = bytes_of<float>({value}),
                                           .layout = TensorFileLayout{.sizes = {1}}}}});
  };
  const File program(write_program({.plans = {plan}}));
  const File a(data("a", 3));
  const File b(data("b", 4));
  Module module(program.path(), std::vector<std::string>{a.path(), b.path()});
  ASSERT_EQ(module.load_forward(nullptr, nullptr, nullptr, kernels()), Error::Ok);
  const auto sum = module.get("forward");
  ASSERT_TRUE(sum.ok());
  EXPECT_THAT(floats(*sum), ElementsAre(7));
  Module twice(program.path(), std::vector<std::string>{a.path(), a.path()});
  EXPECT_EQ(twice.load(), Error::InvalidArgument);
  Module one(program.path(), a.path());
  EXPECT_EQ(one.load_forward(nullptr, nullptr, nullptr, kernels()), Error::InvalidExternalData);
}

TEST(ModuleTest, KeepsACopyOfTheBackendOptions) {
  const File file(write_program({.plans = {add_plan({1})}}));
  Module module(file.path());
  {
    BackendOptions<1> options;
    ASSERT_EQ(options.set_option("level", 5), Error::Ok);
    LoadBackendOptionsMap map;
    ASSERT_EQ(map.set_options("Some", options.view()), Error::Ok);
    ASSERT_EQ(module.load(map), Error::Ok);
  }
  const auto kept = module.backend_options().get_options("Some");
  ASSERT_EQ(kept.size(), 1U);
  EXPECT_STREQ(kept[0].key, "level");
}

TEST(TemporaryArenaTest, KeepsItsMemoryForTheNextCall) {
  extension::internal::TemporaryArena arena;
  void* first = nullptr;
  for (int call = 0; call < 3; ++call) {
    void* const a = arena.allocate(100, 64);
    void* const b = arena.allocate(1000);
    ASSERT_TRUE(a != nullptr && b != nullptr);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(a) % 64, 0U);
    std::memset(a, 1, 100);
    std::memset(b, 2, 1000);
    if (call == 1) first = a;
    if (call == 2) {
      EXPECT_EQ(a, first);
    }
    arena.reset();
  }
  EXPECT_EQ(arena.allocate(1, 3), nullptr);
  EXPECT_EQ(arena.allocate(SIZE_MAX), nullptr);
}

}  // namespace
}  // namespace executorch::runtime::testing
