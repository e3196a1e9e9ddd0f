// What a reader would complain about on this page, as a list of sentences. docs/check_pages.py runs it in
// a browser for each width and color scheme. Invariant: it changes nothing that the next run would see.
(async () => {
  const width = Math.min(screen.width, innerWidth);
  const visible = (element) => element.checkVisibility() && element.getClientRects().length > 0;
  const name = (element) => {
    const text = element.textContent.trim().replace(/\s+/g, " ").slice(0, 40);
    return `<${element.tagName.toLowerCase()}> "${text}"`;
  };
  const parents = function* (element) {
    for (let box = element; box; box = box.parentElement) yield box;
  };
  // Boxes of code and wide tables may scroll; the page may not.
  const scrolls = (element) => [...parents(element)].some((box) =>
    box !== document.documentElement && ["auto", "scroll"].includes(getComputedStyle(box).overflowX));

  async function pictures() {
    const found = [];
    await Promise.all([...document.images].map((picture) => picture.decode().catch(() => null)));
    for (const picture of document.images) {
      const source = picture.getAttribute("src");
      const share = picture.clientWidth / Math.min(picture.naturalWidth, 900);
      // A picture that is not there has no size of its own; one that is made small cannot be read.
      if (picture.naturalWidth === 0) found.push(`the picture ${source} is missing`);
      else if (visible(picture) && share < 0.55) {
        found.push(`the picture ${source} is shrunk to ${Math.round(100 * share)} %`);
      }
    }
    return found;
  }

  function page() {
    const root = document.documentElement;
    if (root.clientWidth > screen.width) {
      return [`the page is laid out for ${root.clientWidth} pixels: it lacks <meta name="viewport">`];
    }
    if (root.scrollWidth <= width) return [];
    const cause = [...document.body.querySelectorAll("*")].find((element) =>
      visible(element) && element.getBoundingClientRect().right > width + 1 && !scrolls(element));
    const because = cause ? `, because of ${name(cause)}` : "";
    return [`the page scrolls sideways: ${root.scrollWidth} pixels${because}`];
  }

  // Text that reaches out of its cell is cut off, or covers the next one.
  function cells() {
    const found = [], range = document.createRange();
    for (const cell of document.querySelectorAll("td, th")) {
      if (!visible(cell) || !cell.textContent.trim() || getComputedStyle(cell).display === "inline") continue;
      range.selectNodeContents(cell);
      const text = range.getBoundingClientRect(), box = cell.getBoundingClientRect();
      const reaches_out = text.right > box.right + 1 || text.left < box.left - 1;
      const has_code_box = cell.querySelector("pre, .fragment");
      if (reaches_out && !has_code_box) found.push(`text is cut off in ${name(cell)}`);
      else if (!scrolls(cell) && box.right > width + 1) found.push(`a cell is cut off: ${name(cell)}`);
    }
    return found;
  }

  // A color in any notation as four bytes: the browser paints one point with it.
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const bytes = (color) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = color;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  // The contrast of two colors by the formula of WCAG 2; its level AA asks for 4.5.
  const luminance = (color) => bytes(color).slice(0, 3).map((byte) => byte / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
    .reduce((sum, part, i) => sum + part * [0.2126, 0.7152, 0.0722][i], 0);
  const contrast = (...colors) => {
    const [light, dark] = colors.map(luminance).sort((a, b) => b - a);
    return (light + 0.05) / (dark + 0.05);
  };

  function colors() {
    const found = [], seen = new Set(), opaque = new Map();
    const is_opaque = (color) => {
      if (!opaque.has(color)) opaque.set(color, bytes(color)[3] === 255);
      return opaque.get(color);
    };
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const element = texts.currentNode.parentElement;
      if (!texts.currentNode.data.trim() || !visible(element)) continue;
      const grounds = [...parents(element)].map((box) => getComputedStyle(box).backgroundColor);
      const color = getComputedStyle(element).color, ground = grounds.find(is_opaque) ?? "white";
      if (seen.has(color + ground)) continue;
      seen.add(color + ground);
      const value = contrast(color, ground);
      if (value < 4.5) found.push(`hard to read (contrast ${value.toFixed(1)}): ${name(element)}`);
    }
    return found;
  }

  for (const fold of document.querySelectorAll("details:not(.toc)")) fold.open = true;
  return [...await pictures(), ...page(), ...cells(), ...colors()];
})()
