// Light or dark, the list of headings, and the search of every page, Doxygen's too (theme/page.html).
// Invariant: it works from file://, where a page may run scripts but may not fetch files.
"use strict";

const root = document.currentScript.dataset.root;
// Before the first paint, or a dark page would flash white.
document.documentElement.dataset.scheme = localStorage.getItem("scheme") ?? "";

function switchScheme() {
  const dark = getComputedStyle(document.documentElement).getPropertyValue("--is-dark");
  const scheme = dark.trim() === "1" ? "light" : "dark";
  document.documentElement.dataset.scheme = scheme;
  localStorage.setItem("scheme", scheme);
}

// Doxygen's pages call this to unfold members that a base class declares.
function toggleInherit(name) {
  for (const row of document.querySelectorAll(`tr.inherit.${name}`)) row.classList.toggle("shown");
}

// search_index.js calls this. An entry is [title, where it is, address, text].
let entries = null;
function searchIndex(loaded) {
  entries = loaded.map(([title, place, address, text]) => {
    const name = title.toLowerCase(), all = `${title} ${place} ${text}`.toLowerCase();
    return { title, place, address, text, name, all };
  });
}

let loading = null;
function loadIndex() {
  loading ??= new Promise((resolve) => {
    const script = document.createElement("script");
    script.src = `${root}theme/search_index.js`;
    script.onload = resolve;
    document.head.append(script);
  });
  return loading;
}

// A title counts more than a text, a whole name more than a part of one, and of equal names the shortest:
// td::distributed::all_reduce before the same member of a class. 0: not found.
function score(entry, words) {
  let sum = 0;
  for (const word of words) {
    if (!entry.all.includes(word)) return 0;
    const last = entry.name.split("::").at(-1);
    if (entry.name === word || last === word) sum += 40;
    else if (last.startsWith(word)) sum += 15;
    else if (entry.name.includes(word)) sum += 10;
    sum += 1;
  }
  return sum - entry.name.length / 1000;
}

// The text around the first word, so that the reader sees why this was found.
function excerpt(entry, words) {
  const at = entry.text.toLowerCase().indexOf(words[0]) - 50;
  return at > 0 ? `…${entry.text.slice(at, at + 140)}` : entry.text.slice(0, 140);
}

async function search(query, list) {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  list.hidden = words.length === 0;
  if (list.hidden) return;
  await loadIndex();
  const found = entries.map((entry) => [score(entry, words), entry]).filter(([points]) => points > 0);
  found.sort((a, b) => b[0] - a[0]);
  list.replaceChildren(...found.slice(0, 30).map(([, entry]) => {
    const link = document.createElement("a");
    link.href = root + entry.address;
    for (const [kind, text] of [["b", entry.title], ["i", entry.place], ["span", excerpt(entry, words)]]) {
      const part = document.createElement(kind);
      part.textContent = text;
      link.append(part, " ");
    }
    const item = document.createElement("li");
    item.append(link);
    return item;
  }));
  if (found.length === 0) list.textContent = `Nothing contains "${query}". Try a single word.`;
}

document.addEventListener("DOMContentLoaded", () => {
  const field = document.querySelector(".bar input");
  const list = document.querySelector(".bar .results");
  document.querySelector(".bar .scheme").addEventListener("click", switchScheme);
  const toc = document.querySelector("details.toc");
  if (toc) toc.open = matchMedia("(min-width: 75rem)").matches;
  field.addEventListener("focus", loadIndex);
  field.addEventListener("input", () => search(field.value, list));
  list.addEventListener("click", () => { list.hidden = true; });
  document.addEventListener("keydown", (event) => {
    const links = [...list.querySelectorAll("a")];
    const at = links.indexOf(document.activeElement);
    if (event.key === "/" && document.activeElement !== field) field.focus();
    else if (event.key === "Escape") list.hidden = true;
    else if (event.key === "Enter" && document.activeElement === field) links[0]?.click();
    else if (event.key === "ArrowDown" && !list.hidden) links[at + 1]?.focus();
    else if (event.key === "ArrowUp" && at > 0) links[at - 1].focus();
    else return;
    event.preventDefault();
  });
});
