import type { BrowserTest } from '../support/browser/with-browser.ts';

/** What runs, fetches or takes over a page that is careless; each sets `window.hacked` or asks another host where it works. */
export const ATTACKS: readonly string[] = [
  '<script>hacked = 1</script>',
  '<ScRiPt src=//evil.example/x.js></sCrIpT>',
  '<img src=x onerror="hacked = 1">',
  '<img src="https://evil.example/pixel.png">',
  '<svg onload="hacked = 1"><script>hacked = 1</script><foreignObject><img src=x onerror=hacked=1></foreignObject></svg>',
  '<iframe src="javascript:hacked = 1"></iframe><iframe srcdoc="<script>parent.hacked = 1</script>"></iframe>',
  '<a href="javascript:hacked = 1">click</a> [click](javascript:hacked=1) [click](JaVaScRiPt:hacked=1) <javascript:hacked=1>',
  '[click](data:text/html,<script>opener.hacked=1</script>) ![p](data:image/svg+xml,<svg/onload=hacked=1>)',
  '[click](vbscript:x) [click](\u0001javascript:hacked=1) [click](java\tscript:hacked=1) [click](&#106;avascript:hacked=1)',
  '<details open ontoggle="hacked = 1"><summary>x</summary></details><input autofocus onfocus="hacked = 1">',
  '<form action="https://evil.example/"><button>send</button></form><button formaction="javascript:hacked=1">x</button>',
  '<style>body { display: none } @import "https://evil.example/x.css";</style><link rel=stylesheet href=https://evil.example/x.css>',
  '<p style="position:fixed;inset:0;background:url(https://evil.example/x)" class="dialog-box navigation" id="main">cover</p>',
  '<form id="page"><input name="body"></form><a id="main" name="cookie"></a><img name="getElementById"><img id="note-main" name="createElement">',
  '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=hacked=1&gt;">',
  '<math><mi><svg><annotation-xml encoding="text/html"><img src onerror=hacked=1></annotation-xml></svg></mi></math>',
  '$\\href{javascript:hacked=1}{x} \\includegraphics{https://evil.example/x.png} \\style{background:red}{x} \\class{navigation}{x}$',
  '<noscript><p title="</noscript><img src=x onerror=hacked=1>">',
  '<!--><img src=x onerror=hacked=1>--> <![CDATA[<img src=x onerror=hacked=1>]]> <?xml <img src=x onerror=hacked=1>?>',
  '<template><img src=x onerror=hacked=1></template><object data="https://evil.example/x.swf"></object><embed src="https://evil.example/x">',
  '<base href="https://evil.example/"><meta http-equiv="refresh" content="0;url=https://evil.example/">',
  '<video src=https://evil.example/x poster=https://evil.example/y onloadstart=hacked=1></video><audio src=x onerror=hacked=1></audio>',
  '<marquee onstart=hacked=1>x</marquee><body onload=hacked=1><select><option><img src=x onerror=hacked=1></select>',
  '![[https://evil.example/x.png]] ![x](https://evil.example/x.png) ![x](//evil.example/x.png)',
  '[[javascript:hacked=1]] [[x|<img src=x onerror=hacked=1>]] [[<img src=x onerror=hacked=1>]]',
  '> [!note" onmouseover="hacked=1]- <img src=x onerror=hacked=1>\n> <script>hacked=1</script>',
  '```js" onmouseover="hacked=1\n</code></pre><img src=x onerror=hacked=1>\n```',
  '# <img src=x onerror=hacked=1> {#main onclick=hacked=1}\n\n[^<img src=x onerror=hacked=1>]\n\n[^<img src=x onerror=hacked=1>]: <img src=x onerror=hacked=1>',
  '| <img src=x onerror=hacked=1> |\n|---|\n| <script>hacked=1</script> |',
  '==<img src=x onerror=hacked=1>== #tag"onmouseover="hacked=1 %%<img src=x onerror=hacked=1>%%',
  '<a href="https://evil.example/" target="_top" rel="opener" ping="https://evil.example/ping">out</a>',
  '<p \u0000 onclick=hacked=1>null</p><p/onclick=hacked=1>slash</p><p onclick\n=\nhacked=1>lines</p>',
  '<video controls autoplay poster="javascript:hacked=1" src="javascript:hacked=1"><source src="data:text/html,<script>hacked=1</script>" onerror=hacked=1><img src=x onerror=hacked=1></video>',
  '<audio src=//evil.example/a.mp3 autoplay><track src=https://evil.example/t.vtt></audio> <img src="other.svg" srcset="https://evil.example/a.png 2x" width="999999999" onerror=hacked=1>',
  '![[other.mp4#t=1"onerror="hacked=1]] ![x|300" onerror="hacked=1](other.png) ![[other.pdf#page=1" onclick="hacked=1]]',
  '```mermaid\nflowchart TD\n  A[x] --> B[y]\n  click A "javascript:hacked=1"\n  click B href "https://evil.example/" _top\n```',
  '$\\unicode[x; src: url(https://evil.example/f.woff2)]{x41} \\textcolor{red;background:url(https://evil.example/)}{x} \\colorbox{url(https://evil.example/)}{x} \\class{main}{x} \\cssId{main}{x}$',
];

/** Diagrams that would run something, or fetch it from elsewhere. */
export const DIAGRAM_ATTACKS: readonly string[] = [
  'flowchart TD\n  A["<img src=https://evil.example/a.png onerror=top.hacked=1>"] --> B["<script>top.hacked=1</script>"]',
  'flowchart TD\n  A[x] --> B[y]\n  click A "javascript:top.hacked=1"\n  click B call hacked()',
  'flowchart TD\n  A[x] --> B[y]\n  click A href "https://evil.example/" _top',
  '%%{init: {"securityLevel": "loose", "themeCSS": "* { background: url(https://evil.example/b.png) } @import \'https://evil.example/c.css\';", "fontFamily": "x; } @font-face { font-family: y; src: url(https://evil.example/f.woff2)"} }%%\nflowchart TD\n  A["<b onclick=top.hacked=1>x</b>"]',
  '%%{init: {"flowchart": {"htmlLabels": true}, "theme": "forest", "themeVariables": {"primaryColor": "url(https://evil.example/d.png)"}, "dompurifyConfig": {"ADD_TAGS": ["script"]}}}%%\nflowchart TD\n  A["<svg/onload=top.hacked=1>"]',
  'sequenceDiagram\n  participant A as <img src=x onerror=top.hacked=1>\n  A->>A: <iframe src="javascript:top.hacked=1"></iframe>\n  link A: Board @ javascript:top.hacked=1',
  'classDiagram\n  class A["<img src=//evil.example/e.png>"]\n  click A href "javascript:top.hacked=1"',
  'gantt\n  title <img src=x onerror=top.hacked=1>\n  section <script>top.hacked=1</script>\n  T :a, 2024-01-01, 1d\n  click a call hacked()',
  '---\nconfig:\n  securityLevel: loose\n  themeCSS: "@import url(https://evil.example/g.css)"\n---\nflowchart TD\n  A@{ img: "https://evil.example/h.png", label: "x" }\n  B@{ icon: "evil:x" }',
  'flowchart TD\n  A[x]\n  style A fill:url(https://evil.example/i.png),stroke:expression(1)\n  classDef c fill:#fff,background:url(https://evil.example/j.png)\n  class A c',
];

/** Moves the mouse over all elements, and the focus to them, at once: each that is drawn anew meanwhile would be waited for. */
export async function touchAll({ page }: Pick<BrowserTest, 'page'>, selector: string): Promise<void> {
  await page.evaluate(`for (const element of document.querySelectorAll(${JSON.stringify(selector)})) {
    element.dispatchEvent(new MouseEvent('mouseover', { bubbles: true }));
    element.dispatchEvent(new FocusEvent('focus'));
  }`);
}
