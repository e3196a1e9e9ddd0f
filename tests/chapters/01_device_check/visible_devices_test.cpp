// Tests of visible_devices, with values that users write and values that end the list.
#include "check_devices.h"
#include "exercises.h"

namespace {

using Ints = std::vector<int>;

std::string text(const Ints& values) {
  std::string all;
  for (const int value : values) all += (all.empty() ? "" : ", ") + std::to_string(value);
  return '{' + all + '}';
}

void expect_visible(const std::optional<std::string>& variable, int gpus, const Ints& expected,
                    const std::string& why) {
  const std::string call = (variable ? "CUDA_VISIBLE_DEVICES=\"" + *variable + '"' : "not set") +
                           ", " + std::to_string(gpus) + " GPUs";
  Ints got;
  try {
    got = visible_devices(variable, gpus);
  } catch (const td::NotDoneYet&) {
    throw;
  } catch (const std::exception& error) {
    FAIL(call << ": the function never throws, but this was thrown: " << error.what());
  }
  check::expect(got == expected,
                call + ": expected " + text(expected) + ", got " + text(got) + "; " + why);
}

}  // namespace

TEST_CASE("without the variable all GPUs are visible", "[visible_devices]") {
  expect_visible(std::nullopt, 4, {0, 1, 2, 3}, "the variable is not set");
  expect_visible(std::nullopt, 1, {0}, "the variable is not set");
  expect_visible(std::nullopt, 0, {}, "there is no GPU");
}

TEST_CASE("the list gives the order", "[visible_devices]") {
  expect_visible("2,0", 4, {2, 0}, "the order is that of the list");
  expect_visible("1", 2, {1}, "one entry");
  expect_visible("0,1,2", 3, {0, 1, 2}, "all of them");
  expect_visible("3,2,1,0", 4, {3, 2, 1, 0}, "the order is that of the list");
  expect_visible("11,2", 16, {11, 2}, "an index may have two digits");
  expect_visible("19,9", 32, {19, 9}, "9 is a digit");
  expect_visible("01,0", 4, {1, 0}, "\"01\" has decimal digits only");
}

TEST_CASE("an empty value hides all GPUs", "[visible_devices]") {
  expect_visible("", 4, {}, "the variable is set, and its first entry is empty");
}

TEST_CASE("the first entry that is not valid ends the list", "[visible_devices]") {
  expect_visible("0,7,1", 2, {0}, "there is no GPU 7, so the list ends there");
  expect_visible("1,2", 2, {1}, "with 2 GPUs, 2 is the first index that does not exist");
  expect_visible("-1", 2, {}, "-1 is not valid, which hides all GPUs");
  expect_visible("1,-1,0", 2, {1}, "the list ends at -1");
  expect_visible("0", 0, {}, "there is no GPU");
}

TEST_CASE("entries that are not decimal digits are not valid", "[visible_devices]") {
  for (const std::string entry :
       {"x", "1x", "+1", "-0", "0x1", "1.0", "none", "cuda:1", " 1", "1 "}) {
    expect_visible(entry, 4, {}, "\"" + entry + "\" is not valid");
    expect_visible("3," + entry + ",2", 4, {3}, "the list ends at \"" + entry + "\"");
  }
}

TEST_CASE("empty entries are not valid", "[visible_devices]") {
  expect_visible("0,,1", 4, {0}, "the second entry is empty");
  expect_visible(",1", 4, {}, "the first entry is empty");
  expect_visible("2,", 4, {2}, "the second entry is empty");
}

TEST_CASE("numbers of any length", "[visible_devices]") {
  expect_visible("0000000001,2", 4, {1, 2}, "leading zeros change nothing");
  expect_visible("3," + std::string(40, '0'), 4, {3, 0}, "a number of 40 zeros is 0");
  expect_visible("1,4294967296,0", 4, {1}, "4294967296 is not smaller than 4");
  expect_visible("1,18446744073709551616,0", 4, {1}, "2^64 is not smaller than 4");
  expect_visible("0," + std::string(60, '9'), 4, {0},
                 "a number of 60 digits is not smaller than 4");
}
