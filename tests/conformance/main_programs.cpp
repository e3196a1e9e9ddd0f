// The chapters' main programs that use only what libtorch has, as they are in the course: libtorch
// compiles them with the headers of shim/ in the place of td/td.h and app/app.h, and they find the
// same. The others use what is Python's or the course's own: GradScaler, the DataParallel module,
// ranks, XLA, CIFAR10.
// This program starts them: PROGRAM_02 and PROGRAM_03 are td's or libtorch's.
#include <cstdio>

#include "conformance.h"

namespace {

/// What a program prints. Tensors look different: td prints them as Python does.
std::string printed_by(const std::string& program) {
  std::string text;
  std::FILE* const output = popen(("'" + program + "' --device cpu").c_str(), "r");
  if (!output) return "it did not start";
  for (int c = std::fgetc(output); c != EOF; c = std::fgetc(output)) text += static_cast<char>(c);
  return pclose(output) == 0 ? text : "it failed";
}

/// The rest of the line that begins with `label`.
std::string after(const std::string& text, const std::string& label) {
  const std::size_t at = ("\n" + text).find("\n" + label);
  if (at == std::string::npos) return "there is no such line";
  const std::size_t begin = at + label.size();
  return text.substr(begin, text.find('\n', begin) - begin);
}

}  // namespace

int main() {
  const std::string moves = printed_by(PROGRAM_02);
  REPORT(after(moves, "x.device()"));
  REPORT(after(moves, "y.sum().item()"));
  const std::string model = printed_by(PROGRAM_03);
  REPORT(after(model, "created on"));
  REPORT(after(model, "moved to"));
  REPORT(after(model, "This device is the cpu"));
  return 0;
}
