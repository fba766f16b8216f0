// Delegates: what a backend is given, when it is called, and in which order delegates end.

#include <executorch/extension/flat_tensor/flat_tensor_data_map.h>
#include <executorch/runtime/backend/interface.h>
#include <gmock/gmock.h>

#include "runtime/executor/method_support.h"
#include "runtime/testing/recording_tracer.h"
#include "runtime/testing/tensor_file_writer.h"

namespace executorch::runtime::testing {
namespace {

using extension::make_tensor_ptr;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Notes what is asked of it. A delegate multiplies by the first byte of its data.
class RecordingBackend final : public BackendInterface {
 public:
  struct Delegate {
    int number;
    float factor;
  };

  bool is_available() const override { return available; }
  Result<DelegateHandle*> init(BackendInitContext& context, FreeableBuffer* processed,
                               ArrayRef<CompileSpec> specs) const override {
    const std::string data(static_cast<const char*>(processed->data()), processed->size());
    std::string text = std::string("init ") + context.get_method_name() + " '" + data + "'";
    for (const CompileSpec& spec : specs) {
      text += std::string(" ") + spec.key + "=" +
              std::string(static_cast<const char*>(spec.value.buffer), spec.value.nbytes);
    }
    const auto level = context.get_runtime_spec<int>("level");
    if (level.ok()) text += " level=" + std::to_string(*level);
    if (context.get_named_data_map() != nullptr) {
      for (const char* key : {"shared", "program", "nowhere"}) {
        const auto blob = context.get_named_data_map()->get_data(key);
        text += std::string(" ") + key + ":";
        if (blob.ok()) text += std::string(static_cast<const char*>(blob->data()), blob->size());
      }
    }
    log.push_back(text);
    if (data == "bad") return Error::DelegateInvalidCompatibility;
    auto* const delegate = context.get_runtime_allocator()->allocateInstance<Delegate>();
    *delegate = {next++, data.empty() ? 1.F : static_cast<float>(data[0] - '0')};
    return delegate;
  }
  Error execute(BackendExecutionContext& context, DelegateHandle* handle,
                Span<EValue*> args) const override {
    if (context.allocate(64) == nullptr) return Error::MemoryAllocationFailed;
    const auto* const delegate = static_cast<Delegate*>(handle);
    const auto& in = args[0]->toTensor();
    const auto& out = args[1]->toTensor();
    for (ssize_t i = 0; i < in.numel(); ++i) {
      out.mutable_data_ptr<float>()[i] = delegate->factor * in.const_data_ptr<float>()[i];
    }
    return failure;
  }
  void destroy(DelegateHandle* handle) const override {
    log.push_back("destroy " + std::to_string(static_cast<Delegate*>(handle)->number));
  }

  mutable std::vector<std::string> log;
  mutable int next = 0;
  bool available = true;
  Error failure = Error::Ok;
};

RecordingBackend& backend() {
  static RecordingBackend instance;
  static const Error registered = register_backend({"Recorder", &instance});
  EXPECT_EQ(registered, Error::Ok);
  return instance;
}

class DelegateTest : public ::testing::Test {
 protected:
  DelegateTest() {
    backend().log.clear();
    backend().next = 0;
    backend().available = true;
    backend().failure = Error::Ok;
    PlanSpec plan;
    plan.values = {planned(2, 0), planned(2, 16), planned(2, 32)};
    plan.inputs = {0};
    plan.outputs = {2};
    plan.delegates = {
        {.id = "Recorder", .processed = bytes_of<char>({'2'}), .compile_specs = {{"mode", "fast"}}},
        {.id = "Recorder", .processed = bytes_of<char>({'3'}), .inlined = true}};
    plan.instructions = {delegate_call(0, {0, 1}), delegate_call(1, {1, 2})};
    plan.buffers = {48};
    spec_.plans = {plan};
  }

  ProgramSpec spec_;
};

TEST_F(DelegateTest, RunInTurnAndEndInTheOrderOfTheirIndices) {
  {
    LoadedMethod method(spec_);
    ASSERT_EQ(method.error(), Error::Ok);
    ASSERT_EQ(method->set_input(make_tensor_ptr({1.F, 2.F}), 0), Error::Ok);
    ASSERT_EQ(method->execute(), Error::Ok);
    EXPECT_THAT(floats(method->get_output(0)), ElementsAre(6, 12));
    backend().failure = Error::DelegateInvalidHandle;
    EXPECT_EQ(method->execute(), Error::DelegateInvalidHandle);
    backend().failure = Error::Ok;
    EXPECT_EQ(method->execute(), Error::Ok);
  }
  EXPECT_THAT(backend().log, ElementsAre("init forward '2' mode=fast", "init forward '3'",
                                         "destroy 0", "destroy 1"));
}

TEST_F(DelegateTest, AreTracedWithTheirValues) {
  RecordingTracer tracer;
  tracer.set_event_tracer_debug_level(EventTracerDebugLogLevel::kIntermediateOutputs);
  LoadedMethod method(spec_, "forward", nullptr, &tracer);
  ASSERT_EQ(method->set_input(make_tensor_ptr({1.F, 2.F}), 0), Error::Ok);
  tracer.calls.clear();
  ASSERT_EQ(method->execute(), Error::Ok);
  EXPECT_THAT(
      tracer.calls,
      ElementsAre("block Execute", "start Method::execute", "start DELEGATE_CALL",
                  "value intermediate", "value intermediate", "end ", "start DELEGATE_CALL",
                  "value intermediate", "value intermediate", "end ", "value output", "end "));
}

TEST_F(DelegateTest, OneThatFailsEndsThoseBeforeIt) {
  spec_.plans[0].delegates[1].processed = bytes_of<char>({'b', 'a', 'd'});
  LoadedMethod method(spec_);
  EXPECT_EQ(method.error(), Error::DelegateInvalidCompatibility);
  EXPECT_THAT(backend().log,
              ElementsAre("init forward '2' mode=fast", "init forward 'bad'", "destroy 0"));
}

TEST_F(DelegateTest, AMissingBackendIsNamedWithTheCure) {
  spec_.plans[0].delegates[1].id = "CudaBackend";
  ::testing::internal::CaptureStderr();
  LoadedMethod method(spec_);
  const std::string log = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(method.error(), Error::NotFound);
  EXPECT_THAT(log, HasSubstr("CudaBackend is not registered"));
  EXPECT_THAT(log, HasSubstr("executorch::backend_cuda"));
  backend().available = false;
  spec_.plans[0].delegates[1].id = "Recorder";
  EXPECT_EQ(LoadedMethod(spec_).error(), Error::NotFound);
}

TEST_F(DelegateTest, DataFilesAreLookedAtBeforeTheProgram) {
  spec_.plans[0].delegates.resize(1);
  spec_.plans[0].instructions = {delegate_call(0, {0, 2})};
  spec_.named_data = {{"shared", bytes_of<char>({'p'})}, {"program", bytes_of<char>({'q'})}};
  { LoadedMethod method(spec_); }
  MemoryLoader file(write_tensor_file({.entries = {{"shared", bytes_of<char>({'f'})}}}));
  auto data = extension::FlatTensorDataMap::load(&file);
  ASSERT_TRUE(data.ok());
  { LoadedMethod method(spec_, "forward", &*data); }
  EXPECT_EQ(backend().log[0], "init forward '2' mode=fast shared:p program:q nowhere:");
  EXPECT_EQ(backend().log[2], "init forward '2' mode=fast shared:f program:q nowhere:");
  spec_.named_data.clear();
  { LoadedMethod method(spec_, "forward", &*data); }
  EXPECT_EQ(backend().log[4], "init forward '2' mode=fast shared:f program: nowhere:");
}

TEST_F(DelegateTest, OptionsReachTheBackendThatTheyAreFor) {
  BackendOptions<1> options;
  ASSERT_EQ(options.set_option("level", 5), Error::Ok);
  LoadBackendOptionsMap map;
  ASSERT_EQ(map.set_options("Recorder", options.view()), Error::Ok);
  MemoryLoader loader(write_program(spec_));
  auto program = Program::load(&loader);
  auto arenas = extension::PlannedArenas::create(*program->method_meta("forward"));
  extension::MallocMemoryAllocator memory;
  MemoryManager manager(&memory, (*arenas)->allocator());
  { auto method = program->load_method("forward", &manager, nullptr, nullptr, &map); }
  EXPECT_EQ(backend().log[0], "init forward '2' mode=fast level=5");
}

}  // namespace
}  // namespace executorch::runtime::testing
