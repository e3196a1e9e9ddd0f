// `std::cout << tensor`, exactly in PyTorch's form: four digits, columns aligned, scientific when
// the range requires it, three items at each edge when large. The rules are those of PyTorch's
// torch/_tensor_str.py; the text must be what a learner sees there.
#include <cmath>
#include <cstdio>

#include "td/autograd/record.h"
#include "td/ops/op.h"

namespace td {
namespace {

constexpr int kPrecision = 4, kLineWidth = 80;
constexpr std::int64_t kEdgeItems = 3, kThreshold = 1000;

std::string spaces(std::size_t count) { return std::string(count, ' '); }

// Zeros, infinities and NaN fit every form and do not influence its choice.
bool counts(double value) { return value != 0 && std::isfinite(value); }

/// The elements that are shown, as text, and the width of their columns.
struct Shown {
  std::vector<std::string> texts;
  std::size_t width = 1;

  void add(std::string text, bool decides) {
    if (decides) width = std::max(width, text.size());
    texts.push_back(std::move(text));
  }
};

// How floats are written is decided once, from all that will be shown.
Shown floats(const double* values, std::int64_t count) {
  double smallest = INFINITY, largest = 0;
  bool whole = true;
  for (std::int64_t i = 0; i < count; ++i) {
    if (!counts(values[i])) continue;
    smallest = std::min(smallest, std::abs(values[i]));
    largest = std::max(largest, std::abs(values[i]));
    whole = whole && values[i] == std::ceil(values[i]);
  }
  const bool scientific = largest != 0 && (largest / smallest > 1000.0 || largest > 1.0e8 ||
                                           (!whole && smallest < 1.0e-4));
  Shown shown;
  for (std::int64_t i = 0; i < count; ++i) {
    char text[400] = "nan";  // C may print a sign
    if (!std::isnan(values[i]))
      std::snprintf(text, sizeof text, scientific ? "%.*e" : "%.*f",
                    whole && !scientific ? 0 : kPrecision, values[i]);
    const bool point = whole && !scientific && std::isfinite(values[i]);
    shown.add(str(text, point ? "." : ""), counts(values[i]));
  }
  return shown;
}

Shown integers(const std::int64_t* values, std::int64_t count, bool truth) {
  Shown shown;
  for (std::int64_t i = 0; i < count; ++i)
    shown.add(!truth ? std::to_string(values[i]) : values[i] ? "True" : "False", true);
  return shown;
}

/// What is written inside nested brackets: a tensor's shape, and the next of the elements shown.
struct Layout {
  IntArrayRef sizes;
  bool summarized;
  std::size_t width;
  std::vector<std::string>::const_iterator next;
};

std::string brackets(Layout& layout, std::size_t dim, std::size_t indent) {
  if (dim == layout.sizes.size()) {
    const std::string& text = *layout.next++;
    return spaces(layout.width - std::min(layout.width, text.size())) + text;
  }
  const bool cut = layout.summarized && layout.sizes[dim] > 2 * kEdgeItems;
  const std::int64_t count = cut ? 2 * kEdgeItems : layout.sizes[dim];
  // Elements are side by side, brackets one below the other, with empty lines between large ones.
  const std::size_t below = layout.sizes.size() - dim - 1;
  const std::size_t per_line =
      below > 0 ? 1 : std::max<std::size_t>(1, (kLineWidth - indent) / (layout.width + 2));
  const std::string newline =
      str(",", std::string(std::max<std::size_t>(1, below), '\n'), spaces(indent + 1));
  std::string text = "[";
  std::size_t written = 0;
  const auto item = [&](const std::string& value) {
    if (written > 0) text += written % per_line ? ", " : newline;
    text += value;
    ++written;
  };
  for (std::int64_t i = 0; i < count; ++i) {
    if (cut && i == kEdgeItems) item(below > 0 ? "..." : " ...");
    item(brackets(layout, dim + 1, indent + 1));
  }
  return text + "]";
}

// Only what is shown, so that a large tensor on a device is not copied to the host whole.
Tensor edges(Tensor t) {
  for (std::int64_t d = 0; d < t.dim(); ++d) {
    const std::int64_t n = t.size(d);
    if (n <= 2 * kEdgeItems) continue;
    t = cat({t.narrow(d, 0, kEdgeItems), t.narrow(d, n - kEdgeItems, kEdgeItems)}, d);
  }
  return t;
}

std::string elements(const Tensor& tensor, std::size_t indent) {
  if (tensor.numel() == 0) return "[]";
  check_may_wait("printing a tensor", tensor.device());
  const bool summarized = tensor.numel() > kThreshold;
  const Tensor part = (summarized ? edges(tensor) : tensor).to(kCPU);
  const bool real = tensor.is_floating_point();
  const Tensor values = part.to(real ? kDouble : kLong).contiguous();
  const Shown shown =
      real ? floats(values.data_ptr<double>(), values.numel())
           : integers(values.data_ptr<std::int64_t>(), values.numel(), tensor.dtype() == kBool);
  Layout layout{tensor.sizes(), summarized, shown.width, shown.texts.begin()};
  return brackets(layout, 0, indent);
}

// PyTorch writes sizes as Python writes a tuple.
std::string tuple(IntArrayRef sizes) {
  std::string text = "(";
  for (std::size_t i = 0; i < sizes.size(); ++i) text += str(i ? ", " : "", sizes[i]);
  text += sizes.size() == 1 ? ",)" : ")";
  return text;
}

std::vector<std::string> suffixes_of(const Tensor& tensor) {
  std::vector<std::string> suffixes;
  const ScalarType type = tensor.dtype();
  if (!tensor.is_cpu()) suffixes.push_back(str("device='", tensor.device(), "'"));
  // Digits imply float32, int64 and bool; without digits, only the default dtype is implied.
  const bool empty = tensor.numel() == 0;
  if (empty && tensor.dim() != 1) suffixes.push_back(str("size=", tuple(tensor.sizes())));
  if (empty ? type != kFloat : type != kFloat && type != kLong && type != kBool)
    suffixes.push_back(str("dtype=torch.", type));
  if (tensor.grad_fn())
    suffixes.push_back(str("grad_fn=<", tensor.grad_fn()->name(), ">"));
  else if (tensor.requires_grad())
    suffixes.emplace_back("requires_grad=True");
  return suffixes;
}

}  // namespace

std::ostream& operator<<(std::ostream& out, const Tensor& tensor) {
  if (!tensor.defined()) return out << "[ Tensor (undefined) ]";
  const std::string prefix = "tensor(";
  std::string text;
  {
    const NoGradGuard no_grad;
    text = str(prefix, elements(tensor.detach(), prefix.size()));
  }
  // How PyTorch measures the last line, an extra character or two included.
  const std::size_t newline = text.rfind('\n');
  std::size_t length = newline == std::string::npos ? text.size() + 2 : text.size() - newline + 1;
  for (const std::string& suffix : suffixes_of(tensor)) {
    const bool fits = length + suffix.size() + 2 <= kLineWidth;
    text += str(fits ? ", " : str(",\n", spaces(prefix.size())), suffix);
    length = (fits ? length + 2 : prefix.size()) + suffix.size();
  }
  return out << text << ")";
}

}  // namespace td
