// Data blocks and plot commands as text. The dark gray 31,35,40 is what pictures.cpp replaces by
// the reader's text color.
#include "gnuplot_script.h"

#include <algorithm>
#include <cstdio>
#include <vector>

#include "baseline.h"
#include "statistics.h"

namespace report {
namespace {

std::string quoted(const std::string& text) {
  std::string safe = "\"";
  for (const char c : text) safe += c == '"' ? '\'' : c == '\\' ? '/' : c;
  return safe + "\"";
}

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

/// One bar: its label, its numbers, and its line.
struct Bar {
  std::string label;
  std::vector<double> numbers;
};

/// Bars under the names of their workloads, from top to bottom.
class Bars {
 public:
  void workload(const std::string& title) { title_ = title; }
  void add(const Bar& bar) {
    if (!title_.empty()) {
      headings_ += "set label " + quoted(title_) + " at graph 0, first " + number(lines_) +
                   " left offset 0.5,0 tc rgb \"#1f2328\"\n";
      title_.clear();
      ++lines_;
    }
    data_ += quoted(bar.label) + " " + number(lines_++);
    for (const double value : bar.numbers) data_ += " " + number(value);
    data_ += "\n";
  }
  bool empty() const { return data_.empty(); }
  /// The script up to the plot command; `extra` are further settings.
  std::string begin(const std::string& file, const std::string& axis,
                    const std::string& extra) const {
    constexpr int kBelow = 80;  // the axis, its title and a legend
    const int height = 18 * lines_ + kBelow + 10;
    return "set terminal svg noenhanced size 480," + std::to_string(height) +
           " font \"sans-serif,12\"\nset output " + quoted(file) +
           "\nset border 1 lc rgb \"#1f2328\"\nset tics nomirror textcolor rgb \"#1f2328\"\n"
           "set ytics scale 0\nset grid xtics lc rgb \"#8c959f\" lw 0.5 dt solid\nunset key\n"
           "set lmargin at screen 0.40\nset rmargin at screen 0.96\nset bmargin at screen " +
           number(static_cast<double>(kBelow) / height) + "\nset tmargin at screen " +
           number(1 - 10.0 / height) + "\nset style fill solid 1 noborder\nset xlabel " +
           quoted(axis) + " textcolor rgb \"#1f2328\"\nset yrange [" + number(lines_ - 0.4) +
           ":-0.6]\n" + extra + headings_ + "$d << EOD\n" + data_ + "EOD\n";
  }

 private:
  std::string title_, headings_, data_;
  int lines_ = 0;
};

std::string label_of(const Report& report, const Result& result) {
  return label(result.what) + (report.machines.size() > 1 ? ", " + result.machine : "");
}

/// A part of a step in its picture. The colors are Okabe and Ito's, which color-blind readers can
/// tell apart.
struct Part {
  const char* name;
  const char* color;
  int x;  ///< Of its entry in the legend.
};
constexpr Part kParts[] = {{"compute", "#0072b2", 30},
                           {"copy", "#e69f00", 120},
                           {"communication", "#cc79a7", 190},
                           {"launch", "#009e73", 320},
                           {"wait", "#999999", 400}};

bool ours(const Result& result) { return result.ours() && measured(result); }

}  // namespace

std::string speed_up_script(const Report& report, const std::string& file) {
  Bars bars;
  for (const Group& group : grouped(report, ours)) {
    bars.workload(group.title);
    for (const Result* result : group.results) {
      const Result* base = base_of(report, *result);
      if (!base || base == result) continue;
      const double value = speed_up(*result, *base);
      const Spread time = time_with_transfers(*result);
      bars.add({label_of(report, *result),
                {value, value * time.median / time.p90, value * time.median / time.p10}});
    }
  }
  if (bars.empty()) return "";
  // On a logarithmic axis twice as fast and half as fast are bars of the same length.
  return bars.begin(
             file, "speed-up, logarithmic; the line is the base",
             "set logscale x 2\nset format x \"%g\"\nset arrow from 1, graph 0 to 1, graph 1 "
             "nohead lc rgb \"#8c959f\" lw 1.5\n") +
         "from(x) = x < 1 ? x : 1\nto(x) = x < 1 ? 1 : x\ncolor(x) = x < 1 ? 0xe69f00 : 0x0969da\n"
         "plot $d using 3:2:(from($3)):(to($3)):($2-0.36):($2+0.36):(color($3)):ytic(1) "
         "with boxxyerror lc rgb variable notitle, "
         "$d using 3:2:4:5:($2-0.05):($2+0.05) with boxxyerror lc rgb \"#1f2328\" notitle\n";
}

std::string parts_script(const Report& report, const std::string& file) {
  Bars bars;
  for (const Group& group : grouped(report, ours)) {
    bars.workload(group.title);
    for (const Result* result : group.results) {
      if (!result->parts || result->parts->step <= 0) continue;
      const Parts& p = *result->parts;
      Bar bar{label_of(report, *result), {}};
      double end = 0;
      for (const double part : {p.compute, p.copy, p.communication, p.launch, p.wait})
        bar.numbers.push_back(end += 100 * part / p.step);
      bars.add(bar);
    }
  }
  if (bars.empty()) return "";
  std::string plot = "plot ", legend = "set xrange [0:100]\n";
  for (const Part& part : kParts) {
    const int column = static_cast<int>(&part - kParts) + 3;
    const std::string from = column == 3 ? "0" : "column(" + std::to_string(column - 1) + ")";
    const std::string to = "column(" + std::to_string(column) + ")";
    plot += (column == 3 ? "$d using ((" : ", $d using ((") + from + "+" + to + ")/2):2:((" + to +
            "-" + from + ")/2):(0.36)" + (column == 3 ? ":ytic(1)" : "") +
            " with boxxyerror lc rgb \"" + part.color + "\"";
    // gnuplot's own legend would be as narrow as the plot, and so a column.
    const std::string place = " at screen " + number(part.x / 480.0) + ", character 1 ";
    legend += std::string("set label \"■\"") + place + "tc rgb \"" + part.color +
              "\"\nset label \"" + part.name + "\"" + place + "offset 2,0 tc rgb \"#1f2328\"\n";
  }
  return bars.begin(file, "percent of one step with transfers", legend) + plot + "\n";
}

std::string rate_script(const Report& report, const std::string& file) {
  Bars bars;
  for (const Group& group : grouped(report, ours)) {
    bars.workload(group.title);
    for (const Result* result : group.results) {
      const Spread time = time_with_transfers(*result);
      bars.add({label_of(report, *result), {1 / time.median, 1 / time.p90, 1 / time.p10}});
    }
  }
  if (bars.empty()) return "";
  // A mark, because the length of a bar has no meaning on a logarithmic axis.
  return bars.begin(file, "steps per second, with transfers; logarithmic",
                    "set logscale x\nset format x \"%g\"\n") +
         "plot $d using 3:2:4:5:($2-0.06):($2+0.06):ytic(1) with boxxyerror lc rgb \"#8c959f\" "
         "notitle, "
         "$d using 3:2:($3*0.96):($3*1.04):($2-0.3):($2+0.3) with boxxyerror lc rgb \"#0969da\" "
         "notitle\n";
}

}  // namespace report
