// `std::cout << tensor`, in PyTorch's form to the letter: four digits, columns aligned, scientific
// when the range asks for it, three items at each edge when large. The rules are those of PyTorch's
// torch/_tensor_str.py; the text must be what a learner sees there.
#include <cmath>
#include <cstdio>
#include <sstream>

#include "td/autograd/record.h"
#include "td/ops/op.h"

namespace td {
namespace {

constexpr int kPrecision = 4, kLineWidth = 80;
constexpr std::int64_t kEdgeItems = 3, kThreshold = 1000;

template <class... Parts>
std::string joined(const Parts&... parts) {
  std::ostringstream text;
  (text << ... << parts);
  return text.str();
}
std::string spaces(std::size_t count) { return std::string(count, ' '); }

std::string number(const char* format, int precision, double value) {
  if (std::isnan(value)) return "nan";  // C may print a sign
  char text[400];
  std::snprintf(text, sizeof text, format, precision, value);
  return text;
}

/// How all elements of one tensor are written: decided once, from all that will be shown.
class Format {
 public:
  explicit Format(ScalarType type) : type_(type) {}

  void look_at_floats(const double* values, std::int64_t count) {
    double smallest = INFINITY, largest = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      if (!counts(values[i])) continue;
      smallest = std::min(smallest, std::abs(values[i]));
      largest = std::max(largest, std::abs(values[i]));
      whole_ = whole_ && values[i] == std::ceil(values[i]);
    }
    if (largest == 0) return;
    scientific_ = largest / smallest > 1000.0 || largest > 1.0e8 || (!whole_ && smallest < 1.0e-4);
    for (std::int64_t i = 0; i < count; ++i)
      if (counts(values[i])) width_ = std::max(width_, text(values[i]).size());
  }
  void look_at_integers(const std::int64_t* values, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) width_ = std::max(width_, text(values[i]).size());
  }

  std::size_t width() const { return width_; }
  template <class T>
  std::string padded(T value) const {
    const std::string bare = text(value);
    return bare.size() >= width_ ? bare : joined(spaces(width_ - bare.size()), bare);
  }

 private:
  // Zeros, infinities and NaN fit any form and decide nothing.
  static bool counts(double value) { return value != 0 && std::isfinite(value); }

  std::string text(double value) const {
    if (scientific_) return number("%.*e", kPrecision, value);
    if (!whole_) return number("%.*f", kPrecision, value);
    return number("%.*f", 0, value) + (std::isfinite(value) ? "." : "");
  }
  std::string text(std::int64_t value) const {
    if (type_ == kBool) return value ? "True" : "False";
    return std::to_string(value);
  }

  ScalarType type_;
  bool whole_ = true, scientific_ = false;
  std::size_t width_ = 1;
};

/// Writes nested brackets around the elements that are shown.
template <class T>
class Brackets {
 public:
  Brackets(const Format& format, IntArrayRef sizes, bool summarized, const T* shown)
      : format_(format), sizes_(sizes), summarized_(summarized), next_(shown) {}

  std::string write(std::size_t dim, std::size_t indent) {
    if (sizes_.size() == 0) return format_.padded(*next_);
    if (dim + 1 == sizes_.size()) return line(dim, indent);
    const std::string between =
        joined(",", std::string(sizes_.size() - dim - 1, '\n'), spaces(indent + 1));
    std::string text = "[";
    const std::int64_t count = shown(dim);
    for (std::int64_t i = 0; i < count; ++i) {
      if (i > 0) text += between;
      if (cut(dim) && i == kEdgeItems) text += joined("...", between);
      text += write(dim + 1, indent + 1);
    }
    return text + "]";
  }

 private:
  bool cut(std::size_t dim) const { return summarized_ && sizes_[dim] > 2 * kEdgeItems; }
  std::int64_t shown(std::size_t dim) const { return cut(dim) ? 2 * kEdgeItems : sizes_[dim]; }

  std::string line(std::size_t dim, std::size_t indent) {
    const std::size_t per_line =
        std::max<std::size_t>(1, (kLineWidth - indent) / (format_.width() + 2));
    std::string text = "[";
    std::size_t written = 0;
    const auto item = [&](const std::string& value) {
      if (written > 0) text += written % per_line ? ", " : joined(",\n", spaces(indent + 1));
      text += value;
      ++written;
    };
    const std::int64_t count = shown(dim);
    for (std::int64_t i = 0; i < count; ++i) {
      if (cut(dim) && i == kEdgeItems) item(" ...");
      item(format_.padded(*next_++));
    }
    return text + "]";
  }

  const Format& format_;
  IntArrayRef sizes_;
  bool summarized_;
  const T* next_;
};

// Only what is shown, so that a large tensor on a device is not brought to the host whole.
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
  const bool summarized = tensor.numel() > kThreshold;
  const Tensor part = (summarized ? edges(tensor) : tensor).to(kCPU);
  Format format(tensor.dtype());
  if (tensor.is_floating_point()) {
    const Tensor values = part.to(kDouble).contiguous();
    format.look_at_floats(values.data_ptr<double>(), values.numel());
    return Brackets(format, tensor.sizes(), summarized, values.data_ptr<double>()).write(0, indent);
  }
  const Tensor values = part.to(kLong).contiguous();
  format.look_at_integers(values.data_ptr<std::int64_t>(), values.numel());
  return Brackets(format, tensor.sizes(), summarized, values.data_ptr<std::int64_t>())
      .write(0, indent);
}

// PyTorch writes sizes as Python writes a tuple.
std::string tuple(IntArrayRef sizes) {
  std::string text = "(";
  for (std::size_t i = 0; i < sizes.size(); ++i) text += joined(i ? ", " : "", sizes[i]);
  text += sizes.size() == 1 ? ",)" : ")";
  return text;
}

std::vector<std::string> suffixes_of(const Tensor& tensor) {
  std::vector<std::string> suffixes;
  const ScalarType type = tensor.dtype();
  if (!tensor.is_cpu()) suffixes.push_back(joined("device='", tensor.device(), "'"));
  // The digits show float32, int64 and bool; without digits only the default is understood.
  const bool empty = tensor.numel() == 0;
  if (empty && tensor.dim() != 1) suffixes.push_back(joined("size=", tuple(tensor.sizes())));
  if (empty ? type != kFloat : type != kFloat && type != kLong && type != kBool)
    suffixes.push_back(joined("dtype=torch.", type));
  if (tensor.grad_fn())
    suffixes.push_back(joined("grad_fn=<", tensor.grad_fn()->name(), ">"));
  else if (tensor.requires_grad())
    suffixes.push_back("requires_grad=True");
  return suffixes;
}

}  // namespace

std::ostream& operator<<(std::ostream& out, const Tensor& tensor) {
  if (!tensor.defined()) return out << "[ Tensor (undefined) ]";
  const std::string prefix = "tensor(";
  std::string text;
  {
    const NoGradGuard no_grad;
    text = joined(prefix, elements(tensor.detach(), prefix.size()));
  }
  // How PyTorch measures the last line, an extra character or two included.
  const std::size_t newline = text.rfind('\n');
  std::size_t length = newline == std::string::npos ? text.size() + 2 : text.size() - newline + 1;
  for (const std::string& suffix : suffixes_of(tensor)) {
    const bool fits = length + suffix.size() + 2 <= kLineWidth;
    text += joined(fits ? ", " : joined(",\n", spaces(prefix.size())), suffix);
    length = (fits ? length + 2 : prefix.size()) + suffix.size();
  }
  return out << text << ")";
}

}  // namespace td
