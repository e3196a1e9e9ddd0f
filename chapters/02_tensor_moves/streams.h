// What the program of chapter 02 sees in a trace: the copies of a piece of code, and a picture of
// two streams. main.cpp includes it.
#pragma once

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
  const auto a = td::ones({512, 512}, from), b = td::ones({512, 512}, to);
  const auto target = td::empty({512, 512}, to);
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
