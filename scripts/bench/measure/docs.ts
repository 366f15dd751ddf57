import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const file = fileURLToPath(new URL('../../../docs/benchmarks.md', import.meta.url));

/** Puts text between `<!-- name -->` and `<!-- /name -->` in docs/benchmarks.md. Throws where these are not there. */
export function writeIntoDocs(name: string, text: string): void {
  const [head, tail] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const before = readFileSync(file, 'utf8');
  const [start, end] = [before.indexOf(head), before.indexOf(tail)];
  if (start === -1 || end < start) throw new Error(`docs/benchmarks.md has no ${head} … ${tail}`);
  writeFileSync(file, `${before.slice(0, start + head.length)}\n${text}\n${before.slice(end)}`);
}
