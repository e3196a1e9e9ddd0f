// Pictures of one request of a warp. Invariant: every picture has the same width, so that those
// before and after a change can be compared side by side.
#include <algorithm>
#include <bit>
#include <map>
#include <set>
#include <sstream>

#include "simt/observe/report.h"
#include "simt/observe/warp_request.h"
#include "trace/svg.h"

namespace td::simt {
namespace {

constexpr int kCell = 12;  // pixels of a lane, a word or a bank
constexpr int kLeft = 86;  // of them: for the names of rows
static_assert(kLeft + 32 * kCell < td::trace::kPictureWidth);
constexpr const char* kWanted = "#2f7ebc";
constexpr const char* kConflict = "#d8572a";

int column(int index) { return kLeft + index * kCell; }

class Drawing {
 public:
  void text(int x, int y, const std::string& words, const char* anchor = "start", int size = 12,
            const std::string& color = "") {  // empty: the color of the page's text
    out_ << "<text x=\"" << x << "\" y=\"" << y << "\" text-anchor=\"" << anchor
         << "\" font-size=\"" << size << (color.empty() ? "" : "\" fill=\"" + color) << "\">"
         << trace::escaped(words) << "</text>\n";
  }
  void box(double x, double y, double width, double height, const std::string& fill,
           const char* stroke = "none") {
    out_ << "<rect x=\"" << x << "\" y=\"" << y << "\" width=\"" << width << "\" height=\""
         << height << "\" fill=\"" << fill << "\" stroke=\"" << stroke << "\"/>\n";
  }
  void stroke(double x1, double y1, double x2, double y2) {
    out_ << "<line x1=\"" << x1 << "\" y1=\"" << y1 << "\" x2=\"" << x2 << "\" y2=\"" << y2
         << "\" stroke=\"" << kWanted << "\" stroke-opacity=\"0.5\"/>\n";
  }
  /// Returns the picture with its frame.
  std::string finish(int height) const {
    std::ostringstream svg;
    svg << td::trace::open_svg(height)
        << "<defs><pattern id=\"unwanted\" width=\"5\" height=\"5\" "
           "patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\">"
        << "<rect width=\"5\" height=\"5\" fill=\"#fbe3d6\"/>"
        << "<line x1=\"0\" y1=\"0\" x2=\"0\" y2=\"5\" stroke=\"#d8572a\" stroke-width=\"2\"/>"
        << "</pattern></defs>\n"
        << out_.str() << "</svg>\n";
    return svg.str();
  }

 private:
  std::ostringstream out_;
};

/// Rounds down, also what lies before the tensor.
std::int64_t floor_of(std::int64_t byte, std::int64_t size) {
  return (byte >= 0 ? byte : byte - size + 1) / size;
}

std::vector<int> lanes_of(const WarpRequest& request) {
  std::vector<int> lanes;
  for (int lane = 0; lane < 32; ++lane)
    if (request.mask >> lane & 1) lanes.push_back(lane);
  return lanes;
}

void draw_title(Drawing& drawing, const SiteProfile& place) {
  const WarpRequest& request = place.worst;
  std::ostringstream title;
  title << name_of(place.kind) << ' ' << place.variable << ", line " << place.site->line
        << ": warp " << request.warp << " of block (" << request.block.x << ',' << request.block.y
        << ',' << request.block.z << "), " << request.bytes
        << (request.bytes == 1 ? " byte" : " bytes") << " per lane";
  drawing.text(8, 26, title.str(), "start", 14);
}

/// The row of lanes; those that take no part are drawn pale.
void draw_lanes(Drawing& drawing, const WarpRequest& request, int y) {
  drawing.text(kLeft - 10, y + 15, "lane", "end");
  for (int lane = 0; lane < 32; ++lane) {
    const bool active = request.mask >> lane & 1;
    drawing.box(column(lane) + 1, y, kCell - 2, 20, active ? kWanted : "#eee");
    drawing.text(column(lane) + kCell / 2, y + 14, std::to_string(lane), "middle", 9,
                 active ? "white" : "#999");
  }
}

/// Global memory: one row per line of 128 bytes.
class GlobalPicture {
 public:
  explicit GlobalPicture(const SiteProfile& place) : place_(place), request_(place.worst) {
    for (const int lane : lanes_of(request_))
      for (std::uint32_t i = 0; i < request_.bytes; ++i)
        wanted_.insert(address(lane) + static_cast<std::int64_t>(i));
    for (const std::int64_t byte : wanted_) rows_.emplace(floor_of(byte, kLine), 0);
    int y = kLanesY + 20 + kFan;
    std::int64_t last = rows_.begin()->first;
    for (auto& [line, row] : rows_) {
      if (line > last + 1) y += 5;
      last = line;
      row = y;
      y += row_height() + 2;
    }
    end_ = y;
  }

  std::string draw() {
    draw_title(drawing_, place_);
    draw_lanes(drawing_, request_, kLanesY);
    for (const int lane : lanes_of(request_)) draw_stroke(lane);
    for (const auto& [line, y] : rows_) draw_line(line, y);
    draw_numbers();
    draw_caption();
    return drawing_.finish(end_ + 98);
  }

 private:
  static constexpr std::int64_t kLine = 128;
  static constexpr int kLanesY = 44, kFan = 56;

  std::int64_t address(int lane) const { return request_.offset[lane] + place_.line_offset; }
  int row_height() const { return rows_.size() > 8 ? 13 : 22; }
  static double x_of(std::int64_t byte) {
    return kLeft + static_cast<double>(byte - floor_of(byte, kLine) * kLine) * kCell / 4;
  }

  void draw_line(std::int64_t line, int y) {
    const int height = row_height();
    const std::int64_t first = line * kLine - place_.line_offset;
    const auto element = static_cast<std::int64_t>(place_.element_size);
    if (first >= 0 && first % element == 0)
      drawing_.text(kLeft - 10, y + height - 3,
                    place_.variable + '[' + std::to_string(first / element) + ']', "end", 11);
    for (std::int64_t sector = line * 4; sector < line * 4 + 4; ++sector) {
      const auto begin = wanted_.lower_bound(sector * kSectorBytes);
      const auto end = wanted_.lower_bound((sector + 1) * kSectorBytes);
      const double x = x_of(sector * kSectorBytes);
      drawing_.box(x, y, kCell * 8, height, begin == end ? "#f4f4f4" : "url(#unwanted)");
      for (auto byte = begin; byte != end;) {  // runs of needed bytes
        const std::int64_t from = *byte;
        std::int64_t to = from;
        while (byte != end && *byte == to) ++byte, ++to;
        drawing_.box(x_of(from), y, static_cast<double>(to - from) * kCell / 4, height, kWanted);
      }
      drawing_.box(x, y, kCell * 8, height, "none", "#555");
    }
  }

  double middle_of(std::int64_t first) const { return x_of(first) + request_.bytes * kCell / 8.0; }

  void draw_stroke(int lane) {
    const std::int64_t first = address(lane);
    drawing_.stroke(column(lane) + kCell / 2, kLanesY + 20, middle_of(first),
                    rows_.at(floor_of(first, kLine)));
  }

  /// The lanes' numbers in the bytes that they need, as far as there is room.
  void draw_numbers() {
    if (request_.bytes < 4) return;
    std::map<std::int64_t, std::string> numbers;
    for (const int lane : lanes_of(request_)) {
      std::string& number = numbers[address(lane)];
      number = number.empty() ? std::to_string(lane) : number.substr(0, number.find('+')) + '+';
    }
    for (const auto& [first, number] : numbers)
      drawing_.text(static_cast<int>(middle_of(first)),
                    rows_.at(floor_of(first, kLine)) + row_height() / 2 + 4, number, "middle", 9,
                    "white");
  }

  void draw_caption() {
    std::set<std::int64_t> sectors;
    for (const std::int64_t byte : wanted_) sectors.insert(floor_of(byte, kSectorBytes));
    const std::size_t ideal = (wanted_.size() + kSectorBytes - 1) / kSectorBytes;
    std::ostringstream caption;
    caption << sectors.size() << (sectors.size() == 1 ? " sector" : " sectors") << " for "
            << wanted_.size() << " bytes; ";
    if (sectors.size() == ideal)
      caption << "fewer are not possible";
    else
      caption << ideal << " would be enough";
    drawing_.text(8, end_ + 28, caption.str(), "start", 14);
    drawing_.box(8, end_ + 46, 14, 14, kWanted);
    drawing_.text(28, end_ + 58, "wanted");
    drawing_.box(96, end_ + 46, 14, 14, "url(#unwanted)");
    drawing_.text(116, end_ + 58, "fetched, not wanted");
    drawing_.box(266, end_ + 46, 14, 14, "#f4f4f4", "#999");
    drawing_.text(286, end_ + 58, "not fetched");
    drawing_.text(8, end_ + 80, "A row is a line of 128 bytes in sectors of 32.");
  }

  const SiteProfile& place_;
  const WarpRequest& request_;
  std::set<std::int64_t> wanted_;     // bytes, counted from the first line's begin
  std::map<std::int64_t, int> rows_;  // lines, with their place in the picture
  int end_ = 0;
  Drawing drawing_;
};

/// Shared memory: one column per bank, on which the words that one pass cannot serve are stacked.
class SharedPicture {
 public:
  explicit SharedPicture(const SiteProfile& place) : place_(place), request_(place.worst) {}

  std::string draw() {
    draw_title(drawing_, place_);
    const int lanes = lanes_per_pass(request_.bytes);
    int y = 52;
    for (int first = 0; first < 32; first += lanes) y = draw_group(first, lanes, y);
    const RequestCost cost = shared_cost(request_);
    std::ostringstream caption;
    caption << cost.transfers << (cost.transfers == 1 ? " pass" : " passes") << "; ";
    if (cost.transfers == cost.ideal)
      caption << "fewer are not possible";
    else
      caption << cost.ideal << " would be enough";
    drawing_.text(8, y + 28, caption.str(), "start", 14);
    drawing_.text(8, y + 50, "A column is a bank. A box is a word with the lane that wants it");
    drawing_.text(8, y + 68, "(+: several). Words on top of each other wait.");
    return drawing_.finish(y + 84);
  }

 private:
  /// Draws the lanes that one pass could serve, and returns where the next group begins.
  int draw_group(int first, int lanes, int y) {
    std::map<std::int64_t, std::vector<int>> words;  // with the lanes that need them
    for (const int lane : lanes_of(request_)) {
      if (lane < first || lane >= first + lanes) continue;
      const std::int64_t end = request_.offset[lane] + request_.bytes;
      for (std::int64_t word = floor_of(request_.offset[lane], 4); word * 4 < end; ++word)
        words[word].push_back(lane);
    }
    if (words.empty()) return y;
    drawing_.text(kLeft - 10, y + 12, "bank", "end", 11);
    for (int bank = 0; bank < kBanks; ++bank)
      drawing_.text(column(bank) + kCell / 2, y + 12, std::to_string(bank), "middle", 9);
    y += 18;
    std::array<int, kBanks> height{};
    for (const auto& [word, wanting] : words) {
      const auto bank = static_cast<std::size_t>(word & (kBanks - 1));
      const int row = height[bank]++;
      draw_word(static_cast<int>(bank), y + row * row_height(), row, wanting);
    }
    const int rows = *std::max_element(height.begin(), height.end());
    for (int row = 0; row < rows; ++row)
      drawing_.text(kLeft - 10, y + row * row_height() + 11, "pass " + std::to_string(row + 1),
                    "end", 11);
    for (std::size_t bank = 0; bank < height.size(); ++bank)
      if (height[bank] == 0)
        drawing_.box(column(static_cast<int>(bank)) + 1, y, kCell - 2, row_height() - 2, "#eee");
    return y + rows * row_height() + 12;
  }

  static int row_height() { return 15; }

  void draw_word(int bank, int y, int row, const std::vector<int>& wanting) {
    drawing_.box(column(bank) + 1, y, kCell - 2, row_height() - 2, row == 0 ? kWanted : kConflict);
    const std::string more = wanting.size() > 1 ? "+" : "";
    drawing_.text(column(bank) + kCell / 2, y + 10, std::to_string(wanting[0]) + more, "middle", 9,
                  "white");
  }

  const SiteProfile& place_;
  const WarpRequest& request_;
  Drawing drawing_;
};

}  // namespace

std::string svg(const SiteProfile& place) {
  return place.space == Space::kShared ? SharedPicture(place).draw() : GlobalPicture(place).draw();
}

}  // namespace td::simt
