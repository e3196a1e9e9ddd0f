// One file for all parts: the name of a tensor is "<part>.<name in the part's state>". A list of
// tensors: their names are its indices.
#include "io/checkpoint.h"

#include <algorithm>

#include "td/ops/ops.h"

namespace td::io {
namespace {

constexpr const char* kTensor = "tensor";  // the name of one that is saved alone

// The tensors of one file, part by part.
OrderedDict<std::string, NamedTensors> parts_of(const NamedTensors& tensors) {
  OrderedDict<std::string, NamedTensors> parts("Part");
  for (const auto& item : tensors) {
    const std::size_t dot = item.key().find('.');
    const std::string part = item.key().substr(0, dot);
    if (!parts.contains(part)) parts.insert(part, NamedTensors("Entry"));
    if (dot != std::string::npos) parts[part].insert(item.key().substr(dot + 1), item.value());
  }
  return parts;
}

Tensor take(const StateDict& state, const std::string& name, const std::string& path,
            const optional<Device>& device) {
  const Tensor* found = state.tensors.find(name);
  TD_CHECK(IoError, found, path, ": there is no tensor \"", name, "\"; expected a file written by ",
           "save() of ", name == kTensor ? "one tensor" : "a list of tensors",
           ". io::load_file reads any safetensors file.");
  return device ? found->to(*device) : *found;
}

TensorList take_all(const StateDict& state, const std::string& path,
                    const optional<Device>& device) {
  TensorList loaded;
  for (std::size_t i = 0; i < state.tensors.size(); ++i)
    loaded.push_back(take(state, std::to_string(i), path, device));
  return loaded;
}

}  // namespace

Checkpoint& Checkpoint::add(const std::string& name, std::function<NamedTensors()> get,
                            std::function<void(const NamedTensors&)> put) {
  TD_CHECK(Error, !name.empty() && name.find('.') == name.npos, "checkpoint: a part's name must ",
           "not be empty and must have no dot, but is \"", name, '"');
  for (const Part& part : parts_)
    TD_CHECK(Error, part.name != name, "checkpoint: there is a part \"", name, "\" already");
  parts_.push_back({name, std::move(get), std::move(put)});
  return *this;
}

Checkpoint& Checkpoint::add(const std::string& name, Generator& generator) {
  const auto get = [&generator] {
    const Generator::State state = generator.get_state();
    NamedTensors all("Entry");
    // 64 bits without a sign; an int64 keeps them.
    all.insert("seed", number_entry(static_cast<std::int64_t>(state.seed)));
    all.insert("offset", number_entry(static_cast<std::int64_t>(state.offset)));
    return all;
  };
  return add(name, get, [&generator](const NamedTensors& state) {
    generator.set_state({static_cast<std::uint64_t>(number_in(state, "seed")),
                         static_cast<std::uint64_t>(number_in(state, "offset"))});
  });
}

void Checkpoint::save(const std::string& path) const {
  StateDict all;
  all.metadata = metadata;
  for (const Part& part : parts_)
    for (const auto& item : part.get())
      all.tensors.insert(part.name + "." + item.key(), item.value());
  save_file(all, path);
}

void Checkpoint::load(const std::string& path) {
  const StateDict file = load_file(path);
  const auto parts = parts_of(file.tensors);
  std::ostringstream problems;
  for (const std::string& name : parts.keys())
    if (std::none_of(parts_.begin(), parts_.end(), [&](const Part& p) { return p.name == name; }))
      problems << "\nunexpected part: \"" << name << '"';
  for (const Part& part : parts_) {
    // A part without tensors, such as an optimizer without groups, has no entry in the file.
    static const NamedTensors nothing("Entry");
    const NamedTensors* state = parts.find(part.name);
    try {
      part.put(state ? *state : nothing);
    } catch (const Error& error) {
      problems << "\npart \"" << part.name << '"' << (state ? ": " : " is not in the file: ")
               << error.what();
    }
  }
  TD_CHECK(Error, problems.str().empty(), path, " does not fit this training:", problems.str());
  metadata = file.metadata;
}

StateDict state_of(const Tensor& tensor) {
  StateDict state;
  state.tensors.insert(kTensor, tensor);
  return state;
}

StateDict state_of(const TensorList& tensors) {
  StateDict state;
  for (std::size_t i = 0; i < tensors.size(); ++i)
    state.tensors.insert(std::to_string(i), tensors[i]);
  return state;
}

}  // namespace td::io

namespace td {

void load(Tensor& tensor, const std::string& path, optional<Device> device) {
  tensor = io::take(io::load_file(path), io::kTensor, path, device);
}
void load(Tensor& tensor, std::istream& stream, optional<Device> device) {
  tensor = io::take(io::load(stream), io::kTensor, io::kStream, device);
}
void load(TensorList& tensors, const std::string& path, optional<Device> device) {
  tensors = io::take_all(io::load_file(path), path, device);
}
void load(TensorList& tensors, std::istream& stream, optional<Device> device) {
  tensors = io::take_all(io::load(stream), io::kStream, device);
}

}  // namespace td
