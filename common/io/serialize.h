// save and load with libtorch's names: `save(model, "net.safetensors")`, or a stream that is open
// in binary mode instead of the path. Both hold safetensors files. Invariant: loading into a module
// or an optimizer changes the values of its tensors, never which tensors they are.
#pragma once

#include "io/checkpoint.h"

namespace td {

/// Writes one tensor, or a list of them. One save() per stream: load() reads it to its end.
/// @throws IoError; the old file is then unchanged.
///@{
void save(const Tensor& tensor, const std::string& path);
void save(const Tensor& tensor, std::ostream& stream);
void save(const TensorList& tensors, const std::string& path);
void save(const TensorList& tensors, std::ostream& stream);
///@}

/// Reads what save() of the same kind wrote, to `device` or to the cpu.
/// @throws IoError naming the file, what was expected and the next step.
///@{
void load(Tensor& tensor, const std::string& path, optional<Device> device = nullopt);
void load(Tensor& tensor, std::istream& stream, optional<Device> device = nullopt);
void load(TensorList& tensors, const std::string& path, optional<Device> device = nullopt);
void load(TensorList& tensors, std::istream& stream, optional<Device> device = nullopt);
///@}

/// Writes the state of a module or an optimizer (see io::Checkpoint for a whole training).
/// @throws IoError; the old file is then unchanged.
///@{
template <io::Stateful Part>
void save(const Part& part, const std::string& path) {
  io::save_file({part.state_dict(), {}}, path);
}
template <io::Stateful Part>
void save(const Part& part, std::ostream& stream) {
  io::save({part.state_dict(), {}}, stream);
}
template <io::StatefulHandle Handle, class Where>
void save(const Handle& handle, Where&& where) {
  save(*handle, where);
}
///@}

/// Copies a saved state into a module or an optimizer, on whatever device it is.
/// @throws IoError for a file that cannot be read.
/// @throws Error listing every missing or unexpected name and everything that does not fit.
///@{
template <io::Stateful Part>
void load(Part& part, const std::string& path) {
  part.load_state_dict(io::load_file(path).tensors);
}
template <io::Stateful Part>
void load(Part& part, std::istream& stream) {
  part.load_state_dict(io::load(stream).tensors);
}
template <io::StatefulHandle Handle, class Where>
void load(Handle& handle, Where&& where) {
  load(*handle, where);
}
///@}

}  // namespace td
