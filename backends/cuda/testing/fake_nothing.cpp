// A library with nothing of a compiled model in it.
extern "C" __attribute__((visibility("default"))) int something_else() { return 1; }
