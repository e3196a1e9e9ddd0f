// The complete state of a training in one file: save() during the training, load() into new
// objects, and the resumed training is bitwise identical. Invariant: a checkpoint calls only
// state_dict() and load_state_dict() of its parts, so every type with these two can be a part.
//
// And save and load with libtorch's names: `save(model, "net.safetensors")`, or a stream that is
// open in binary mode instead of the path. Both hold safetensors files. Invariant: loading into a
// module or an optimizer changes the values of its tensors, never which tensors they are.
#pragma once

#include <concepts>
#include <functional>

#include "io/safetensors.h"
#include "td/ops/state.h"
#include "td/tensor/generator.h"

namespace td::io {

/// A module, an optimizer, a schedule, a sampler, a data loader.
template <class T>
concept Stateful = requires(T& part, const T& same, const NamedTensors& state) {
  { same.state_dict() } -> std::same_as<NamedTensors>;
  part.load_state_dict(state);
};

/// A pointer or a handle to one: `Linear`, `std::shared_ptr<Module>`, a make_data_loader result.
template <class T>
concept StatefulHandle = !Stateful<T> && requires(T & handle) {
  { *handle } -> Stateful;
};

/// What save() writes for one tensor, a list, a part, or the object of a handle.
///@{
StateDict state_of(const Tensor& tensor);
StateDict state_of(const TensorList& tensors);
template <Stateful Part>
StateDict state_of(const Part& part) {
  return {part.state_dict(), {}};
}
template <StatefulHandle Handle>
StateDict state_of(const Handle& handle) {
  return state_of(*handle);
}
///@}

/// The parts of a training, by name. Parts must live as long as the checkpoint is used.
///
///     io::Checkpoint checkpoint;
///     checkpoint.add("model", model)
///         .add("optimizer", optimizer, model->named_parameters())
///         .add("schedule", schedule)
///         .add("loader", loader)
///         .add("random", default_generator());
///     checkpoint.save("run.safetensors");
class Checkpoint {
 public:
  /// Strings that are saved with the parts; load() replaces them by those of the file.
  Metadata metadata;

  /// Adds a part. @throws Error when `name` is empty, has a dot or is taken.
  template <Stateful Part>
  Checkpoint& add(const std::string& name, Part& part) {
    return add(
        name, [&part] { return part.state_dict(); },
        [&part](const NamedTensors& state) { part.load_state_dict(state); });
  }
  template <StatefulHandle Handle>
  Checkpoint& add(const std::string& name, Handle& handle) {
    return add(name, *handle);
  }
  /// Adds an optimizer whose state is stored under the names of its parameters, so that the order
  /// of the parameters may change.
  template <Stateful Optimizer>
  Checkpoint& add(const std::string& name, Optimizer& optimizer, const NamedTensors& parameters) {
    return add(
        name, [&optimizer, parameters] { return optimizer.state_dict(parameters); },
        [&optimizer, parameters](const NamedTensors& state) {
          optimizer.load_state_dict(state, parameters);
        });
  }
  /// Adds a random generator: weights, dropout masks and shuffles continue their sequence.
  Checkpoint& add(const std::string& name, Generator& generator);

  /// Writes the state of all parts. @throws IoError; the old file is then unchanged.
  void save(const std::string& path) const;
  /// Reads a file and restores every part, on any device.
  /// @throws IoError for a file that cannot be read.
  /// @throws Error that lists, part by part, what does not fit. Parts that fit are loaded.
  void load(const std::string& path);

 private:
  struct Part {
    std::string name;
    std::function<NamedTensors()> get;
    std::function<void(const NamedTensors&)> put;
  };
  Checkpoint& add(const std::string& name, std::function<NamedTensors()> get,
                  std::function<void(const NamedTensors&)> put);

  std::vector<Part> parts_;
};

}  // namespace td::io

namespace td {

/// Writes one tensor, a list of them, or the state of a module or an optimizer (see io::Checkpoint
/// for a whole training). One save() per stream: load() reads it to its end.
/// @param where a path, or a stream. @throws IoError; the old file is then unchanged.
template <class What, class Where>
requires requires(const What& what) { io::state_of(what); }
void save(const What& what, Where&& where) { io::save(io::state_of(what), where); }

/// Reads what save() of the same kind wrote, to `device` or to the cpu.
/// @throws IoError naming the file, what was expected and the next step.
///@{
void load(Tensor& tensor, const std::string& path, optional<Device> device = nullopt);
void load(Tensor& tensor, std::istream& stream, optional<Device> device = nullopt);
void load(TensorList& tensors, const std::string& path, optional<Device> device = nullopt);
void load(TensorList& tensors, std::istream& stream, optional<Device> device = nullopt);
///@}

/// Copies a saved state into a module or an optimizer, on whatever device it is.
/// @param where a path, or a stream. @throws IoError for a file that cannot be read.
/// @throws Error listing every missing or unexpected name and everything that does not fit.
///@{
template <io::Stateful Part, class Where>
void load(Part& part, Where&& where) {
  part.load_state_dict(io::load(where).tensors);
}
template <io::StatefulHandle Handle, class Where>
void load(Handle& handle, Where&& where) {
  load(*handle, where);
}
///@}

}  // namespace td
