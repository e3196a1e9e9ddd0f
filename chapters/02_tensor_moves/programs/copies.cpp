// What a move copies: how many transfers, of how many bytes, and what becomes of the strides.
// move_to, move_all and move_view are exercises; with --mine they are yours.
#include <iostream>
#include <string>

#include "app/app.h"
#include "exercises.h"
#include "td/td.h"

namespace {

/// "1 transfer, 48 bytes".
std::string transfers(int copies, std::size_t bytes) {
  return std::to_string(copies) + (copies == 1 ? " transfer, " : " transfers, ") +
         std::to_string(bytes) + " bytes";
}

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

void free_moves(td::Device device) {
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

void move_a_view(td::Device device) {
  std::cout << "\nA transposed view\n";
  const auto m = td::arange(6, td::kFloat).view({2, 3});
  const auto t = m.t().to(device);
  std::cout << t << "\n  strides after to(device)  " << t.strides() << ", before "
            << m.t().strides() << "\n  strides after move_view   "
            << move_view(m.data_ptr<float>(), {3, 2}, {1, 3}, device).strides() << '\n';
}

}  // namespace

int main(int argc, char** argv) {
  app::Command command("ch02-copies", "Counts the transfers and bytes of moves.");
  return command.run(argc, argv, [&](const app::Options& options) {
    const td::Device device = app::choose_device(options);
    free_moves(device);
    move_a_view(device);
  });
}
