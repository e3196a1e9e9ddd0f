// Tensors in files of the safetensors format, which Python reads and writes too. Checkpoints and
// save/load are built on it. Invariant: a file is written whole or not at all (AtomicFile), and
// read only when every byte of it is accounted for.
#pragma once

#include <iosfwd>

#include "td/base/ordered_dict.h"
#include "io/header.h"
#include "td/tensor/tensor.h"

namespace td::io {

/// Tensors by name, in order, and strings that go along with them.
struct StateDict {
  OrderedDict<std::string, Tensor> tensors{"Tensor"};  ///< names may share memory
  Metadata metadata;                                   ///< strings, free of choice
};

/// Writes `state` to `path`, in place of what stands there. Tensors of devices are brought to the
/// host one at a time, views are written by value, and names that mean the same elements (tied
/// weights) are stored once, with `"alias.<name>": "<name that is stored>"` in the metadata.
/// @throws IoError naming the file, the reason and the next step; the old file is whole then.
void save_file(const StateDict& state, const std::string& path);

/// Reads the file at `path` to the cpu, names in the order of the data, tied names sharing memory.
/// @throws IoError naming the file, the place, what was expected and the next step.
StateDict load_file(const std::string& path);

/// What messages say instead of a path.
inline constexpr const char* kStream = "the stream";
/// The same bytes to a stream that is open in binary mode. @throws IoError when it takes no more.
void save(const StateDict& state, std::ostream& stream);
/// Reads a stream from where it is to its end, which must be what one save() wrote.
/// @throws IoError as load_file, with "the stream" for the path.
StateDict load(std::istream& stream);

}  // namespace td::io
