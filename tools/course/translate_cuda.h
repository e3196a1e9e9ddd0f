// Translates a program in CUDA C++ into C++, after the preprocessor. Called by `./course cuda`.
//
// Five things of CUDA are no C++: `kernel<<<grid, block>>>(arguments)`; the address of a kernel as
// void*, which loses what parameters it has; a const `__constant__` variable, which g++ does not
// put beside others; PTX that reads a special register; and specifiers in an order that C++ does
// not take. Everything else is in headers (common/cuda/include).
#pragma once

#include <string>
#include <string_view>

namespace course {

/// Which functions tell the machine of their accesses, when the compiler is asked for hooks.
enum class Hooks {
  kEverywhere,
  /// Not those of the device, unless the file has a volatile variable, for which a kernel may wait.
  kOnHost
};

/// Invariant: the result has the lines of `preprocessed`, which has the preprocessor's marks of
/// lines; text of system headers stays as it is.
/// @throws TranslationError (token_editor.h), with the place: "vecadd.cu:31: …"
std::string translate_cuda(std::string_view preprocessed, Hooks hooks = Hooks::kEverywhere);

}  // namespace course
