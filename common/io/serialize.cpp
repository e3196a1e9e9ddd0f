// Tensors and lists of them: a list's names are its places.
#include "io/serialize.h"

#include "td/ops/ops.h"

namespace td {
namespace {

constexpr const char* kTensor = "tensor";

io::StateDict state_of(const Tensor& tensor) {
  io::StateDict state;
  state.tensors.insert(kTensor, tensor);
  return state;
}
io::StateDict state_of(const TensorList& tensors) {
  io::StateDict state;
  for (std::size_t i = 0; i < tensors.size(); ++i)
    state.tensors.insert(std::to_string(i), tensors[i]);
  return state;
}

Tensor take(const io::StateDict& state, const std::string& name, const std::string& path,
            const optional<Device>& device) {
  const Tensor* found = state.tensors.find(name);
  TD_CHECK(IoError, found, path, ": there is no tensor \"", name, "\"; expected a file written by ",
           "save() of ", name == kTensor ? "one tensor" : "a list of tensors",
           ". io::load_file reads any safetensors file.");
  return device ? found->to(*device) : *found;
}

TensorList take_all(const io::StateDict& state, const std::string& path,
                    const optional<Device>& device) {
  TensorList loaded;
  for (std::size_t i = 0; i < state.tensors.size(); ++i)
    loaded.push_back(take(state, std::to_string(i), path, device));
  return loaded;
}

}  // namespace

void save(const Tensor& tensor, const std::string& path) { io::save_file(state_of(tensor), path); }
void save(const Tensor& tensor, std::ostream& stream) { io::save(state_of(tensor), stream); }
void save(const TensorList& tensors, const std::string& path) {
  io::save_file(state_of(tensors), path);
}
void save(const TensorList& tensors, std::ostream& stream) { io::save(state_of(tensors), stream); }

void load(Tensor& tensor, const std::string& path, optional<Device> device) {
  tensor = take(io::load_file(path), kTensor, path, device);
}
void load(Tensor& tensor, std::istream& stream, optional<Device> device) {
  tensor = take(io::load(stream), kTensor, io::kStream, device);
}
void load(TensorList& tensors, const std::string& path, optional<Device> device) {
  tensors = take_all(io::load_file(path), path, device);
}
void load(TensorList& tensors, std::istream& stream, optional<Device> device) {
  tensors = take_all(io::load(stream), io::kStream, device);
}

}  // namespace td
