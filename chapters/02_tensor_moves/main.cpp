// Chapter 02, tensor moves: where a tensor is stored, how it gets to another device, what stays
// there, and what must not be mixed. Each `device='...'` in the output is where the values are.
#include <functional>
#include <iostream>

#include "app/app.h"
#include "exercises.h"
#include "measure.h"
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

/// "1 transfer, 48 bytes".
std::string transfers(int copies, std::size_t bytes) {
  return std::to_string(copies) + (copies == 1 ? " transfer, " : " transfers, ") +
         std::to_string(bytes) + " bytes";
}

/// Returns the second device of the same type; the same one if there is none.
td::Device neighbor(td::Device device) {
  const bool exists = !device.is_cpu() && device.index() + 1 < td::device_count(device.type());
  return exists ? td::Device(device.type(), device.index() + 1) : device;
}

// anchor: move
void move(td::Device device) {
  std::cout << "\n1. Move\n";
  auto x = td::tensor({1.0, 2.0, 3.0});
  std::cout << "  created on the cpu     " << x << '\n';
  x = x.to(device);
  std::cout << "  after x.to(device)     " << x << '\n';
  std::cout << "  x.device()             " << x.device() << '\n';
  std::cout << "  back with x.cpu()      " << x.cpu() << '\n';
  std::cout << "  created on the device  " << td::tensor({1, 2, 3}, device) << '\n';
}
// anchor end

// anchor: stay
void stay(td::Device device) {
  std::cout << "\n2. Results stay on the device\n";
  const auto x = td::tensor({1, 2, 3}, device);  // integers: int64, as in PyTorch
  const auto y = x.pow(2);
  std::cout << "  x                      " << x << "\n  x.pow(2)               " << y << '\n';
  std::cout << "  y + 10                 " << y + 10 << '\n';
  std::cout << "  (y > 3)                " << (y > 3) << '\n';
  std::cout << "  y.sum().item()         " << y.sum().item<std::int64_t>()
            << ", a number of the host\n";
}
// anchor end

// anchor: mix
void mix(td::Device device) {
  std::cout << "\n3. What must not be mixed\n";
  const auto x = td::tensor({1, 2, 3}), y = x.to(device), z = x.to(neighbor(device));
  if (device.is_cpu()) std::cout << "  everything is on the cpu here; try --device sim\n";
  show_error("y + x.cpu()", [&] { y + x.cpu(); });
  show_error("y + z, with z on " + z.device().str(), [&] { y + z; });
  show_error("one_device(\"add\", ...)", [&] { one_device("add", {{"input", y}, {"other", x}}); });
  std::cout << "  y * td::tensor(2)      " << y * td::tensor(2)
            << ", because a number goes with any device\n";
  show_error("x.cuda(15)", [&] { x.cuda(15); });
}
// anchor end

// anchor: free
void free_moves(td::Device device) {
  std::cout << "\n4. What a move copies\n";
  const auto x = td::ones({3, 4}, device), host = td::ones({3, 4});
  std::cout << std::boolalpha << "  x.to(device).is_same(x)              "
            << x.to(device).is_same(x) << "\n  x.to(device, copy = true).is_same(x) "
            << x.to(td::device(device), false, /*copy=*/true).is_same(x)
            << "\n  move_to(x, device).is_same(x)        " << move_to(x, device).is_same(x) << '\n';
  const auto count = [&](const char* what, const td::Tensor& from, td::ScalarType type) {
    std::size_t bytes = 0;
    const int copies = copies_of([&] { from.to(device, type); }, &bytes);
    std::cout << "  " << what << transfers(copies, bytes) << '\n';
  };
  count("12 floats of the host                ", host, td::kFloat);
  count("the same, to half                    ", host, td::kHalf);
  count("the same, every second column        ", host.slice(1, 0, 4, 2), td::kFloat);
  count("12 floats of the device              ", x, td::kFloat);
  std::vector<td::Tensor> batch;
  for (int i = 0; i < 20; ++i) batch.push_back(host.clone());
  std::size_t bytes = 0;
  const int copies = copies_of([&] { move_all(batch, device); }, &bytes);
  std::cout << "  move_all of 20 such tensors          " << transfers(copies, bytes) << '\n';
}
// anchor end

// anchor: view
void move_a_view(td::Device device) {
  std::cout << "\n5. A transposed view\n";
  const auto m = td::arange(6, td::kFloat).view({2, 3});
  const auto t = m.t().to(device);
  std::cout << t << "\n  strides after to(device)  " << t.strides() << ", before "
            << m.t().strides() << "\n  strides after move_view   "
            << move_view(m.data_ptr<float>(), {3, 2}, {1, 3}, device).strides() << '\n';
}
// anchor end

// anchor: gradients
void gradients(td::Device device) {
  std::cout << "\n6. Gradients through a move\n";
  const auto w = td::tensor({1.0, 2.0}).requires_grad_();
  const auto moved = w.to(device);
  (moved * 3).sum().backward();
  std::cout << std::boolalpha << "  w.is_leaf() " << w.is_leaf() << ", w.to(device).is_leaf() "
            << moved.is_leaf() << "\n  w.grad()               " << w.grad() << '\n';
  const auto leaf = leaf_on(w, device);
  (leaf * 3).sum().backward();
  std::cout << "  leaf_on(w, device)     " << leaf << "\n  its grad()             " << leaf.grad()
            << '\n';
}
// anchor end

// anchor: another
void another_device(td::Device device) {
  const td::Device next = neighbor(device);
  std::cout << "\n7. From device to device\n";
  if (next == device) return void(std::cout << "  there is only one\n");
  const auto x = td::tensor({1.0, 2.0, 3.0}, device);
  const auto y = td::empty(x.sizes(), x.options().device(next));
  send(x, td::getCurrentStream(device), y, td::getCurrentStream(next));
  std::cout << "  sent                   " << y << '\n';
}
// anchor end

}  // namespace

int main(int argc, char** argv) {
  std::string timeline;
  app::Command command("ch02_tensor_moves",
                       "Moves tensors between devices and shows what happens.");
  command.option("--timeline", timeline, "draw two streams and a copy between them into this .svg");
  return command.run(argc, argv, [&](const app::Options& options) {
    const td::Device device = app::choose_device(options);
    if (!timeline.empty()) return draw_streams(device, neighbor(device), timeline);
    move(device);
    stay(device);
    mix(device);
    free_moves(device);
    move_a_view(device);
    gradients(device);
    another_device(device);
    time_it(device);
  });
}
