// What a reader would complain about on this page, as a list of sentences. docs/check_pages.py runs it in
// a browser for each width and color scheme. Invariant: it changes nothing that the next run would see.
(async () => {
  const found = [];
  const name = (element) => {
    const text = element.textContent.trim().replace(/\s+/g, " ").slice(0, 40);
    return `<${element.tagName.toLowerCase()}> "${text || element.getAttribute("src") || ""}"`;
  };
  const visible = (element) => element.checkVisibility() && element.getClientRects().length > 0;
  for (const fold of document.querySelectorAll("details:not(.toc)")) fold.open = true;

  // Pictures. One that is not there has no size of its own.
  const pictures = [...document.images];
  await Promise.all(pictures.map((picture) => picture.decode().catch(() => null)));
  for (const picture of pictures) {
    const share = picture.clientWidth / Math.min(picture.naturalWidth, 900);
    if (picture.naturalWidth === 0) found.push(`the picture ${picture.getAttribute("src")} is missing`);
    else if (visible(picture) && share < 0.7) found.push(`the picture ${picture.getAttribute("src")} is shrunk to ${Math.round(100 * share)} %`);
  }

  // The page must not scroll sideways; a box of code or a wide table may.
  const width = Math.min(screen.width, innerWidth);
  if (document.documentElement.clientWidth > screen.width) {
    found.push(`the page is laid out for ${document.documentElement.clientWidth} pixels: it lacks <meta name="viewport">`);
  }
  const scrolls = (element) => {
    for (let box = element; box && box !== document.body; box = box.parentElement) {
      if (["auto", "scroll"].includes(getComputedStyle(box).overflowX)) return true;
    }
    return false;
  };
  if (document.documentElement.scrollWidth > width) {
    const wide = [...document.body.querySelectorAll("*")].find((element) =>
      visible(element) && element.getBoundingClientRect().right > width + 1 && !scrolls(element));
    found.push(`the page scrolls sideways: ${document.documentElement.scrollWidth} pixels${wide ? `, because of ${name(wide)}` : ""}`);
  }

  // Text of a cell that reaches out of it is cut off or covers the next cell.
  const range = document.createRange();
  for (const cell of document.querySelectorAll("td, th")) {
    if (!visible(cell) || !cell.textContent.trim() || getComputedStyle(cell).display === "inline") continue;
    range.selectNodeContents(cell);
    const text = range.getBoundingClientRect(), box = cell.getBoundingClientRect();
    const inner = cell.querySelector("pre, .fragment");
    if (!inner && (text.right > box.right + 1 || text.left < box.left - 1)) found.push(`text is cut off in ${name(cell)}`);
    else if (!scrolls(cell) && box.right > width + 1) found.push(`a cell is cut off: ${name(cell)}`);
  }

  // Text against what lies under it, by the formula of WCAG 2; 4.5 is its level AA.
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const seen = new Map();
  const rgba = (color) => {
    if (!seen.has(color)) {
      canvas.clearRect(0, 0, 1, 1);
      canvas.fillStyle = color;
      canvas.fillRect(0, 0, 1, 1);
      seen.set(color, [...canvas.getImageData(0, 0, 1, 1).data]);
    }
    return seen.get(color);
  };
  const luminance = (color) => rgba(color).slice(0, 3).map((part) => part / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
    .reduce((sum, part, i) => sum + part * [0.2126, 0.7152, 0.0722][i], 0);
  const under = (element) => {
    for (let box = element; box; box = box.parentElement) {
      const color = getComputedStyle(box).backgroundColor;
      if (rgba(color)[3] === 255) return color;
    }
    return "white";
  };
  const pairs = new Set();
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const element = texts.currentNode.parentElement;
    if (!texts.currentNode.data.trim() || !visible(element)) continue;
    const color = getComputedStyle(element).color, ground = under(element);
    if (pairs.has(color + ground)) continue;
    pairs.add(color + ground);
    const [light, dark] = [luminance(color), luminance(ground)].sort((a, b) => b - a);
    const contrast = (light + 0.05) / (dark + 0.05);
    if (contrast < 4.5) found.push(`hard to read (contrast ${contrast.toFixed(1)}): ${name(element)}`);
  }
  return found;
})()
