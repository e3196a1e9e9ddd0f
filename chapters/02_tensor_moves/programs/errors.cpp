// What must not be mixed: the messages for tensors on two devices, and for a device that does not
// exist. one_device is an exercise; with --mine it is yours.
#include <functional>
#include <iostream>

#include "app/app.h"
#include "exercises.h"
#include "td/td.h"

namespace {

/// Runs `attempt`, which must fail, and prints its error message.
void show_error(const std::string& line, const std::function<void()>& attempt) {
  try {
    attempt();
  } catch (const td::Error& error) {
    std::cout << "  " << line << "\n    " << error.what() << '\n';
  }
}

/// Returns the second device of the same type; the same one if there is none.
td::Device neighbor(td::Device device) {
  const bool exists = !device.is_cpu() && device.index() + 1 < td::device_count(device.type());
  return exists ? td::Device(device.type(), device.index() + 1) : device;
}

void mix(td::Device device) {
  const auto x = td::tensor({1, 2, 3}), y = x.to(device), z = x.to(neighbor(device));
  if (device.is_cpu()) std::cout << "  everything is on the cpu here; try --device sim\n";
  show_error("y + x.cpu()", [&] { y + x.cpu(); });
  show_error("y + z, with z on " + z.device().str(), [&] { y + z; });
  show_error("one_device(...)", [&] { one_device({{"input", x}, {"weight", y}}); });
  std::cout << "  y * td::tensor(2)      " << y * td::tensor(2)
            << ", because a number goes with any device\n";
  show_error("x.cuda(15)", [&] { x.cuda(15); });
}

}  // namespace

int main(int argc, char** argv) {
  app::Command command("ch02-errors", "Shows the errors for mixed devices.");
  return command.run(argc, argv,
                     [&](const app::Options& options) { mix(app::choose_device(options)); });
}
