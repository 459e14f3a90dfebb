"""The names that Bazel and this project load from rules_cc, as Bazel's native rules.

Debian's bazel-rules-cc 0.0.4 does not load under Debian's Bazel 4.2.3.
"""

cc_binary = native.cc_binary
cc_import = native.cc_import
cc_library = native.cc_library
cc_proto_library = native.cc_proto_library
cc_test = native.cc_test
cc_toolchain = native.cc_toolchain
cc_toolchain_suite = native.cc_toolchain_suite
