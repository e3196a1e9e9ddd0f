// Tensors and lists of them: a list's names are its places.
#include "td/io/serialize.h"

#include "td/ops/ops.h"

namespace td {
namespace {

constexpr const char* kTensor = "tensor";

Tensor take(const io::StateDict& state, const std::string& name, const std::string& path,
            const optional<Device>& device) {
  const Tensor* found = state.tensors.find(name);
  TD_CHECK(IoError, found, path, ": there is no tensor \"", name, "\"; expected a file written by ",
           "save() of ", name == kTensor ? "one tensor" : "a list of tensors",
           ". io::load_file reads any safetensors file.");
  return device ? found->to(*device) : *found;
}

}  // namespace

void save(const Tensor& tensor, const std::string& path) {
  io::StateDict state;
  state.tensors.insert(kTensor, tensor);
  io::save_file(state, path);
}

void save(const TensorList& tensors, const std::string& path) {
  io::StateDict state;
  for (std::size_t i = 0; i < tensors.size(); ++i)
    state.tensors.insert(std::to_string(i), tensors[i]);
  io::save_file(state, path);
}

void load(Tensor& tensor, const std::string& path, optional<Device> device) {
  tensor = take(io::load_file(path), kTensor, path, device);
}

void load(TensorList& tensors, const std::string& path, optional<Device> device) {
  const io::StateDict state = io::load_file(path);
  TensorList loaded;
  for (std::size_t i = 0; i < state.tensors.size(); ++i)
    loaded.push_back(take(state, std::to_string(i), path, device));
  tensors = std::move(loaded);
}

}  // namespace td
