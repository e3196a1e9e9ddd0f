// A PJRT plugin: the library through which a program uses XLA's devices. Opened at run time and
// never closed, because XLA's threads keep running. client.h builds on it. Invariant: only
// functions that the plugin's table has are called.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "td/base/error.h"
#include "xla/abi.h"

namespace td::xla {

/// There is no plugin, or no supported one. The message lists how to get one.
class PluginMissing : public Error {
 public:
  using Error::Error;
};

/// XLA reported an error.
class XlaError : public Error {
 public:
  XlaError(int code, const std::string& text) : Error(text), code_(code) {}
  /// Of absl::StatusCode: 3 is a bad argument, 5 not found, 12 not implemented, 13 internal.
  int code() const { return code_; }

 private:
  int code_;
};

/// A handle: copies refer to the same plugin.
class Plugin {
 public:
  /// @param file the library, such as .../xla_cpu_pjrt.so.
  /// @throws PluginMissing when it is not there, is not a plugin, or has a version that differs too
  /// much. @throws XlaError when it cannot be initialized.
  static Plugin load(const std::string& file);

  /// The version of the interface, "0.81".
  std::string version() const;

  /// Calls a function of the table.
  /// @param what the name for messages, if it is not the function's.
  /// @throws XlaError when there is none, or it fails: "Client_Compile: <XLA's own text>".
  template <class Args>
  void call(const abi::Slot<Args>& slot, Args& args, const char* what = nullptr) const {
    what = what ? what : slot.name;
    args.head.struct_size = sizeof args;
    if (abi::Error* error = function(slot.place, what)(&args)) throw_error(error, what);
  }
  /// Returns what a function answers about `object`. @throws XlaError likewise.
  template <class T, class Answer>
  Answer ask(const abi::Query<T, Answer>& slot, T* object) const {
    abi::QueryArgs<T, Answer> args{.object = object};
    call(slot, args);
    return args.answer;
  }
  /// Destroys `object` by this function. Drops an error, because destructors call this.
  template <class T>
  void destroy(const abi::Object<T>& slot, T* object) const noexcept {
    abi::ObjectArgs<T> args{.object = object};
    try {
      call(slot, args);
    } catch (const std::exception&) {
    }
  }
  /// Blocks until the event is complete and destroys it.
  /// @param what the function that the event is of, for messages.
  /// @throws XlaError with the error of the event.
  void wait(abi::Event* event, const char* what) const;

 private:
  explicit Plugin(const abi::Api* api) : api_(api) {}
  abi::Function function(unsigned place, const char* what) const;
  [[noreturn]] void throw_error(abi::Error* error, const char* what) const;

  const abi::Api* api_;
};

/// Returns the library of PJRT_PLUGIN, which the command `course run 10` sets.
/// @throws PluginMissing with the ways to get one.
std::string find_plugin();

}  // namespace td::xla
