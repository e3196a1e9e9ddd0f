// The layout of a file: 8 bytes with the length of the header (little-endian), the header, the
// data. Wide elements come first, so that all of them begin at multiples of their size.
// https://huggingface.co/docs/safetensors, "Format".
#include "io/safetensors.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <istream>
#include <sstream>

#include "os/file.h"
#include "td/autograd/modes.h"

namespace td::io {
namespace {

static_assert(std::endian::native == std::endian::little, "the format's numbers are little-endian");

constexpr const char* kAlias = "alias.";
constexpr std::size_t kLengthBytes = 8;

bool same_elements(const Tensor& a, const Tensor& b) {
  return a.numel() > 0 && a.impl().storage == b.impl().storage &&
         a.storage_offset() == b.storage_offset() && a.dtype() == b.dtype() &&
         a.sizes() == b.sizes() && a.strides() == b.strides();
}

// What is to be stored, each set of elements once.
struct Plan {
  Header header;
  std::vector<Tensor> tensors;  // beside header.tensors
};

Plan plan_of(const StateDict& state, const std::string& path) {
  std::vector<const OrderedDict<std::string, Tensor>::Item*> stored;
  Plan plan;
  for (const auto& [key, text] : state.metadata)
    TD_CHECK(IoError, !key.starts_with(kAlias), "cannot write ", path, ": \"", key,
             "\" of the metadata begins with \"", kAlias,
             "\", which marks tied tensors; choose another key");
  plan.header.metadata = state.metadata;
  for (const auto& item : state.tensors) {
    TD_CHECK(IoError, item.value().defined(), "cannot write ", path, ": tensor \"", item.key(),
             "\" is undefined; leave it out");
    const auto same = std::find_if(stored.begin(), stored.end(), [&](const auto* other) {
      return same_elements(item.value(), other->value());
    });
    if (same == stored.end())
      stored.push_back(&item);
    else
      plan.header.metadata[kAlias + item.key()] = (*same)->key();
  }
  std::sort(stored.begin(), stored.end(), [](const auto* a, const auto* b) {
    const std::size_t size_a = a->value().element_size(), size_b = b->value().element_size();
    return size_a != size_b ? size_a > size_b : a->key() < b->key();
  });
  std::size_t at = 0;
  for (const auto* item : stored) {
    const Tensor& tensor = item->value();
    plan.header.tensors.push_back(
        {item->key(), tensor.dtype(), tensor.sizes(), at, at + tensor.nbytes()});
    plan.tensors.push_back(tensor);
    at += tensor.nbytes();
  }
  return plan;
}

// A file or a stream.
struct Input {
  std::string path;
  std::size_t size;
  // Reads up to `bytes` bytes from `offset` on and returns how many there were.
  std::function<std::size_t(std::size_t offset, void* to, std::size_t bytes)> read;
};

std::string read_header_text(const Input& file) {
  std::uint64_t length = 0;
  TD_CHECK(
      IoError, file.read(0, &length, kLengthBytes) == kLengthBytes, file.path,
      ": the file ends at offset ", file.size,
      "; expected the length of a header in 8 bytes. It is truncated or not a safetensors file.");
  TD_CHECK(IoError, length <= kLongestHeader && length <= file.size - kLengthBytes, file.path,
           ": the number at offset 0 asks for a header of ", length, " bytes; expected at most ",
           std::min(kLongestHeader, file.size - kLengthBytes),
           ". The file is truncated or not a safetensors file.");
  std::string text(length, ' ');
  TD_CHECK(IoError, file.read(kLengthBytes, text.data(), length) == length, file.path,
           ": the file became shorter while it was read");
  return text;
}

// In memory a bool is 0 or 1 and nothing else; C++ does not define the meaning of another value.
void check_bools(const std::string& path, const TensorInfo& info, const Tensor& tensor,
                 std::size_t offset) {
  const auto* bytes = static_cast<const std::uint8_t*>(tensor.data_ptr());
  const auto* end = bytes + tensor.numel();
  const auto* wrong = std::find_if(bytes, end, [](std::uint8_t byte) { return byte > 1; });
  if (wrong != end)
    fail<IoError>(path, ": byte ", int{*wrong}, " at offset ", offset + (wrong - bytes),
                  "; expected 0 or 1, as tensor \"", info.name, "\" is BOOL. The file is damaged.");
}

Tensor read_tensor(const Input& file, const TensorInfo& info, std::size_t data_at) {
  Tensor tensor = empty(info.shape, info.dtype);
  const std::size_t bytes = info.end - info.begin, offset = data_at + info.begin;
  if (bytes == 0) return tensor;
  TD_CHECK(IoError, file.read(offset, tensor.data_ptr(), bytes) == bytes, file.path,
           ": the file became shorter while it was read");
  if (info.dtype == kBool) check_bools(file.path, info, tensor, offset);
  return tensor;
}

// Turns the aliases of the metadata into names of tensors again.
void resolve_aliases(const std::string& path, StateDict& state) {
  std::erase_if(state.metadata, [&](const auto& entry) {
    const auto& [key, target] = entry;
    if (!key.starts_with(kAlias)) return false;
    const std::string name = key.substr(std::string(kAlias).size());
    const Tensor* tensor = state.tensors.find(target);
    TD_CHECK(IoError, tensor && !state.tensors.contains(name), path, ": the metadata says that \"",
             name, "\" is another name of \"", target, "\"; expected ",
             tensor ? "one tensor of the first name" : "a tensor of the second name",
             ". The file is damaged.");
    state.tensors.insert(name, Tensor(*tensor));
    return true;
  });
}

template <class Write>
void write_state(const Plan& plan, const std::string& path, Write&& write) {
  const std::string text = write_header(path, plan.header);
  TD_CHECK(IoError, text.size() <= kLongestHeader, "cannot write ", path, ": the names take ",
           text.size(), " bytes; expected at most ", kLongestHeader, ". Write several files.");
  const std::uint64_t length = text.size();
  write(&length, kLengthBytes);
  write(text.data(), text.size());
  for (const Tensor& tensor : plan.tensors) {
    const Tensor host = tensor.detach().cpu().contiguous();
    if (host.numel() > 0) write(host.data_ptr(), host.nbytes());
  }
}

StateDict read_state(const Input& file) {
  const std::string text = read_header_text(file);
  const std::size_t data_at = kLengthBytes + text.size();
  const Header header = read_header(file.path, text, file.size - data_at);
  StateDict state;
  state.metadata = header.metadata;
  for (const TensorInfo& info : header.tensors)
    state.tensors.insert(info.name, read_tensor(file, info, data_at));
  resolve_aliases(file.path, state);
  return state;
}

}  // namespace

void save_file(const StateDict& state, const std::string& path) {
  NoGradGuard no_grad;
  const Plan plan = plan_of(state, path);
  AtomicFile file(path);
  write_state(plan, path, [&](const void* data, std::size_t bytes) { file.write(data, bytes); });
  file.commit();
}

void save(const StateDict& state, std::ostream& stream) {
  NoGradGuard no_grad;
  write_state(plan_of(state, kStream), kStream, [&](const void* data, std::size_t bytes) {
    stream.write(static_cast<const char*>(data), static_cast<std::streamsize>(bytes));
    TD_CHECK(IoError, stream, "cannot write ", kStream,
             ": it takes no more bytes; check that it is open and that there is space");
  });
}

StateDict load_file(const std::string& path) {
  const InputFile file(path);
  return read_state({path, file.size(), [&](std::size_t offset, void* to, std::size_t bytes) {
                       return file.read(offset, to, bytes);
                     }});
}

StateDict load(std::istream& stream) {
  TD_CHECK(IoError, stream.good(), "cannot read ", kStream,
           ": it failed or ended before; check that it is open");
  std::ostringstream copied;  // whole: a stream need not know its size
  copied << stream.rdbuf();
  const std::string all = std::move(copied).str();
  return read_state({kStream, all.size(), [&](std::size_t offset, void* to, std::size_t bytes) {
                       return all.copy(static_cast<char*>(to), bytes, offset);
                     }});
}

}  // namespace td::io
