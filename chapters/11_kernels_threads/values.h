// What the programs `values` of chapters 11 to 13 share: inputs that a formula gives, and
// checksums. The inputs are integers, so that every order of additions gives the same number.
#pragma once

#include <iomanip>
#include <iostream>

#include "app/app.h"
#include "launch/launch.h"
#include "td/td.h"

/// Element i is i * factor % modulus + first, in host memory.
inline td::Tensor integers(td::IntArrayRef sizes, std::int64_t factor, std::int64_t modulus,
                           std::int64_t first) {
  td::Tensor tensor = td::empty(sizes);
  float* const data = tensor.data_ptr<float>();
  for (std::int64_t i = 0; i < tensor.numel(); ++i)
    data[i] = static_cast<float>(i * factor % modulus + first);
  return tensor;
}

/// Prints a line: the sum of element i times i % 13.
inline void print(const char* name, const td::Tensor& result) {
  const td::Tensor host = result.cpu().to(td::kDouble).contiguous();
  double sum = 0;
  for (std::int64_t i = 0; i < host.numel(); ++i)
    sum += host.data_ptr<double>()[i] * static_cast<double>(i % 13);
  std::cout << std::setw(14) << name << std::fixed << std::setprecision(1) << std::setw(12) << sum
            << '\n';
}

/// The program `values` of a chapter.
inline int run_values(int argc, char** argv, const char* program, void (*show)(td::Device)) {
  app::Command command(program, "Prints checksums of what the chapter's kernels compute.");
  return command.run(argc, argv,
                     [&](const app::Options& options) { show(app::choose_device(options)); });
}
