// The frame of every SVG picture that td draws: its size, its font, and colors that follow the
// reader's light or dark mode. Invariant: uses only the standard library, so that every file may
// include it.
#pragma once

#include <string>

namespace td::trace {

/// The width of every picture in units. A page 358 units wide, on a phone, shows text of size 13 at
/// three quarters of that, which is readable.
constexpr int kPictureWidth = 480;

/// Returns a text as a picture may hold it: without the characters that XML reserves.
inline std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text)
    out += c == '<'                               ? "&lt;"
           : c == '>'                             ? "&gt;"
           : c == '&'                             ? "&amp;"
           : static_cast<unsigned char>(c) < 0x20 ? " "
                                                  : std::string(1, c);
  return out;
}

/// Returns the beginning of a picture of `height` units; `</svg>` ends it. Text and shapes without
/// a color of their own are dark on a light page and light on a dark page. Three classes do the
/// same: "page" fills with the background, "axis" and "grid" are strokes. Where there is room, a
/// unit is 1.25 pixels, so that text is as large as that of the page.
inline std::string open_svg(int height) {
  const std::string w = std::to_string(kPictureWidth), h = std::to_string(height);
  return R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 )" + w + ' ' + h + R"(" width=")" +
         std::to_string(kPictureWidth * 5 / 4) + R"(" height=")" + std::to_string(height * 5 / 4) +
         R"(" font-family="sans-serif" font-size="13">
<style>
svg { fill: #1f2328; max-width: 100%; height: auto }
.page { fill: #ffffff } .axis { fill: none; stroke: #1f2328 } .grid { fill: none; stroke: #d8dee4 }
@media (prefers-color-scheme: dark) {
svg { fill: #e6edf3 }
.page { fill: #0d1117 } .axis { stroke: #e6edf3 } .grid { stroke: #30363d }
}
</style>
<rect class="page" width=")" +
         w + R"(" height=")" + h + "\"/>\n";
}

}  // namespace td::trace
