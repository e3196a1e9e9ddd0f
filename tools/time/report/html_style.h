// The style sheet of the page. Included by html.cpp alone. Below 640 pixels a table's rows become
// cards whose cells carry the title of their column.
#pragma once

namespace report {

inline constexpr const char* kStyle = R"(
:root { color-scheme: light dark; --page: #ffffff; --text: #1f2328; --soft: #59636e; --line: #d1d9e0;
  --card: #f6f8fa; --accent: #0969da; --good: #1a7f37; --bad: #d1242f }
@media (prefers-color-scheme: dark) { :root { --page: #0d1117; --text: #e6edf3; --soft: #9198a1;
  --line: #3d444d; --card: #151b23; --accent: #4493f8; --good: #3fb950; --bad: #f85149 } }
* { box-sizing: border-box }
body { margin: 0; background: var(--page); color: var(--text); font: 16px/1.5 system-ui, sans-serif }
main { max-width: 1100px; margin: 0 auto; padding: 24px 16px 64px }
h1 { font-size: 28px; margin: 0 0 4px } h2 { font-size: 21px; margin: 40px 0 12px }
h3 { font-size: 17px; margin: 28px 0 8px }
p.soft, .soft { color: var(--soft) } code { overflow-wrap: anywhere }
.cards { display: grid; gap: 12px; grid-template-columns: repeat(auto-fit, minmax(230px, 1fr)) }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: 14px 16px }
.card b { display: block; font-size: 30px; line-height: 1.2; font-variant-numeric: tabular-nums }
.card p { margin: 4px 0 0 }
.good { color: var(--good) } .bad { color: var(--bad) }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums }
th, td { text-align: right; padding: 6px 10px; border-bottom: 1px solid var(--line) }
th, td { white-space: nowrap } td:first-child { white-space: normal; width: 30% }
th { color: var(--soft); font-weight: 600; font-size: 14px }
th:first-child, td:first-child, td.words, th.words { text-align: left }
figure { margin: 0; background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: 12px }
figure svg { width: 100%; height: auto; display: block } figcaption { color: var(--soft); font-size: 14px }
.pictures { display: grid; gap: 16px; align-items: start;
  grid-template-columns: repeat(auto-fit, minmax(min(100%, 440px), 1fr)) }
li { margin: 6px 0 } li, p { overflow-wrap: anywhere }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 4px 16px } dt { color: var(--soft) }
dd { margin: 0; overflow-wrap: anywhere }
.bar { display: inline-block; height: 10px; border-radius: 2px; background: var(--accent); vertical-align: middle }
td.bars { width: 12%; text-align: left }
@media (max-width: 640px) {
  thead { display: none } table, tbody, tr, td { display: block }
  tr { border: 1px solid var(--line); border-radius: 8px; margin: 0 0 10px; padding: 6px 12px; background: var(--card) }
  td, td.words { border: 0; padding: 2px 0; text-align: right; overflow: hidden }
  td:first-child { font-weight: 600; text-align: left; width: auto }
  td[data-title]::before { content: attr(data-title); float: left; color: var(--soft); padding-right: 12px }
  td:empty, td.bars { display: none }
  dl { grid-template-columns: 1fr; gap: 0 } dd { margin-bottom: 8px }
}
)";

}  // namespace report
