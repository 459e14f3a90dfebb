// A shared library that is no family.
extern "C" int answer() {
  return 42;
}
