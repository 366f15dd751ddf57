import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { program } from '../../support/program/cli.ts';

/** What is loaded when it is needed: the graph, the editor, and the frame that draws diagrams. */
const HEAVY = /^(?:graph|code-editor|diagram-frame)-/;
const assets = join(dirname(program), 'page/assets');

it('V-14 U-07 the page weighs less than 220 KB without graph, editor and diagrams, and loads none of those at its start', () => {
  const sizes = readdirSync(assets)
    .filter((name) => name.endsWith('.br'))
    .map((name) => ({ name, bytes: readFileSync(join(assets, name)).length }));
  const heavy = sizes.filter(({ name }) => HEAVY.test(name));
  expect(heavy.length).toBeGreaterThanOrEqual(3);
  const code = sizes.filter(({ name }) => /\.(?:js|css)\.br$/.test(name) && !HEAVY.test(name));
  expect(code.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThan(220_000);
  // What the first file imports, and what these import in turn.
  const start = readdirSync(assets).find((name) => /^main-.*\.js$/.test(name)) ?? '';
  const loaded = new Set([start]);
  for (const name of loaded)
    for (const [, imported = ''] of readFileSync(join(assets, name), 'utf8').matchAll(/(?:from|import)\s*"\.\/([\w-]+\.js)"/g))
      loaded.add(imported);
  expect([...loaded].filter((name) => HEAVY.test(name))).toEqual([]);
});
