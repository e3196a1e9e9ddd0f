// Reads and writes the JSON header of a safetensors file. No other file includes the JSON library,
// which is slow to compile. Invariant: input is not trusted; every type, size and offset is checked
// before its use.
#include "io/safetensors.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

namespace td::io {
namespace {

using Json = nlohmann::json;

constexpr const char* kMetadata = "__metadata__";
constexpr const char* kDamaged = "; the file is damaged, or was not written as safetensors";

struct DtypeName {
  const char* name;
  ScalarType type;
};
constexpr DtypeName kDtypes[] = {{"F64", kDouble},    {"F32", kFloat}, {"F16", kHalf},
                                 {"BF16", kBFloat16}, {"I64", kLong},  {"I32", kInt},
                                 {"U8", kByte},       {"BOOL", kBool}};

const char* name_of(ScalarType type) {
  return std::find_if(std::begin(kDtypes), std::end(kDtypes),
                      [&](const DtypeName& known) { return known.type == type; })
      ->name;
}

// Text of a value for messages, which is not too long.
std::string excerpt(const Json& value) { return value.dump(-1, ' ', true).substr(0, 80); }

// Rejects what the JSON library would accept: a key that occurs twice, and depth that the format
// does not have.
Json parse_strictly(const std::string& path, const std::string& text) {
  std::set<std::string> keys[4];  // of the open object of each depth
  const auto check = [&](int depth, Json::parse_event_t event, Json& value) {
    TD_CHECK(IoError, depth <= 3, path, ": the header is nested deeper than a tensor's entry",
             kDamaged);
    if (event == Json::parse_event_t::object_start) keys[depth].clear();
    if (event == Json::parse_event_t::key)
      TD_CHECK(IoError, keys[depth - 1].insert(value.get<std::string>()).second, path,
               ": the header has ", value.dump(), " twice", kDamaged);
    return true;
  };
  try {
    return Json::parse(text, check);
  } catch (const Json::parse_error& error) {
    fail<IoError>(path, ": the header stops being JSON at offset ", 7 + error.byte, kDamaged);
  } catch (const Json::exception& error) {
    fail<IoError>(path, ": the header is not JSON: ", error.what(), kDamaged);
  }
}

// Reads the entry of one tensor.
class EntryReader {
 public:
  EntryReader(const std::string& path, const std::string& name, const Json& entry,
              std::size_t data_bytes)
      : path_(path), entry_(entry), data_bytes_(data_bytes) {
    info_.name = name;
  }

  TensorInfo read() {
    for (const auto& item : need(entry_.is_object(), entry_).items())
      require(item.key() == "dtype" || item.key() == "shape" || item.key() == "data_offsets",
              "has a field \"", item.key(), "\"; expected dtype, shape and data_offsets");
    read_dtype();
    const std::size_t bytes = read_shape();
    read_offsets();
    require(info_.end - info_.begin == bytes, "has ", info_.end - info_.begin,
            " bytes of data; expected ", bytes, " for ", info_.dtype, ' ', info_.shape);
    return std::move(info_);
  }

 private:
  template <class... Parts>
  void require(bool good, const Parts&... parts) const {
    if (!good) fail<IoError>(path_, ": tensor \"", info_.name, "\" ", parts..., kDamaged);
  }
  const Json& need(bool good, const Json& value) const {
    require(good, "is described by ", excerpt(value),
            "; expected {\"dtype\": ..., \"shape\": [...], \"data_offsets\": [begin, end]}");
    return value;
  }
  const Json& field(const char* name) const {
    const auto found = entry_.find(name);
    require(found != entry_.end(), "has no ", name);
    return *found;
  }
  // JSON numbers beyond 64 bits and with a fraction are of another kind.
  std::size_t whole_number(const char* what, const Json& value) const {
    require(value.is_number_unsigned(), "has ", excerpt(value), " in its ", what,
            "; expected integers of 0 or more");
    return value.get<std::size_t>();
  }

  void read_dtype() {
    const Json& value = field("dtype");
    const std::string name = value.is_string() ? value.get<std::string>() : excerpt(value);
    for (const DtypeName& known : kDtypes)
      if (name == known.name) {
        info_.dtype = known.type;
        return;
      }
    fail<IoError>(path_, ": tensor \"", info_.name, "\" has the element type ", name.substr(0, 80),
                  "; expected F64, F32, F16, BF16, I64, I32, U8 or BOOL. Convert it where the file "
                  "was written.");
  }

  // Returns the bytes that the elements take.
  std::size_t read_shape() {
    const Json& shape = need(field("shape").is_array(), field("shape"));
    require(shape.size() <= kMaxDims, "has ", shape.size(), " dimensions; expected at most ",
            kMaxDims);
    // Strides are products of sizes even where another size is 0, and must not overflow either;
    // 2^59 is also the limit for the largest tensor.
    std::size_t extent = td::element_size(info_.dtype), bytes = extent;
    for (const Json& value : shape) {
      const std::size_t size = whole_number("shape", value);
      const std::size_t factor = std::max<std::size_t>(size, 1);
      require(factor <= (std::size_t{1} << 59) / extent, "has a shape of more than 2^59 bytes");
      extent *= factor;
      bytes *= size;
      info_.shape.push_back(static_cast<std::int64_t>(size));
    }
    return bytes;
  }

  void read_offsets() {
    const Json& offsets = field("data_offsets");
    need(offsets.is_array() && offsets.size() == 2, offsets);
    info_.begin = whole_number("data_offsets", offsets[0]);
    info_.end = whole_number("data_offsets", offsets[1]);
    require(info_.begin <= info_.end && info_.end <= data_bytes_, "lies at data offsets ",
            info_.begin, " to ", info_.end, "; expected offsets that rise and are at most ",
            data_bytes_, ", where the file ends");
  }

  const std::string& path_;
  const Json& entry_;
  std::size_t data_bytes_;
  TensorInfo info_;
};

Metadata read_metadata(const std::string& path, const Json& entry) {
  Metadata metadata;
  TD_CHECK(IoError, entry.is_object(), path, ": ", kMetadata, " is not a list of strings",
           kDamaged);
  for (const auto& item : entry.items()) {
    TD_CHECK(IoError, item.value().is_string(), path, ": ", kMetadata, " has no string for \"",
             item.key(), '"', kDamaged);
    metadata[item.key()] = item.value().get<std::string>();
  }
  return metadata;
}

// Checks that every byte belongs to exactly one tensor: there are no gaps and no overlaps.
void check_cover(const std::string& path, const Header& header, std::size_t data_bytes) {
  std::size_t at = 0;
  for (const TensorInfo& tensor : header.tensors) {
    TD_CHECK(IoError, tensor.begin == at, path, ": tensor \"", tensor.name,
             "\" begins at data offset ", tensor.begin, "; expected ", at,
             ", where the one before it ends", kDamaged);
    at = tensor.end;
  }
  TD_CHECK(IoError, at == data_bytes, path, ": the last tensor ends at data offset ", at,
           "; expected ", data_bytes, ", where the file ends", kDamaged);
}

}  // namespace

Header read_header(const std::string& path, const std::string& text, std::size_t data_bytes) {
  TD_CHECK(IoError, !text.empty() && text[0] == '{', path,
           ": the header does not begin with {, at offset 8", kDamaged);
  const Json json = parse_strictly(path, text);
  Header header;
  for (const auto& item : json.items())
    if (item.key() == kMetadata)
      header.metadata = read_metadata(path, item.value());
    else
      header.tensors.push_back(EntryReader(path, item.key(), item.value(), data_bytes).read());
  std::sort(header.tensors.begin(), header.tensors.end(),
            [](const TensorInfo& a, const TensorInfo& b) {
              // A tensor without elements ends where it begins: it comes before what follows there.
              return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
            });
  check_cover(path, header, data_bytes);
  return header;
}

std::string write_header(const std::string& path, const Header& header) {
  std::ostringstream text;
  const char* comma = "";
  try {
    text << '{';
    if (!header.metadata.empty()) {
      text << '"' << kMetadata << "\":" << Json(header.metadata).dump();
      comma = ",";
    }
    for (const TensorInfo& tensor : header.tensors) {
      TD_CHECK(IoError, tensor.name != kMetadata, path, ": no tensor can be named ", kMetadata);
      const std::vector<std::int64_t> shape(tensor.shape.begin(), tensor.shape.end());
      text << std::exchange(comma, ",") << Json(tensor.name).dump() << ":{\"dtype\":\""
           << name_of(tensor.dtype) << "\",\"shape\":" << Json(shape).dump()
           << ",\"data_offsets\":[" << tensor.begin << ',' << tensor.end << "]}";
    }
    text << '}';
  } catch (const Json::exception& error) {
    fail<IoError>("cannot write ", path, ": a name or a string of the metadata is not UTF-8 (",
                  error.what(), "); rename it");
  }
  std::string padded = std::move(text).str();
  padded.resize((padded.size() + 7) / 8 * 8, ' ');
  return padded;
}

}  // namespace td::io
