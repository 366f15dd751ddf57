// Records `roux demo` as an animated picture, docs/images/demo.svg: what it prints, line by line, at the pace at which it printed it.
// Needs the built program.
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const LAST_LINE = 'That was it';
/** A pause is shown as no longer than this, and the end for as long as it takes to read it. */
const MAX_PAUSE_MS = 1_600;
const END_MS = 6_000;
const MAX_COLUMNS = 114;
/** Lines on the screen at once. */
const ROWS = 20;
const [CHARACTER, LINE, MARGIN] = [8.4, 20, 18];

interface Line {
  readonly text: string;
  readonly at: number;
}

const lines = await record();
const picture = join(root, 'docs/images/demo.svg');
writeFileSync(picture, draw(lines));
console.log(`${picture}: ${lines.length} lines, ${Math.round((lines.at(-1)?.at ?? 0) / 1000)} s`);

/** Runs the demo until it has told its story. Returns its lines with their times in milliseconds, pauses shortened. */
async function record(): Promise<readonly Line[]> {
  const child = spawn(process.execPath, [join(root, 'dist/bin.js'), 'demo'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const found: Line[] = [{ text: '$ roux demo', at: 0 }];
  let [clock, last, rest] = [0, Date.now(), ''];
  for await (const chunk of child.stdout) {
    clock += Math.min(Date.now() - last, MAX_PAUSE_MS);
    last = Date.now();
    const parts = (rest + String(chunk)).split('\n');
    rest = parts.pop() ?? '';
    found.push(...parts.map((text) => ({ text: neutral(text), at: clock })));
    if (found.some(({ text }) => text.includes(LAST_LINE))) break;
  }
  child.kill('SIGINT');
  const end = found.findIndex(({ text }) => text.includes(LAST_LINE));
  return found.slice(0, end).filter(({ text }, at, all) => text.trim() !== '' || (all[at - 1]?.text ?? '').trim() !== '');
}

/** Takes away what is different each time or belongs to this machine: port, token and folder. */
function neutral(text: string): string {
  return text
    .replace(/http:\/\/127\.0\.0\.1:\d+\/#\S+/, 'http://127.0.0.1:7411')
    .replace(/ in \/\S*roux-demo-\w+\/.*?\. Ctrl/, ' in a temporary folder. Ctrl')
    .slice(0, MAX_COLUMNS);
}

/** Draws the lines as an SVG whose screen scrolls when it is full. Without animations, or with reduced motion, it shows the end. */
function draw(all: readonly Line[]): string {
  const total = (all.at(-1)?.at ?? 0) + END_MS;
  const percent = (ms: number): string => ((100 * ms) / total).toFixed(2);
  const width = Math.round(MAX_COLUMNS * CHARACTER + 2 * MARGIN);
  const height = ROWS * LINE + 2 * MARGIN;
  const scrolls = all.map((_, at) => Math.max(0, at + 1 - ROWS) * LINE);
  const steps = all
    .map(({ at }, index) => ({ at, up: scrolls[index] ?? 0 }))
    .filter(({ up }, index, list) => up !== (list[index - 1]?.up ?? 0))
    .map(({ at, up }) => `${percent(at)}%{transform:translateY(-${up}px)}`);
  const appear = all.map(({ at }, index) =>
    at === 0
      ? ''
      : `@keyframes l${index}{0%{opacity:0}${percent(at)}%{opacity:1}}.l${index}{animation:l${index} ${total}ms step-end infinite}`,
  );
  const text = all.map(
    ({ text: line }, index) =>
      `<text class="l${index}" x="${MARGIN}" y="${MARGIN + (index + 0.75) * LINE}" xml:space="preserve">${paint(line)}</text>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="roux demo in a terminal: two agents plan, work on and resolve tasks in a vault, and say what they do.">
<style>
text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;fill:#e4dfd6}
.ada{fill:#e0a070}.max{fill:#8fce9f}.dim{fill:#aaa399}
.screen{transform:translateY(-${scrolls.at(-1) ?? 0}px);animation:scroll ${total}ms step-end infinite}
@keyframes scroll{0%{transform:translateY(0)}${steps.join('')}}
${appear.join('\n')}
@media (prefers-reduced-motion:reduce){*{animation:none!important}}
</style>
<rect width="${width}" height="${height}" rx="10" fill="#1a1918"/>
<svg x="0" y="${MARGIN / 2}" width="${width}" height="${height - MARGIN}" viewBox="0 ${MARGIN / 2} ${width} ${height - MARGIN}"><g class="screen">
${text.join('\n')}
</g></svg>
</svg>
`;
}

/** Colors the name of the agent, and what is not about one. */
function paint(line: string): string {
  const escaped = line.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  const named = /^(\s*)(ada|max)(\s.*)$/.exec(escaped);
  if (named === null) return line.startsWith('$') ? escaped : `<tspan class="dim">${escaped}</tspan>`;
  const [, indent = '', agent = '', rest = ''] = named;
  return `${indent}<tspan class="${agent}">${agent}</tspan>${rest}`;
}
