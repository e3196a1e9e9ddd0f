// The safetensors format: the bytes that are written, the values that are read, and the errors for
// damaged files.
#include "io/safetensors.h"

#include <cstring>

#include "../data/folder.h"
#include "td/td.h"

using namespace td;

namespace {

std::string little_endian(std::uint64_t number) {
  std::string bytes(8, '\0');
  std::memcpy(bytes.data(), &number, 8);
  return bytes;
}

// A file with this header, filled up with blanks to `aligned` bytes.
std::string file_of(std::string header, const std::string& data, std::size_t aligned = 0) {
  if (header.size() < aligned) header.resize(aligned, ' ');
  return little_endian(header.size()) + header + data;
}
std::string entry(const std::string& name, const std::string& dtype, const std::string& shape,
                  const std::string& offsets) {
  return "\"" + name + "\":{\"dtype\":\"" + dtype + "\",\"shape\":" + shape +
         ",\"data_offsets\":" + offsets + "}";
}

std::string bytes_of(const Tensor& tensor) {
  const Tensor host = tensor.detach().cpu().contiguous();
  return {static_cast<const char*>(host.data_ptr()), host.nbytes()};
}

void check_same(const Tensor& actual, const Tensor& expected) {
  CHECK(actual.dtype() == expected.dtype());
  CHECK(actual.sizes() == expected.sizes());
  if (expected.numel() > 0) CHECK(bytes_of(actual) == bytes_of(expected));
}

// The error of load_file for these bytes, without the path.
std::string complaint(const std::string& bytes) {
  TemporaryFolder folder;
  const std::string path = folder / "f";
  put(path, bytes);
  const std::string text = message<IoError>([&] { io::load_file(path); });
  CHECK(text.find(path + ": ") == 0);
  return text.substr(path.size() + 2);
}
std::string complaint_of_header(const std::string& header, const std::string& data = "") {
  return complaint(file_of(header, data));
}

constexpr const char* kDamaged = "; the file is damaged, or was not written as safetensors";

}  // namespace

TEST_CASE("a file has the format's bytes: wide elements first, then names in order") {
  TemporaryFolder folder;
  io::StateDict state;
  state.tensors.insert("b", of({1, 2}, {1, 2}));
  state.tensors.insert("a", of({-2}, {1}));
  state.tensors.insert("half", of({1}, {}).to(kHalf));
  state.tensors.insert("wide", full({}, 3, kLong));
  state.metadata["note"] = "two words";
  io::save_file(state, folder / "f");
  std::string header =
      "{\"__metadata__\":{\"note\":\"two words\"}," + entry("wide", "I64", "[]", "[0,8]") + "," +
      entry("a", "F32", "[1]", "[8,12]") + "," + entry("b", "F32", "[1,2]", "[12,20]") + "," +
      entry("half", "F16", "[]", "[20,22]") + "}";
  header.resize((header.size() + 7) / 8 * 8, ' ');
  const std::string data("\3\0\0\0\0\0\0\0\0\0\0\xc0\0\0\x80\x3f\0\0\0\x40\0\x3c", 22);
  CHECK(get(folder / "f") == little_endian(header.size()) + header + data);
  CHECK(folder.files() == 1);
}

TEST_CASE("every type, size and layout comes back as it was") {
  TemporaryFolder folder;
  for (const Device device : devices()) {
    INFO(device);
    io::StateDict state;
    for (ScalarType type : {kByte, kInt, kLong, kHalf, kFloat, kDouble, kBool, kBFloat16}) {
      const std::string name = dtype_name(type);
      state.tensors.insert(name, randn({3, 4}).mul(3).to(type).to(device));
      state.tensors.insert(name + " scalar", ones({}, type).to(device));
      state.tensors.insert(name + " empty", empty({0, 3}, type).to(device));
    }
    state.tensors.insert("strange \"name\" \xc3\xa9\n", ones({2}).to(device));
    state.metadata["\xe4\xbd\xa0"] = "\xe5\xa5\xbd";
    io::save_file(state, folder / "f");
    const io::StateDict loaded = io::load_file(folder / "f");
    CHECK(loaded.metadata == state.metadata);
    REQUIRE(loaded.tensors.size() == state.tensors.size());
    for (const auto& item : state.tensors) {
      INFO(item.key());
      CHECK(loaded.tensors[item.key()].is_cpu());
      check_same(loaded.tensors[item.key()], item.value());
    }
  }
}

TEST_CASE("an empty state is a file, too") {
  TemporaryFolder folder;
  io::save_file({}, folder / "f");
  CHECK(get(folder / "f") == file_of("{}", "", 8));
  CHECK(io::load_file(folder / "f").tensors.is_empty());
}

TEST_CASE("views and other layouts are written by value") {
  TemporaryFolder folder;
  const Tensor base = arange(24, kFloat).reshape({2, 3, 4});
  const Tensor image = randn({2, 3, 4, 5}).contiguous(MemoryFormat::ChannelsLast);
  io::StateDict state;
  state.tensors.insert("transposed", base.transpose(0, 2));
  state.tensors.insert("row", base[1]);
  state.tensors.insert("expanded", ones({1}).expand({3}));
  state.tensors.insert("image", image);
  io::save_file(state, folder / "f");
  const io::StateDict loaded = io::load_file(folder / "f");
  for (const auto& item : state.tensors) {
    check_same(loaded.tensors[item.key()], item.value());
    CHECK(loaded.tensors[item.key()].is_contiguous());
  }
}

TEST_CASE("tied tensors are stored once and come back tied") {
  TemporaryFolder folder;
  const Tensor weight = randn({4, 3});
  io::StateDict state;
  state.tensors.insert("encoder", weight);
  state.tensors.insert("decoder", weight.detach());
  state.tensors.insert("part", weight[0]);  // shares memory, but is not the same elements
  state.metadata["epoch"] = "3";
  io::save_file(state, folder / "f");
  const std::string bytes = get(folder / "f");
  CHECK(bytes.find("\"alias.decoder\":\"encoder\"") != bytes.npos);
  CHECK(bytes.find("\"decoder\":{") == bytes.npos);
  const io::StateDict loaded = io::load_file(folder / "f");
  CHECK(loaded.metadata == state.metadata);
  REQUIRE(loaded.tensors.size() == 3);
  check_same(loaded.tensors["decoder"], weight);
  check_same(loaded.tensors["part"], weight[0]);
  Tensor(loaded.tensors["encoder"]).fill_(7);
  CHECK(values(loaded.tensors["decoder"]) == std::vector<double>(12, 7));
  CHECK(values(loaded.tensors["part"]) != std::vector<double>(3, 7));
}

TEST_CASE("a state that cannot be written is rejected, and the old file stays") {
  TemporaryFolder folder;
  const std::string path = folder / "f";
  io::StateDict good;
  good.tensors.insert("w", ones({2}));
  io::save_file(good, path);
  const std::string before = get(path);
  const auto refusal = [&](const char* name, const Tensor& tensor, io::Metadata metadata = {}) {
    io::StateDict state;
    state.tensors.insert(name, tensor);
    state.metadata = std::move(metadata);
    return message<IoError>([&] { io::save_file(state, path); });
  };
  const std::string cannot = "cannot write " + path + ": ";
  CHECK(refusal("w", {}) == cannot + "tensor \"w\" is undefined; leave it out");
  CHECK(
      refusal("\xff", ones({1})).find(cannot + "a name or a string of the metadata is not UTF-8") ==
      0);
  CHECK(refusal("__metadata__", ones({1})) == path + ": no tensor can be named __metadata__");
  CHECK(refusal("w", ones({1}), {{"alias.v", "w"}}) ==
        cannot +
            "\"alias.v\" of the metadata begins with \"alias.\", which marks tied tensors; "
            "choose another key");
  CHECK(get(path) == before);
  CHECK(folder.files() == 1);
  CHECK(message<IoError>([&] { io::save_file(good, folder / "none/f"); }) ==
        "cannot write " + (folder / "none/f") +
            ": No such file or directory; make the folder first");
  CHECK(message<IoError>([&] { io::load_file(folder / "none"); }) ==
        "cannot read " + (folder / "none") + ": No such file or directory; check the path");
}

TEST_CASE("a header's length is checked against the file") {
  const std::string advice = ". The file is truncated or not a safetensors file.";
  CHECK(complaint("abc") ==
        "the file ends at offset 3; expected the length of a header in 8 bytes. It is truncated or "
        "not a safetensors file.");
  CHECK(complaint(little_endian(3) + "{}") ==
        "the number at offset 0 asks for a header of 3 bytes; expected at most 2" + advice);
  CHECK(complaint(little_endian(~0ull) + "{}") ==
        "the number at offset 0 asks for a header of 18446744073709551615 bytes; expected at most "
        "2" +
            advice);
  CHECK(complaint(little_endian(0)) ==
        std::string("the header does not begin with {, at offset 8") + kDamaged);
  CHECK(complaint_of_header(" {}") ==
        std::string("the header does not begin with {, at offset 8") + kDamaged);
}

TEST_CASE("a header that is not JSON, or JSON of another kind, is an error") {
  CHECK(complaint_of_header("{\"w\": nothing}") ==
        std::string("the header stops being JSON at offset 15") + kDamaged);
  CHECK(complaint_of_header("{}x") ==
        std::string("the header stops being JSON at offset 10") + kDamaged);
  CHECK(complaint_of_header("{\"w\":[[[[]]]]}") ==
        std::string("the header is nested deeper than a tensor's entry") + kDamaged);
  const std::string none = entry("w", "U8", "[0]", "[0,0]");
  CHECK(complaint_of_header("{" + none + "," + none + "}") ==
        std::string("the header has \"w\" twice") + kDamaged);
  CHECK(complaint_of_header("{\"__metadata__\":3}") ==
        std::string("__metadata__ is not a list of strings") + kDamaged);
  CHECK(complaint_of_header("{\"__metadata__\":{\"epoch\":3}}") ==
        std::string("__metadata__ has no string for \"epoch\"") + kDamaged);
  CHECK(complaint_of_header("{\"w\":3}") ==
        std::string("tensor \"w\" is described by 3; expected {\"dtype\": ..., \"shape\": [...], "
                    "\"data_offsets\": [begin, end]}") +
            kDamaged);
  CHECK(complaint_of_header("{\"w\":{\"dtype\":\"U8\",\"shape\":[0]}}") ==
        std::string("tensor \"w\" has no data_offsets") + kDamaged);
  CHECK(complaint_of_header("{\"w\":{\"dtype\":\"U8\",\"size\":[0]}}") ==
        std::string("tensor \"w\" has a field \"size\"; expected dtype, shape and data_offsets") +
            kDamaged);
}

TEST_CASE("types, shapes and offsets are checked one by one") {
  const auto of_entry = [](const char* dtype, const char* shape, const char* offsets) {
    return complaint_of_header("{" + entry("w", dtype, shape, offsets) + "}", "12345678");
  };
  const auto damaged = [](const std::string& what) { return "tensor \"w\" " + what + kDamaged; };
  CHECK(
      of_entry("U16", "[4]", "[0,8]") ==
      "tensor \"w\" has the element type U16; expected F64, F32, F16, BF16, I64, I32, U8 or BOOL. "
      "Convert it where the file was written.");
  CHECK(of_entry("F32", "[-2]", "[0,8]") ==
        damaged("has -2 in its shape; expected integers of 0 or more"));
  CHECK(of_entry("F32", "[2.0]", "[0,8]") ==
        damaged("has 2.0 in its shape; expected integers of 0 or more"));
  CHECK(of_entry("F32", "[99999999999999999999]", "[0,8]") ==
        damaged("has 1e+20 in its shape; expected integers of 0 or more"));
  CHECK(of_entry("F32", "[1,1,1,1,1,1,1,1,2]", "[0,8]") ==
        damaged("has 9 dimensions; expected at most 8"));
  CHECK(of_entry("F32", "[4294967296,4294967296]", "[0,8]") ==
        damaged("has a shape of more than 2^59 bytes"));
  CHECK(of_entry("F32", "[4294967296,4294967296,0]", "[0,0]") ==
        damaged("has a shape of more than 2^59 bytes"));
  CHECK(of_entry("U8", "[4,42949296,4294967296,0]", "[0,0]") ==
        damaged("has a shape of more than 2^59 bytes"));
  CHECK(of_entry("F32", "[3]", "[0,8]") ==
        damaged("has 8 bytes of data; expected 12 for float32 [3]"));
  CHECK(of_entry("F32", "[2]", "[0,16]") ==
        damaged("lies at data offsets 0 to 16; expected offsets that rise and are at most 8, where "
                "the file ends"));
  CHECK(of_entry("F32", "[2]", "[8,0]") ==
        damaged("lies at data offsets 8 to 0; expected offsets that rise and are at most 8, where "
                "the file ends"));
  CHECK(of_entry("F32", "[2]", "[0,8,8]").find("is described by [0,8,8]") != std::string::npos);
  CHECK(of_entry("BOOL", "[8]", "[0,8]").find("byte 49 at offset ") == 0);
}

TEST_CASE("every byte of the data belongs to one tensor") {
  const auto of_two = [](const char* first, const char* second, const std::string& data) {
    return complaint_of_header(
        "{" + entry("v", "U8", "[2]", first) + "," + entry("w", "U8", "[2]", second) + "}", data);
  };
  CHECK(of_two("[0,2]", "[3,5]", "12345") ==
        std::string(
            "tensor \"w\" begins at data offset 3; expected 2, where the one before it ends") +
            kDamaged);
  CHECK(of_two("[0,2]", "[1,3]", "123") ==
        std::string(
            "tensor \"w\" begins at data offset 1; expected 2, where the one before it ends") +
            kDamaged);
  CHECK(of_two("[0,2]", "[2,4]", "12345") ==
        std::string("the last tensor ends at data offset 4; expected 5, where the file ends") +
            kDamaged);
  CHECK(of_two("[2,4]", "[4,6]", "123456") ==
        std::string(
            "tensor \"v\" begins at data offset 2; expected 0, where the one before it ends") +
            kDamaged);
}

TEST_CASE("an alias of a missing tensor, or with an existing name, is an error") {
  const auto of_alias = [](const char* alias) {
    return complaint_of_header("{\"__metadata__\":{" + std::string(alias) + "}," +
                                   entry("v", "U8", "[1]", "[0,1]") + "," +
                                   entry("w", "U8", "[1]", "[1,2]") + "}",
                               "12");
  };
  CHECK(of_alias("\"alias.a\":\"x\"") ==
        "the metadata says that \"a\" is another name of \"x\"; expected a tensor of the second "
        "name. The file is damaged.");
  CHECK(of_alias("\"alias.v\":\"w\"") ==
        "the metadata says that \"v\" is another name of \"w\"; expected one tensor of the first "
        "name. The file is damaged.");
}

TEST_CASE("a file that is truncated anywhere is rejected") {
  TemporaryFolder folder;
  io::StateDict state;
  state.tensors.insert("w", ones({3}));
  state.tensors.insert("n", ones({2}, kLong));
  io::save_file(state, folder / "f");
  const std::string whole = get(folder / "f");
  for (std::size_t size = 0; size < whole.size(); ++size) {
    INFO(size << " bytes");
    CHECK_FALSE(complaint(whole.substr(0, size)).empty());
  }
  CHECK(complaint(whole + "x").find("where the file ends") != std::string::npos);
}
