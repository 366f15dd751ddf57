import fc from 'fast-check';
import type { NotePath } from '../../../src/note/path.ts';
import type { RenameResult, RenameChange } from '../../../src/vault/links/renames/plan-renames.ts';
import type { Files } from './planned-vault.ts';

const NAMES = ['Alpha', 'Beta one', 'Gamma', 'Délta (x)'];
const FOLDERS = ['a', 'b', 'a/sub', 'c d'];
const HEADINGS = ['Top', 'Old part', 'Q & A'];
const TAGS = ['old', 'old/deep', 'topic', 'älter'];
const PICTURE = 'pics/one two.png';

interface NotePlan {
  readonly folder: string;
  readonly headings: readonly string[];
  readonly tags: readonly string[];
  readonly links: readonly { readonly to: number; readonly form: number; readonly part: number }[];
  readonly isYaml: boolean;
}

const notePlan: fc.Arbitrary<NotePlan> = fc.record({
  folder: fc.constantFrom(...FOLDERS),
  headings: fc.subarray(HEADINGS),
  tags: fc.uniqueArray(fc.constantFrom(...TAGS), { maxLength: 3 }),
  links: fc.array(fc.record({ to: fc.nat(NAMES.length), form: fc.nat(6), part: fc.nat(4) }), { maxLength: 6 }),
  isYaml: fc.boolean(),
});

/** Vaults of a few notes with links of every form, headings, blocks, tags, a picture and a canvas; each file has a name of its own. */
export const randomVault: fc.Arbitrary<Files> = fc.array(notePlan, { minLength: 2, maxLength: NAMES.length }).map((plans) => {
  const paths = plans.map(({ folder }, index) => `${folder}/${NAMES[index] ?? ''}.md`);
  const notes = plans.map((plan, index) => [paths[index] ?? '', textOf(plan, paths[index] ?? '', { plans, paths })] as const);
  const nodes = [...paths, PICTURE].map((file) => ({ type: 'file', file, ...(file === PICTURE ? {} : { subpath: '#Old part' }) }));
  const canvas = JSON.stringify({ nodes: [...nodes, { type: 'text', text: `[[${NAMES[0] ?? ''}]] ![[one two.png]]` }] });
  return { ...Object.fromEntries(notes), [PICTURE]: 'PNG', 'board.canvas': canvas };
});

function textOf(
  { headings, tags, links, isYaml }: NotePlan,
  source: string,
  { plans, paths }: { readonly plans: readonly NotePlan[]; readonly paths: readonly string[] },
): string {
  const written = links.map(({ to, form, part }) => {
    const target = to < paths.length ? (paths[to] ?? PICTURE) : PICTURE;
    const heading = plans[to]?.headings[part];
    return linkText({
      source,
      target,
      form,
      subpath: target === PICTURE ? '' : heading === undefined ? (part === 4 ? '#^fact' : '') : `#${heading}`,
    });
  });
  const yaml = isYaml ? `---\ntags: [${tags.join(', ')}]\nup: "[[${NAMES[0] ?? ''}]]" # why\n---\n` : '';
  const body = headings.map((heading, level) => `${'#'.repeat(level + 1)} ${heading}\n\n${written[level] ?? ''}\n\n`).join('');
  const own = headings[0] === undefined ? '' : `[[#${headings[0]}]]`;
  return `${yaml}${body}${own} ${written.join(' and ')} ${tags.map((tag) => `#${tag}`).join(' ')} \`#old [[Alpha]]\`\n\nfact ^fact\n`;
}

function linkText({ source, target, form, subpath }: { source: string; target: string; form: number; subpath: string }): string {
  const bare = target.replace(/\.md$/, '');
  const name = bare.slice(bare.lastIndexOf('/') + 1);
  const encoded = (path: string): string => (path + subpath).replaceAll(' ', '%20');
  switch (form) {
    case 0:
      return `[[${name}${subpath}]]`;
    case 1:
      return `[[${bare}${subpath}|shown]]`;
    case 2:
      return `![[${name}${subpath}]]`;
    case 3:
      return `[text](${encoded(target)})`;
    case 4:
      return `[text](<${target}${subpath}>)`;
    case 5:
      return `[[${relative(source, bare)}${subpath}]]`;
    default:
      return `[text](${encoded(relative(source, target))} "title")`;
  }
}

function relative(source: string, target: string): string {
  const [from, to] = [source.split('/').slice(0, -1), target.split('/')];
  let shared = 0;
  while (shared < from.length && shared < to.length - 1 && from[shared] === to[shared]) shared += 1;
  const up = '../'.repeat(from.length - shared);
  return (up === '' ? './' : up) + to.slice(shared).join('/');
}

/** What is renamed of a vault, as numbers: which of its files, headings and tags. */
interface Choice {
  readonly files: readonly number[];
  readonly folders: readonly string[];
  readonly parts: readonly (readonly [number, number])[];
  readonly tags: readonly string[];
}

export const randomChoice: fc.Arbitrary<Choice> = fc.record({
  files: fc.array(fc.nat(5), { maxLength: 3 }),
  folders: fc.subarray(['a', 'a/sub', 'b', 'pics']),
  parts: fc.array(fc.tuple(fc.nat(3), fc.nat(3)), { maxLength: 4 }),
  tags: fc.subarray(['old', 'topic', 'älter']),
});

/** Renames to names that nothing has yet. */
export function chooseRenames(files: Files, choice: Choice): readonly RenameChange[] {
  const all = Object.keys(files);
  const picked = [...new Set(choice.files.flatMap((at) => all[at] ?? []))];
  const extension = (path: string): string => path.slice(path.lastIndexOf('.'));
  const parts = choice.parts.flatMap(([at, which]): RenameChange[] => {
    const path = all[at] ?? '';
    const heading = HEADINGS[which];
    if (!path.endsWith('.md')) return [];
    if (heading === undefined) return [{ kind: 'part', path: path as NotePath, from: '#^fact', to: 'claim-1' }];
    if (!new RegExp(`^#+ ${heading}$`, 'm').test(files[path] ?? '')) return [];
    return [{ kind: 'part', path: path as NotePath, from: `#${heading}`, to: `Fresh ${which} (new)` }];
  });
  const seen = new Set<string>();
  const changes: readonly RenameChange[] = [
    ...picked.map((from, at): RenameChange => ({ kind: 'file', from, to: { path: `new place/Fresh ${at}${extension(from)}` } })),
    ...choice.folders.flatMap((from): RenameChange[] =>
      all.some((path) => path.startsWith(`${from}/`)) ? [{ kind: 'folder', from, to: `moved/${from.replace('/', '-')}` }] : [],
    ),
    ...parts,
    ...choice.tags.flatMap((from): RenameChange[] =>
      Object.entries(files).some(([path, text]) => path.endsWith('.md') && carries(text, from))
        ? [{ kind: 'tag', from, to: `fresh/${from}` }]
        : [],
    ),
  ];
  return changes.filter((change) => {
    const key = JSON.stringify([change.kind, 'path' in change ? change.path : '', change.from]);
    return !seen.has(key) && seen.add(key);
  });
}

function carries(text: string, tag: string): boolean {
  const yaml = /^---\ntags: \[(.*)\]/.exec(text)?.[1]?.split(', ') ?? [];
  const inline = [...text.replace(/`.*`/g, '').matchAll(/(?<=\s)#([^\s#]+)/g)].map(([, name]) => name ?? '');
  return [...yaml, ...inline].some((name) => name === tag || name.startsWith(`${tag}/`));
}

/** What takes renames back, where they left things. */
export function inverseOf(changes: readonly RenameChange[], renamed: readonly RenameResult[], after: Files): readonly RenameChange[] {
  return changes.flatMap((change, at): RenameChange[] => {
    const { to = '' } = renamed[at] ?? {};
    switch (change.kind) {
      case 'file':
        return [{ kind: 'file', from: to, to: { path: change.from } }];
      case 'folder':
        return Object.keys(after).some((path) => path.startsWith(to)) ? [{ kind: 'folder', from: to, to: change.from }] : [];
      case 'part': {
        const [path = '', ...part] = to.split('#');
        return [{ kind: 'part', path: path as NotePath, from: `#${part.join('#')}`, to: change.from.replace(/^#\^?/, '') }];
      }
      case 'tag':
        return [{ kind: 'tag', from: change.to, to: change.from }];
    }
  });
}
