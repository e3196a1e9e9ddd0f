// What the tests of chapter 10 share: the plugin, and programs around a learner's lines.
#pragma once

#include <cstdlib>

#include "check_tensors.h"
#include "exercises.h"
#include "programs.h"

/// A client of the plugin with so many devices, or a skip that says what is missing. XLA allows one
/// client a process to each test in turn.
inline td::xla::Client client_with(int devices) {
  const char* const named = std::getenv("PJRT_PLUGIN");
  if (!named || !*named)
    check::skip("XLA's plugin is not here; ./course check 10 fetches it where there is a network");
  static const td::xla::Plugin plugin = td::xla::Plugin::load(named);
  return td::xla::Client(plugin, devices);
}

/// Compiles a learner's text; XLA's own message is the verdict when it refuses.
inline Executable compile(const td::xla::Client& client, const std::string& program,
                          int replicas = 1) {
  td::xla::CompileOptions options;
  options.replicas = replicas;
  try {
    return client.compile(program, options);
  } catch (const td::xla::XlaError& error) {
    check::expect(false, std::string("XLA refuses the text: ") + error.what());
    throw;
  }
}
