// Chapter 02, tensor moves: where a tensor is, how it gets elsewhere, what stays there, and what
// may not be mixed. Reads top to bottom; every `device='...'` it prints is where the values are.
#include <chrono>
#include <functional>
#include <iomanip>
#include <iostream>

#include "app/app.h"
#include "exercises.h"
#include "td/td.h"

namespace {

/// Runs `attempt`, which must fail, and shows what the reader of its message reads.
void show_refusal(const std::string& line, const std::function<void()>& attempt) {
  try {
    attempt();
  } catch (const td::Error& error) {
    std::cout << "  " << line << "\n    " << error.what() << '\n';
  }
}

// anchor: move
void move(td::Device device) {
  std::cout << "\n1. Move\n";
  auto x = td::tensor({1.0, 2.0, 3.0});
  std::cout << "  made on the cpu      " << x << '\n';
  x = x.to(device);
  std::cout << "  after x.to(device)   " << x << '\n';
  std::cout << "  x.device()           " << x.device() << '\n';
  std::cout << "  back with x.cpu()    " << x.cpu() << '\n';
  std::cout << "  made there at once   " << td::tensor({1, 2, 3}, device) << '\n';
}
// anchor end

// anchor: stay
void stay(td::Device device) {
  std::cout << "\n2. Results stay where their arguments are\n";
  const auto x = td::tensor({1, 2, 3}, device);  // integers: int64, as in PyTorch
  const auto y = x.pow(2);
  std::cout << "  x                    " << x << "\n  x.pow(2)             " << y << '\n';
  std::cout << "  y + 10               " << y + 10 << '\n';
  std::cout << "  (y > 3)              " << (y > 3) << '\n';
  std::cout << "  y.sum().item()       " << y.sum().item<std::int64_t>()
            << ", a number of the host\n";
}
// anchor end

// anchor: mix
void mix(td::Device device) {
  std::cout << "\n3. What may not be mixed\n";
  const auto x = td::tensor({1, 2, 3}), y = x.to(device);
  if (device.is_cpu()) std::cout << "  everything is on the cpu here; try --device sim\n";
  show_refusal("y + x.cpu()", [&] { y + x.cpu(); });
  show_refusal("one_device(\"add\", ...)", [&] {
    one_device("add", {{"input", y}, {"other", x}});
  });
  std::cout << "  y * td::tensor(2)    " << y * td::tensor(2)
            << ", because a number goes with any device\n";
}
// anchor end

// anchor: free
void free_moves(td::Device device) {
  std::cout << "\n4. Moving is free when there is nothing to do\n";
  const auto x = td::ones({3}, device);
  std::cout << std::boolalpha << "  x.to(device).is_same(x)              "
            << x.to(device).is_same(x) << "\n  x.to(device, copy = true).is_same(x) "
            << x.to(td::device(device), false, /*copy=*/true).is_same(x)
            << "\n  move_to(x, device).is_same(x)        " << move_to(x, device).is_same(x) << '\n';
}
// anchor end

// anchor: view
void move_a_view(td::Device device) {
  std::cout << "\n5. A transposed view\n";
  const auto m = td::arange(6, td::kFloat).view({2, 3});
  const auto t = m.t().to(device);
  std::cout << t << "\n  strides after the move: " << t.strides()
            << ", as before it: " << m.t().strides() << '\n';
  std::cout << "  gathered by hand: strides "
            << move_view(m.data_ptr<float>(), {3, 2}, {1, 3}, device).strides() << '\n';
}
// anchor end

// anchor: another
void another_device(td::Device device) {
  std::cout << "\n6. Another device\n";
  const td::Device next(device.type(), device.index() + 1);
  const auto x = td::tensor({1.0, 2.0, 3.0}, device);
  if (device.is_cpu() || next.index() >= td::device_count(device.type())) {
    show_refusal("x.to(\"" + next.str() + "\")", [&] { x.to(next); });
  } else {
    const auto y = td::empty(x.sizes(), x.options().device(next));
    send(x, td::getCurrentStream(device), y, td::getCurrentStream(next));
    std::cout << "  sent                 " << y << '\n';
  }
  show_refusal("x.cuda(15)", [&] { x.cuda(15); });
}
// anchor end

// anchor: time
/// Gigabytes a second from host to device: the best of five, and the clock is read when the copy
/// has ended, not when it was asked for.
double bandwidth(const td::Tensor& host, td::Device device) {
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

void time_it(td::Device device) {
  std::cout << "\n7. What a move costs\n";
  for (const std::int64_t n : {1'000, 100'000, 10'000'000})
    std::cout << std::setw(14) << n << " floats to " << device << std::fixed << std::setprecision(2)
              << std::setw(9) << bandwidth(td::ones({n}), device) << " GB/s\n";
}
// anchor end

}  // namespace

int main(int argc, char** argv) {
  app::Command command("ch02_tensor_moves",
                       "Moves tensors between devices and shows what happens.");
  return command.run(argc, argv, [](const app::Options& options) {
    const td::Device device = app::choose_device(options);
    move(device);
    stay(device);
    mix(device);
    free_moves(device);
    move_a_view(device);
    another_device(device);
    time_it(device);
  });
}
