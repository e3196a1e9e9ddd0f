// What the program of chapter 02 measures: the copies of a piece of code, a picture of two streams,
// and the bandwidth of copies. main.cpp includes it.
#pragma once

#include <algorithm>
#include <chrono>
#include <iomanip>
#include <iostream>
#include <string>

#include "exercises.h"
#include "td/td.h"

/// Runs `work` and returns how many copies crossed a link; `*bytes` gets their bytes.
template <class Work>
int copies_of(const Work& work, std::size_t* bytes) {
  int copies = 0;
  td::trace::start();
  work();
  for (const auto& span : td::trace::stop().spans)
    if (span.category == td::trace::Category::kCopy &&
        std::string(span.name).find("DtoD") == std::string::npos)
      ++copies, *bytes += span.bytes;
  return copies;
}

// anchor: draw
/// Draws what happens on two devices when one sends its result to the other.
inline void draw_streams(td::Device from, td::Device to, const std::string& file) {
  const auto a = td::ones({1024, 1024}, from), b = td::ones({1024, 1024}, to);
  const auto target = td::empty({1024, 1024}, to);
  td::mm(a, a), td::mm(b, b);
  td::synchronize(from), td::synchronize(to);
  td::trace::start();
  {
    const td::trace::Span span("enqueue");
    const auto product = td::mm(a, a);
    td::mm(b, b);  // on the other device, at the same time
    send(product, td::getCurrentStream(from), target, td::getCurrentStream(to));
    td::mm(target, b);  // reads what was sent
  }
  {
    const td::trace::Span span("synchronize");
    td::synchronize(to);
  }
  td::trace::write_svg(td::trace::stop(), file, td::trace::PictureOptions().host(true));
}
// anchor end

// anchor: time
/// Returns gigabytes per second from host to device: the best of five copies. The clock is read
/// when the copy has finished, not when it was enqueued.
inline double bandwidth(const td::Tensor& host, td::Device device) {
  const auto there = td::empty(host.sizes(), device);
  double best = 0;
  for (int run = 0; run < 5; ++run) {
    const auto start = std::chrono::steady_clock::now();
    copy_between(there.data_ptr(), device, host.data_ptr(), td::kCPU, host.nbytes());
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    best = std::max(best, static_cast<double>(host.nbytes()) / took.count() / 1e9);
  }
  return best;
}
// anchor end

/// Prints the bandwidth of three sizes.
inline void time_it(td::Device device) {
  std::cout << "\n8. What a move costs\n";
  for (const std::int64_t n : {1'000, 100'000, 10'000'000})
    std::cout << std::setw(12) << n << " floats to " << device << std::fixed << std::setprecision(2)
              << std::setw(9) << bandwidth(td::ones({n}), device) << " GB/s\n";
}
