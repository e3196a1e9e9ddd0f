// Tensors in files of the safetensors format, which Python reads and writes too. Checkpoints and
// save/load are built on it. Invariants: a file is written atomically (AtomicFile). A header that
// read_header accepts describes every byte of the data exactly once, in the order of `tensors`, so
// no other code checks a size or an offset.
#pragma once

#include <iosfwd>
#include <map>
#include <string>
#include <vector>

#include "td/base/ordered_dict.h"
#include "td/base/sizes.h"
#include "td/tensor/tensor.h"

namespace td::io {
/// Strings that are stored with the tensors.
using Metadata = std::map<std::string, std::string>;

/// Tensors by name, in order, and metadata.
struct StateDict {
  OrderedDict<std::string, Tensor> tensors{"Tensor"};  ///< names may share memory
  Metadata metadata;                                   ///< any strings
};

/// Writes `state` to `path` and replaces an existing file. Tensors of devices are copied to the
/// host one at a time, views are written by value, and names of the same elements (tied weights)
/// are stored once, with `"alias.<name>": "<name that is stored>"` in the metadata.
/// @throws IoError naming the file, the reason and the next step; the old file is then unchanged.
void save_file(const StateDict& state, const std::string& path);

/// Reads the file at `path` to the cpu, names in the order of the data; tied names share memory.
/// @throws IoError naming the file, the offset, what was expected and the next step.
StateDict load_file(const std::string& path);

/// Writes the file as save_file does.
inline void save(const StateDict& state, const std::string& path) { save_file(state, path); }
/// Reads the file as load_file does.
inline StateDict load(const std::string& path) { return load_file(path); }

/// What error messages print instead of a path.
inline constexpr const char* kStream = "the stream";
/// Writes the same bytes to a stream that is open in binary mode. @throws IoError when writing
/// fails.
void save(const StateDict& state, std::ostream& stream);
/// Reads a stream from its position to its end, which must be the output of one save().
/// @throws IoError as load_file, with "the stream" for the path.
StateDict load(std::istream& stream);

/// One tensor of a file.
struct TensorInfo {
  std::string name;           ///< unique in the file
  ScalarType dtype = kFloat;  ///< of its elements
  Sizes shape;                ///< empty for a scalar
  std::size_t begin = 0;      ///< offset from the start of the data, in bytes
  std::size_t end = 0;        ///< after its last byte
};

/// The contents of a header. safetensors.cpp reads and writes it.
struct Header {
  std::vector<TensorInfo> tensors;  ///< in the order of their data
  Metadata metadata;                ///< the strings
};

/// The longest header that is read, as in the format's own library.
inline constexpr std::size_t kLongestHeader = 100'000'000;

/// Reads the text of a header. `data_bytes` is how many bytes follow it in the file.
/// @throws IoError naming `path`, the offset, what was expected and the next step.
Header read_header(const std::string& path, const std::string& text, std::size_t data_bytes);

/// Returns the text of a header, padded with blanks to a multiple of eight bytes.
/// @throws IoError naming `path` when a name or a string is not UTF-8.
std::string write_header(const std::string& path, const Header& header);

}  // namespace td::io
