import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Everything in a folder, kept beside it. */
export interface Kept {
  /** Makes the folder as it was. It stays the same folder: what roux wrote into `.roux` counts in this one only. */
  putBack(): void;
  dispose(): void;
}

/** Keeps everything in a folder. */
export function keep(root: string): Kept {
  const place = realpathSync(mkdtempSync(join(tmpdir(), 'roux-kept-')));
  const copyAll = (from: string, to: string): void => {
    for (const name of readdirSync(from)) cpSync(join(from, name), join(to, name), { recursive: true, preserveTimestamps: true });
  };
  copyAll(root, place);
  return {
    putBack() {
      for (const name of readdirSync(root)) rmSync(join(root, name), { recursive: true });
      copyAll(place, root);
    },
    dispose: () => rmSync(place, { recursive: true }),
  };
}

const ID = /[0-9a-hjkmnp-tv-z]{26}/g;

/** All ids that a vault knows, those of its own records too. */
export function idsIn(root: string): ReadonlySet<string> {
  return new Set(dump(root).match(ID));
}

/** What a vault holds: notes, trash and history, with times left out and ids told by the order in which they appear unless they were known before. */
export function stateOf(root: string, known: ReadonlySet<string>): string {
  const names = new Map<string, string>();
  return (
    dump(root)
      .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, '<time>')
      .replaceAll(/\b(?:[0-9a-f]{16}|[0-9a-f]{64})\b/g, '<hash>')
      .replaceAll(ID, (id) => {
        if (known.has(id)) return id;
        if (!names.has(id)) names.set(id, `<new ${names.size}>`);
        return names.get(id) ?? id;
      })
      // A recovery begins on a new line of the history.
      .replaceAll(/\n+(?=\{"seq":|\n=== )/g, '\n')
  );
}

function dump(root: string): string {
  const texts = readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .filter((path) => !path.startsWith('.roux/') || /^\.roux\/(?:trash\/|history\/[\d-]+\.jsonl$)/.test(path))
    .sort()
    .map((path) => `=== ${path}\n${readFileSync(join(root, path), 'utf8')}`);
  return texts.join('\n');
}

/** The first place where two states differ, with a line or two around it. */
export function differenceOf(a: string, b: string): string {
  const [left, right] = [a.split('\n'), b.split('\n')];
  const at = left.findIndex((line, index) => line !== right[index]);
  const first = at < 0 ? left.length : at;
  const heading = left.slice(0, first + 1).findLast((line) => line.startsWith('=== ')) ?? '';
  return `${heading}: ${JSON.stringify(left.slice(first, first + 3))} against ${JSON.stringify(right.slice(first, first + 3))}`;
}

/** Wikilinks whose target no file and no alias names, as the files are at this moment, finished or not. */
export function danglingIn(root: string): ReadonlySet<string> {
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
    (path) => path.endsWith('.md') && !path.startsWith('.roux'),
  );
  const texts = files.filter((path) => existsSync(join(root, path))).map((path) => readFileSync(join(root, path), 'utf8'));
  const named = new Set(files.map((path) => path.slice(path.lastIndexOf('/') + 1, -3).toLowerCase()));
  for (const text of texts)
    for (const [, alias = ''] of (/^aliases:\n((?: +- .*\n)*)/m.exec(text)?.[1] ?? '').matchAll(/^ +- "?(.*?)"?$/gm))
      named.add(alias.toLowerCase());
  const targets = texts.flatMap((text) => [...text.matchAll(/\[\[([^\]|#^]+)/g)].map(([, target = '']) => target));
  return new Set(targets.filter((target) => !named.has(target.slice(target.lastIndexOf('/') + 1).toLowerCase())));
}
