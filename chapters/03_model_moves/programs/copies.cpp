// How many copies model->to(device) makes, and how many bytes they have. --timeline draws them.
#include <iostream>

#include "app/app.h"
#include "td/td.h"
#include "trace/trace.h"

namespace {

void count_copies(td::Device device, const std::string& picture) {
  td::nn::Sequential model(td::nn::Linear(256, 256), td::nn::BatchNorm1d(256),
                           td::nn::Linear(256, 10));
  td::zeros({1}).to(device);  // the first copy of a program also creates what copies need
  for (const char* which : {"first", "second"}) {
    td::trace::start();
    {
      const td::trace::Span span("model->to");
      model->to(device);
    }
    const td::trace::Trace trace = td::trace::stop();
    std::uint64_t copies = 0, bytes = 0;
    for (const td::trace::SpanRecord& span : trace.spans)
      if (span.category == td::trace::Category::kCopy) ++copies, bytes += span.bytes;
    std::cout << which << " model->to: " << copies << " copies, " << bytes << " bytes\n";
    if (copies && !picture.empty())
      td::trace::write_svg(trace, picture, td::trace::PictureOptions().host(true));
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::string timeline;
  app::Command command("ch03-copies", "Counts the copies that the move of a model makes.");
  command.option("--timeline", timeline, "draw the copies into this .svg");
  return command.run(argc, argv, [&](const app::Options& options) {
    count_copies(app::choose_device(options), timeline);
  });
}
