// Tests of driver_fits, on NVIDIA's numbers and on invented ones that are easy to compare wrongly.
#include "check_devices.h"
#include "exercises.h"

namespace {

// Linux drivers as the release notes of CUDA list them, in no order. The driver of 11.0 is older
// than 11.x, the oldest one with minor-version compatibility; CUDA 10 has no such row.
const std::vector<ToolkitRow> rows = {
    {"12.4", "550.54.14"}, {"11.8", "520.61.05"}, {"13.0", "580.65.06"}, {"12.0", "525.60.13"},
    {"13.x", "580.65.06"}, {"12.1", "530.30.02"}, {"11.0", "450.51.06"}, {"12.8", "570.26"},
    {"11.x", "450.80.02"}, {"10.0", "410.48"},    {"10.2", "440.33"},    {"12.9", "575.51.03"},
    {"12.x", "525.60.13"}, {"11.4", "470.42.01"}};

const char* name(Fit fit) {
  return fit == Fit::kTooOld ? "kTooOld" : fit == Fit::kMinorVersion ? "kMinorVersion" : "kFull";
}

/// The rows that decide about a toolkit, for messages: its own and that of its major version.
std::string rows_of(const std::string& toolkit, const std::vector<ToolkitRow>& table) {
  std::string text;
  for (const auto& row : table)
    if (row.toolkit == toolkit || row.toolkit == toolkit.substr(0, toolkit.find('.')) + ".x")
      text += (text.empty() ? "; rows: {" : ", {") + row.toolkit + ", " + row.driver + '}';
  return text;
}

void expect_fit(const std::string& driver, const std::string& toolkit, Fit expected,
                const std::vector<ToolkitRow>& table = rows) {
  const std::string call =
      "driver " + driver + ", toolkit " + toolkit + ": expected " + name(expected);
  try {
    const Fit got = driver_fits(driver, toolkit, table);
    check::expect(got == expected, call + ", got " + name(got) + rows_of(toolkit, table));
  } catch (const td::NotDoneYet&) {
    throw;
  } catch (const std::exception& error) {
    FAIL(call << ", but this was thrown: " << error.what() << rows_of(toolkit, table));
  }
}

}  // namespace

TEST_CASE("the example of the exercise", "[driver_fits]") {
  const std::vector<ToolkitRow> two = {
      {"12.x", "525.60.13"}, {"12.0", "525.60.13"}, {"12.4", "550.54.14"}};
  expect_fit("535.104.05", "12.4", Fit::kMinorVersion, two);
  expect_fit("560.35.03", "12.4", Fit::kFull, two);
  expect_fit("470.82.01", "12.4", Fit::kTooOld, two);
}

TEST_CASE("exactly the driver that was released with the toolkit", "[driver_fits]") {
  for (const auto& row : rows)
    if (row.toolkit.back() != 'x') expect_fit(row.driver, row.toolkit, Fit::kFull);
}

TEST_CASE("drivers of CUDA 11", "[driver_fits]") {
  expect_fit("470.82.01", "11.8", Fit::kMinorVersion);
  expect_fit("470.82.01", "11.4", Fit::kFull);
  expect_fit("470.82.01", "12.0", Fit::kTooOld);
  expect_fit("450.80.02", "11.8", Fit::kMinorVersion);
  expect_fit("450.80.01", "11.8", Fit::kTooOld);
}

TEST_CASE("the oldest driver is that of the row with x, not that of the oldest toolkit",
          "[driver_fits]") {
  expect_fit("450.51.06", "11.0", Fit::kFull);
  expect_fit("450.51.06", "11.4", Fit::kTooOld);
}

TEST_CASE("a major version without its row has no minor-version compatibility", "[driver_fits]") {
  expect_fit("418.39", "10.2", Fit::kTooOld);
  expect_fit("418.39", "10.0", Fit::kFull);
}

TEST_CASE("one step below the oldest driver of a major version", "[driver_fits]") {
  expect_fit("525.60.13", "12.9", Fit::kMinorVersion);
  expect_fit("525.60.12", "12.9", Fit::kTooOld);
  expect_fit("525.59.99", "12.0", Fit::kTooOld);
}

TEST_CASE("another major version's driver does not help", "[driver_fits]") {
  expect_fit("575.51.03", "13.0", Fit::kTooOld);
  expect_fit("520.61.05", "12.1", Fit::kTooOld);
}

TEST_CASE("newer drivers serve all older toolkits", "[driver_fits]") {
  for (const auto& row : rows)
    if (row.toolkit.back() != 'x') expect_fit("580.65.06", row.toolkit, Fit::kFull);
}

TEST_CASE("versions are compared as numbers, not as text", "[driver_fits]") {
  expect_fit("525.105.17", "12.0", Fit::kFull);
  expect_fit("1000.1", "13.0", Fit::kFull);
  expect_fit("99.9", "11.0", Fit::kTooOld);
  expect_fit("580.65.6", "13.0", Fit::kFull);
  expect_fit("570.26.00", "12.8", Fit::kFull);
  expect_fit("570.26", "12.8", Fit::kFull, {{"12.x", "525.60.13"}, {"12.8", "570.26.00"}});
  expect_fit("570.3", "12.8", Fit::kMinorVersion);
  expect_fit("525.60.113", "12.4", Fit::kTooOld, {{"12.x", "525.61"}, {"12.4", "550.54.14"}});
  expect_fit("570.26.08", "12.8", Fit::kFull, {{"12.x", "525.60.13"}, {"12.8", "570.26.07"}});
  const std::vector<ToolkitRow> ten = {
      {"1.x", "7.1"}, {"12.9", "600.1"}, {"12.10", "610.1"}, {"12.x", "600.1"}, {"1.2", "7.1"}};
  expect_fit("605", "12.10", Fit::kMinorVersion, ten);
  expect_fit("599", "12.9", Fit::kTooOld, ten);
}

TEST_CASE("a toolkit that is not in the table", "[driver_fits]") {
  for (const std::string toolkit : {"14.0", "12.40", "12", "11.2"})
    check::expect_throws<td::Error>([&] { driver_fits("580.65.06", toolkit, rows); }, {toolkit},
                                    "toolkit " + toolkit + ", which is not in the table");
}
