// Safetensors files: what is read accounts for every byte of the file, and survives a save.
#include "io/safetensors.h"

#include <cstring>

#include "fuzz.h"
#include "td/base/error.h"

namespace {

bool same(const td::Tensor& a, const td::Tensor& b) {
  return a.dtype() == b.dtype() && a.sizes() == b.sizes() &&
         (a.numel() == 0 || std::memcmp(a.data_ptr(), b.data_ptr(), a.nbytes()) == 0);
}

void check_saved_again(const td::io::StateDict& state, const std::string& path) {
  td::io::save_file(state, path);
  const td::io::StateDict again = td::io::load_file(path);
  fuzz::expect(again.metadata == state.metadata, "strings survive a save");
  fuzz::expect(again.tensors.size() == state.tensors.size(), "names survive a save");
  for (const auto& item : state.tensors)
    fuzz::expect(same(item.value(), again.tensors[item.key()]), "tensors survive a save");
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::Folder folder;
  const std::string path = folder.put("in", fuzz::Input(data, size).rest());
  td::io::StateDict state;
  if (!fuzz::parses<td::IoError>([&] { state = td::io::load_file(path); })) return 0;
  std::size_t bytes = 0;
  for (const auto& item : state.tensors) bytes += item.value().nbytes();
  fuzz::expect(bytes <= size * (1 + state.tensors.size()), "no tensor is larger than the file");
  // The key that marks a file's own aliases is gone after reading, unless a file nests it.
  for (const auto& [key, text] : state.metadata)
    fuzz::expect(key.rfind("alias.", 0) != 0, "aliases become names");
  check_saved_again(state, folder / "out");
  return 0;
}
