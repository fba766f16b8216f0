// Where tensors have their data: arenas on devices, initial values, data files, several methods.

#include <cstdlib>
#include <cstring>
#include <executorch/extension/flat_tensor/flat_tensor_data_map.h>
#include <executorch/extension/module/module.h>
#include <executorch/runtime/core/device_allocator.h>
#include <gmock/gmock.h>
#include <set>
#include <thread>

#include "runtime/executor/method_support.h"
#include "runtime/testing/tensor_file_writer.h"

namespace executorch::runtime::testing {
namespace {

using etensor::Device;
using etensor::DeviceType;
using extension::make_tensor_ptr;
using extension::PlannedArenas;
using ::testing::ElementsAre;

// Stands for a GPU: memory of the process that only its own copies may touch, as each address is
// shifted.
class FakeDevice final : public DeviceAllocator {
 public:
  static constexpr std::uintptr_t kShift = std::uintptr_t{1} << 62;

  static FakeDevice& instance() {
    static FakeDevice device;
    static const bool registered = (register_device_allocator(&device), true);
    EXPECT_TRUE(registered);
    return device;
  }
  Result<void*> allocate(size_t nbytes, etensor::DeviceIndex index, size_t) override {
    indices.insert(index);
    ++live;
    return shifted(std::malloc(nbytes));
  }
  void deallocate(void* ptr, etensor::DeviceIndex) override {
    --live;
    std::free(real(ptr));
  }
  Error copy_host_to_device(void* dst, const void* src, size_t nbytes,
                            etensor::DeviceIndex) override {
    std::memcpy(real(dst), src, nbytes);
    return Error::Ok;
  }
  Error copy_device_to_host(void* dst, const void* src, size_t nbytes,
                            etensor::DeviceIndex) override {
    std::memcpy(dst, real(const_cast<void*>(src)), nbytes);
    return Error::Ok;
  }
  DeviceType device_type() const override { return DeviceType::CUDA; }

  std::set<int> indices;
  int live = 0;

 private:
  static void* shifted(void* address) {
    // NOLINTNEXTLINE(performance-no-int-to-ptr): no real address
    return reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(address) + kShift);
  }
  static void* real(void* address) {
    // NOLINTNEXTLINE(performance-no-int-to-ptr): no real address
    return reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(address) - kShift);
  }
};

std::vector<float> floats_on_device(const EValue& value) {
  const etensor::Tensor& tensor = value.toTensor();
  std::vector<float> copy(static_cast<std::size_t>(tensor.numel()));
  EXPECT_EQ(FakeDevice::instance().copy_device_to_host(copy.data(), tensor.const_data_ptr(),
                                                       tensor.nbytes(), 0),
            Error::Ok);
  return copy;
}

// An input, which is also the output, in buffer 2, on a device.
PlanSpec device_plan() {
  PlanSpec plan;
  plan.values = {tensor_value({.sizes = {2}, .allocation = Allocation{2, 16}})};
  plan.inputs = {0};
  plan.outputs = {0};
  plan.buffers = {16, 32};
  plan.buffer_devices = {{.buffer = 2, .type = 1, .index = 1}};
  return plan;
}

TEST(DeviceMemory, ArenasLieWhereTheProgramSays) {
  FakeDevice& device = FakeDevice::instance();
  {
    LoadedMethod method(device_plan());
    ASSERT_EQ(method.error(), Error::Ok);
    EXPECT_TRUE(method.arenas().has_device_memory());
    EXPECT_EQ(device.live, 1);
    EXPECT_EQ(device.indices.count(1), 1U);
    // A planned input on a device is copied there.
    ASSERT_EQ(method->set_input(make_tensor_ptr({1.F, 2.F}), 0), Error::Ok);
    ASSERT_EQ(method->execute(), Error::Ok);
    EXPECT_EQ(method->get_output(0).toTensor().device(), Device(DeviceType::CUDA, 1));
    EXPECT_THAT(floats_on_device(method->get_output(0)), ElementsAre(1, 2));
    // From a device to a device too.
    auto there =
        extension::clone_tensor_ptr_to(make_tensor_ptr({3.F, 4.F}), Device(DeviceType::CUDA, 0));
    ASSERT_EQ(method->set_input(there, 0), Error::Ok);
    EXPECT_THAT(floats_on_device(method->get_output(0)), ElementsAre(3, 4));
  }
  EXPECT_EQ(device.live, 0);
}

TEST(DeviceMemory, ModuleMakesItToo) {
  FakeDevice& device = FakeDevice::instance();
  {
    extension::Module module(
        std::make_unique<MemoryLoader>(write_program({.plans = {device_plan()}})));
    const auto outputs = module.forward(make_tensor_ptr({5.F, 6.F}));
    ASSERT_TRUE(outputs.ok());
    EXPECT_THAT(floats_on_device(outputs->front()), ElementsAre(5, 6));
    EXPECT_EQ(device.live, 1);
  }
  EXPECT_EQ(device.live, 0);
}

TEST(DeviceMemory, TheSameArenasCanServeAllMethods) {
  FakeDevice::instance();
  PlanSpec small = device_plan();
  small.name = "small";
  small.values = {tensor_value({.sizes = {1}, .allocation = Allocation{2, 0}})};
  small.buffers = {64, 4};
  MemoryLoader loader(write_program({.plans = {device_plan(), small}}));
  auto program = Program::load(&loader);
  ASSERT_TRUE(program.ok());
  const MethodMeta metas[] = {*program->method_meta("forward"), *program->method_meta("small")};
  auto arenas = PlannedArenas::create_common(Span<const MethodMeta>(metas));
  ASSERT_TRUE(arenas.ok());
  ASSERT_EQ((*arenas)->buffers().size(), 2U);
  EXPECT_EQ((*arenas)->buffers()[0].size(), 64U);
  EXPECT_EQ((*arenas)->buffers()[1].size(), 32U);
  extension::MallocMemoryAllocator memory;
  MemoryManager manager(&memory, (*arenas)->allocator());
  auto first = program->load_method("forward", &manager);
  auto second = program->load_method("small", &manager);
  ASSERT_TRUE(first.ok() && second.ok());
  ASSERT_EQ(second->set_input(make_tensor_ptr({9.F}), 0), Error::Ok);
  EXPECT_THAT(floats_on_device(second->get_output(0)), ElementsAre(9));
}

TEST(DeviceMemory, MemoryOnAnotherDeviceThanTheProgramSaysIsRefused) {
  MemoryLoader loader(write_program({.plans = {device_plan()}}));
  auto program = Program::load(&loader);
  std::uint8_t bytes[64];
  Span<std::uint8_t> spans[] = {{bytes, 16}, {bytes + 16, 32}};
  extension::MallocMemoryAllocator memory;
  const Device wrong[] = {Device(DeviceType::CPU), Device(DeviceType::CPU)};
  HierarchicalAllocator arenas{Span<Span<std::uint8_t>>(spans), Span<const Device>(wrong)};
  MemoryManager manager(&memory, &arenas);
  EXPECT_EQ(program->load_method("forward", &manager).error(), Error::InvalidArgument);
  const Device right[] = {Device(DeviceType::CPU), Device(DeviceType::CUDA, 1)};
  HierarchicalAllocator good{Span<Span<std::uint8_t>>(spans), Span<const Device>(right)};
  MemoryManager good_manager(&memory, &good);
  EXPECT_EQ(program->load_method("forward", &good_manager).error(), Error::Ok);
}

TEST(DeviceMemory, InitialValuesAreCopiedThere) {
  FakeDevice::instance();
  PlanSpec plan = device_plan();
  plan.values = {tensor_value({.sizes = {2}, .allocation = Allocation{2, 0}, .data = 1})};
  plan.inputs = {};
  LoadedMethod method(ProgramSpec{.plans = {plan}, .states = {bytes_of<float>({7, 8})}});
  ASSERT_EQ(method.error(), Error::Ok);
  EXPECT_THAT(floats_on_device(method->get_output(0)), ElementsAre(7, 8));
}

// total = total + x, which stays from run to run; it begins with 10.
ProgramSpec counter() {
  PlanSpec plan = add_plan({1});
  plan.values[0] = tensor_value({.sizes = {1},
                                 .allocation = Allocation{2, 0},
                                 .data = 1,
                                 .extra = ExtraInfo{.name = "total"}});
  plan.inputs = {1};
  plan.outputs = {0};
  plan.instructions = {kernel_call(0, {0, 1, 3, 0, 0})};
  plan.buffers.push_back(16);
  PlanSpec other = plan;
  other.name = "other";
  return {.plans = {plan, other}, .states = {bytes_of<float>({10})}};
}

TEST(MutableState, BeginsAsTheProgramSaysAndStays) {
  LoadedMethod method(counter());
  ASSERT_EQ(method.error(), Error::Ok);
  ASSERT_EQ(method->set_input(make_tensor_ptr({2.F}), 0), Error::Ok);
  for (const float expected : {12.F, 14.F, 16.F}) {
    ASSERT_EQ(method->execute(), Error::Ok);
    EXPECT_THAT(floats(method->get_output(0)), ElementsAre(expected));
  }
  const auto total = method->get_attribute("total");
  ASSERT_TRUE(total.ok());
  total->mutable_data_ptr<float>()[0] = 100;
  ASSERT_EQ(method->execute(), Error::Ok);
  EXPECT_THAT(floats(method->get_output(0)), ElementsAre(102));
  EXPECT_EQ(method->get_attribute("nothing").error(), Error::NotFound);
}

TEST(MutableState, IsEachMethodsOwnUnlessArenasAreShared) {
  for (const bool shared : {false, true}) {
    extension::Module module(std::make_unique<MemoryLoader>(write_program(counter())), nullptr,
                             nullptr, nullptr, nullptr, shared);
    for (const char* name : {"forward", "other"}) {
      ASSERT_EQ(module.load_method(name, nullptr, nullptr, nullptr,
                                   {std::begin(kTestKernels), std::end(kTestKernels)}),
                Error::Ok);
    }
    const auto two = make_tensor_ptr({2.F});
    ASSERT_TRUE(module.execute("forward", two).ok());
    const auto outputs = module.execute("other", two);
    ASSERT_TRUE(outputs.ok());
    EXPECT_THAT(floats(outputs->front()), ElementsAre(shared ? 14 : 12));
  }
}

// y = w + x, where w is in a data file.
PlanSpec external_plan(bool planned_there) {
  PlanSpec plan = add_plan({2});
  TensorSpec weight{.sizes = {2}, .extra = ExtraInfo{.name = "w", .external = true}};
  if (planned_there) weight.allocation = Allocation{2, 0};
  plan.values[0] = tensor_value(weight);
  plan.inputs = {1};
  plan.buffers.push_back(16);
  return plan;
}

TEST(ExternalData, IsFoundByNameAndCompared) {
  const auto load = [](bool planned_there, const TensorFileLayout& layout, const char* name = "w") {
    MemoryLoader file(
        write_tensor_file({.entries = {{.key = name, .data = Bytes(16), .layout = layout}}}));
    auto data = extension::FlatTensorDataMap::load(&file);
    EXPECT_TRUE(data.ok());
    return LoadedMethod(ProgramSpec{.plans = {external_plan(planned_there)}}, "forward", &*data)
        .error();
  };
  for (const bool planned_there : {false, true}) {
    EXPECT_EQ(load(planned_there, {.sizes = {3}}), Error::InvalidExternalData);
    EXPECT_EQ(load(planned_there, {.type = ElementType::kInt, .sizes = {2}}),
              Error::InvalidExternalData);
    EXPECT_EQ(load(planned_there, {.sizes = {2}}, "v"), Error::InvalidExternalData);
    EXPECT_EQ(LoadedMethod(ProgramSpec{.plans = {external_plan(planned_there)}}).error(),
              Error::InvalidExternalData);
    MemoryLoader file(write_tensor_file({.entries = {{.key = "w",
                                                      .data = bytes_of<float>({1, 2}),
                                                      .layout = TensorFileLayout{.sizes = {2}}}}}));
    auto data = extension::FlatTensorDataMap::load(&file);
    LoadedMethod method(ProgramSpec{.plans = {external_plan(planned_there)}}, "forward", &*data);
    ASSERT_EQ(method.error(), Error::Ok);
    ASSERT_EQ(method->set_input(make_tensor_ptr({10.F, 20.F}), 0), Error::Ok);
    ASSERT_EQ(method->execute(), Error::Ok);
    EXPECT_THAT(floats(method->get_output(0)), ElementsAre(11, 22));
  }
}

TEST(Threads, TwoMethodsOfOneProgramRunAtOnce) {
  MemoryLoader loader(write_program(counter()));
  auto program = Program::load(&loader);
  ASSERT_TRUE(program.ok());
  const auto run = [&program](const char* name, float* result) {
    extension::MallocMemoryAllocator memory;
    auto arenas = PlannedArenas::create(*program->method_meta(name));
    MemoryManager manager(&memory, (*arenas)->allocator());
    auto method = program->load_method(name, &manager, nullptr, nullptr, nullptr, kTestKernels);
    if (!method.ok()) return;
    const auto one = make_tensor_ptr({1.F});
    for (int i = 0; i < 1000; ++i) {
      if (method->set_input(one, 0) != Error::Ok || method->execute() != Error::Ok) return;
    }
    *result = method->get_output(0).toTensor().const_data_ptr<float>()[0];
  };
  float results[2] = {};
  std::thread first(run, "forward", &results[0]);
  std::thread second(run, "other", &results[1]);
  first.join();
  second.join();
  EXPECT_THAT(results, ElementsAre(1010, 1010));
}

}  // namespace
}  // namespace executorch::runtime::testing
