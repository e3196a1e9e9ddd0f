// expect: tensor 0 is another tensor
// Registers new buffers, as Python's `to` does: another holder keeps the old ones.
#include "exercises.h"

namespace {
struct Opened : td::nn::Module {
  using td::nn::Module::buffers_;
};
}  // namespace

void move_buffers(td::nn::Module& model, td::Device device, td::ScalarType dtype) {
  model.apply([&](td::nn::Module& module) {
    for (auto& item : static_cast<Opened&>(module).buffers_)
      item.value() =
          item.value().to(device, item.value().is_floating_point() ? dtype : item.value().dtype());
  });
}
