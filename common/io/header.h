// The header of a safetensors file: what it says of each tensor, as text and back. safetensors.cpp
// calls it. Invariant: a header that read_header accepts describes every byte of the data exactly
// once, in the order of `tensors`, so that nobody needs to check a size or an offset again.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "td/base/sizes.h"
#include "td/tensor/dtype.h"

namespace td::io {

/// Free strings that go along with the tensors.
using Metadata = std::map<std::string, std::string>;

/// One tensor of a file.
struct TensorInfo {
  std::string name;           ///< unique in the file
  ScalarType dtype = kFloat;  ///< of its elements
  Sizes shape;                ///< empty for a scalar
  std::size_t begin = 0;      ///< offset from the start of the data, in bytes
  std::size_t end = 0;        ///< behind its last byte
};

/// What a header holds.
struct Header {
  std::vector<TensorInfo> tensors;  ///< in the order of their data
  Metadata metadata;                ///< the strings that go along
};

/// The longest header that is read, as in the format's own library.
inline constexpr std::size_t kLongestHeader = 100'000'000;

/// Reads the text of a header. `data_bytes` is how many bytes follow it in the file.
/// @throws IoError naming `path`, the place, what was expected and the next step.
Header read_header(const std::string& path, const std::string& text, std::size_t data_bytes);

/// The text of a header, filled up with blanks to a multiple of eight bytes.
/// @throws IoError naming `path` when a name or a string is not UTF-8.
std::string write_header(const std::string& path, const Header& header);

}  // namespace td::io
