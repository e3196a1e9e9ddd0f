// From device to device: the streams of both wait for each other, and the host for none. send is an
// exercise; with --mine it is yours.
#include <iostream>
#include <string>

#include "app/app.h"
#include "exercises.h"
#include "td/td.h"

namespace {

/// Returns the second device of the same type; the same one if there is none.
td::Device neighbor(td::Device device) {
  const bool exists = !device.is_cpu() && device.index() + 1 < td::device_count(device.type());
  return exists ? td::Device(device.type(), device.index() + 1) : device;
}

void another_device(td::Device device) {
  const td::Device next = neighbor(device);
  if (next == device) return void(std::cout << "there is only one device\n");
  const auto x = td::tensor({1.0, 2.0, 3.0}, device);
  const auto y = td::empty(x.sizes(), x.options().device(next));
  send(x, td::getCurrentStream(device), y, td::getCurrentStream(next));
  std::cout << "sent  " << y << '\n';
}

/// Draws what happens on two devices when one sends its result to the other.
void draw_streams(td::Device from, td::Device to, const std::string& file) {
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

}  // namespace

int main(int argc, char** argv) {
  std::string timeline;
  app::Command command("ch02-send", "Sends a tensor from one device to another.");
  command.option("--timeline", timeline, "draw two streams and a copy between them into this .svg");
  return command.run(argc, argv, [&](const app::Options& options) {
    const td::Device device = app::choose_device(options);
    if (timeline.empty())
      another_device(device);
    else
      draw_streams(device, neighbor(device), timeline);
  });
}
