#include "verifier/report/symbol_name.h"

#include "gtest/gtest.h"

namespace wheelcheck {
namespace {

TEST(SymbolName, NestedNamesOfFunctionsAndData) {
  EXPECT_EQ(readable_symbols("_ZN10executorch9extension4cuda15getCallerStreamEv"),
            "executorch::extension::cuda::getCallerStream()");
  EXPECT_EQ(readable_symbols("_ZN10executorch7runtime17get_backend_classEPKc"),
            "executorch::runtime::get_backend_class(...)");
  EXPECT_EQ(readable_symbols("_ZN10executorch9extension4cuda12_GLOBAL__N_114caller_stream_E"),
            "executorch::extension::cuda::(anonymous namespace)::caller_stream_");
  EXPECT_EQ(readable_symbols("_ZN1aL1bE"), "a::b");
  EXPECT_EQ(readable_symbols("_ZNK1a1fEv"), "a::f()");
}

TEST(SymbolName, PlainNamesConstructorsAndTags) {
  EXPECT_EQ(readable_symbols("_ZL14caller_stream_"), "caller_stream_");
  EXPECT_EQ(readable_symbols("_Z1fi"), "f(...)");
  EXPECT_EQ(readable_symbols("_ZN1a4KindC2Ei"), "a::Kind::Kind(...)");
  EXPECT_EQ(readable_symbols("_ZN1a4KindD0Ev"), "a::Kind::~Kind()");
  EXPECT_EQ(readable_symbols("_ZNSt6thread4joinEv"), "std::thread::join()");
  EXPECT_EQ(readable_symbols("_ZN1a1fB5cxx11Ev"), "a::f[abi:cxx11]()");
}

TEST(SymbolName, TheTextAroundStays) {
  EXPECT_EQ(readable_symbols("x: _ZN1a1fEv, _Z1gv and 3 more (\xff) in lib_Z1gv.so"),
            "x: a::f(), g() and 3 more (\xff) in lib_Z1gv.so");
  EXPECT_EQ(readable_symbols("_ZN1a1fEv@GLIBCXX_3.4.29"), "a::f()@GLIBCXX_3.4.29");
  EXPECT_EQ(readable_symbols(""), "");
}

TEST(SymbolName, WhatIsNotUnderstoodStays) {
  for (const char* name : {"_Z", "_ZN", "_ZN1a", "_ZN1a1fIiEEvT_", "_Z1fIiEvT_", "_ZTV1a",
                           "_ZN1aplEi", "_ZC1v", "_ZN9aE", "_ZN99999999999999999999999999999999aE",
                           "_ZN0E", "_ZN1aB", "_ZN1aBE", "_ZNE", "_ZNStE"}) {
    EXPECT_EQ(readable_symbols(name), name);
  }
}

}  // namespace
}  // namespace wheelcheck
