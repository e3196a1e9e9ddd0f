// The C++ side of safetensors_test.py: `write FILE` writes every kind of tensor there is, `read
// FILE` prints what is in a file, one tensor or string per line, elements as hexadecimal bytes.
#include <cstring>
#include <iostream>

#include "td/td.h"

namespace {

void write(const std::string& path) {
  td::io::StateDict state;
  for (td::ScalarType type : {td::kByte, td::kInt, td::kLong, td::kHalf, td::kFloat, td::kDouble,
                              td::kBool, td::kBFloat16}) {
    const std::string name = td::dtype_name(type);
    const td::Tensor numbers = td::arange(6, td::kLong).sub(2).to(type).reshape({2, 3});
    state.tensors.insert(name, numbers);
    state.tensors.insert(name + ".scalar", td::full({}, 1, type));
    state.tensors.insert(name + ".empty", td::empty({0, 3}, type));
    state.tensors.insert(name + ".sim", numbers.to("sim:0").transpose(0, 1));
  }
  state.tensors.insert("tied", state.tensors["float32"].detach());
  state.metadata["note"] = "two \"words\" \xc3\xa9";
  td::io::save_file(state, path);
}

void print(const td::Tensor& tensor) {
  std::cout << tensor.dtype() << ' ' << tensor.sizes() << ' ';
  const auto* bytes = static_cast<const unsigned char*>(tensor.data_ptr());
  for (std::size_t i = 0; i < tensor.nbytes(); ++i)
    std::cout << "0123456789abcdef"[bytes[i] >> 4] << "0123456789abcdef"[bytes[i] & 15];
  std::cout << '\n';
}

void read(const std::string& path) {
  const td::io::StateDict state = td::io::load_file(path);
  for (const auto& [key, text] : state.metadata)
    std::cout << "string " << key << ' ' << text << '\n';
  for (const auto& item : state.tensors) {
    std::cout << "tensor " << item.key() << ' ';
    print(item.value());
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  try {
    std::strcmp(argv[1], "write") == 0 ? write(argv[2]) : read(argv[2]);
    return 0;
  } catch (const td::Error& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
