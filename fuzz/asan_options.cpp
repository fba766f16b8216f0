// Part of every fuzz target, whose memory is limited: what AddressSanitizer holds back of freed
// memory (256 MiB, unless told) would count as memory that an input needs.

// NOLINTNEXTLINE(readability-identifier-naming,bugprone-reserved-identifier): the name is its own.
extern "C" const char* __asan_default_options();
extern "C" const char* __asan_default_options() { return "quarantine_size_mb=16"; }
