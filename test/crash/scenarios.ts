import type { GraphView } from '../../src/graph/view.ts';
import type { NotePath } from '../../src/note/path.ts';
import { toNotePath } from '../../src/note/path.ts';
import type { FileChange, Plan } from '../../src/vault/plan/plan.ts';

/** A vault before, and one write to it. */
export interface Scenario {
  readonly name: string;
  readonly notes: Readonly<Record<string, string>>;
  readonly plan: (graph: GraphView) => Plan;
  /** Notes that go into the trash. */
  readonly trashed?: readonly string[];
}

const AT = '2026-01-02T03:04:05.000Z';
const touch = { op: 'touch', at: AT } as const;

/** A path that is known to be a note's. */
export function notePath(path: string): NotePath {
  const known = toNotePath(path);
  if (known === null) throw new Error(`${path} is no note path`);
  return known;
}

/** A rename of `old.md` with so many notes that link to it. */
export function renameScenario(backlinks: number): Scenario {
  const notes: Record<string, string> = { 'old.md': '---\nid: keep\n---\n# Old\nSee [[old#Old]].\n' };
  for (let index = 0; index < backlinks; index++) notes[`from/n${index}.md`] = `Line\n[[old]] and [[old|shown]]\n`;
  const links = [
    { link: 'old', form: 'wikilink', to: 'sub/new' },
    { link: 'old#Old', form: 'wikilink', to: 'sub/new#Old' },
  ] as const;
  const relink = { op: 'relink', links } as const;
  return {
    name: `rename with ${backlinks} backlinks`,
    notes,
    plan: () => ({
      files: [
        { kind: 'move', from: 'old.md', to: 'sub/new.md', changes: [relink, touch] },
        ...Array.from({ length: backlinks }, (_, index): FileChange => ({
          kind: 'change',
          path: notePath(`from/n${index}.md`),
          changes: [relink],
        })),
      ],
    }),
  };
}

/** The writes whose every step is crashed. */
export const scenarios: readonly Scenario[] = [
  {
    name: 'create in new folders',
    notes: { 'a.md': 'A\n' },
    plan: () => ({ files: [{ kind: 'create', path: 'x/y/new.md', text: '---\nrev: 1\n---\nNew\n' }] }),
  },
  {
    name: 'replace a body',
    notes: { 'a.md': '---\nrev: 4 # kept\n---\nOld\n' },
    plan: () => ({
      files: [{ kind: 'change', path: notePath('a.md'), changes: [{ op: 'body', text: 'New\n' }, touch], expect: { rev: 4 } }],
    }),
  },
  {
    name: 'append a line',
    notes: { 'a.md': '---\nrev: 4\n---\nText\n\n## Observations\n\n- one\n' },
    plan: () => ({
      files: [{ kind: 'change', path: notePath('a.md'), changes: [{ op: 'add-line', section: 'Observations', line: 'two' }, touch] }],
    }),
  },
  {
    name: 'delete into the trash',
    notes: { 'a.md': 'A\n', 'sub/b.md': 'B\n' },
    plan: () => ({ files: [{ kind: 'remove', path: 'sub/b.md', to: 'trash' }] }),
    trashed: ['sub/b.md'],
  },
  {
    name: 'delete for good',
    notes: { 'a.md': 'A\n', 'b.md': 'B\n' },
    plan: () => ({ files: [{ kind: 'remove', path: 'b.md', to: 'gone' }] }),
  },
  {
    name: 'move without changes',
    notes: { 'a.md': 'A\n' },
    plan: () => ({ files: [{ kind: 'move', from: 'a.md', to: 'sub/b.md', changes: [] }] }),
  },
  {
    name: 'names that change places',
    notes: { 'a.md': 'A\n', 'b.md': 'B\n' },
    plan: () => ({
      files: [
        { kind: 'move', from: 'a.md', to: 'b.md', changes: [] },
        { kind: 'move', from: 'b.md', to: 'a.md', changes: [] },
      ],
    }),
  },
  {
    name: 'everything at once',
    notes: { 'a.md': 'A\n', 'b.md': '---\nrev: 1\n---\nB [[a]]\n', 'c.md': 'C\n' },
    plan: () => ({
      files: [
        { kind: 'create', path: 'new.md', text: 'New\n' },
        { kind: 'change', path: notePath('b.md'), changes: [{ op: 'append', key: ['tags'], value: 'x', unique: true }, touch] },
        { kind: 'move', from: 'a.md', to: 'e.md', changes: [{ op: 'set', key: ['title'], value: 'E' }] },
        { kind: 'remove', path: 'c.md', to: 'trash' },
      ],
    }),
    trashed: ['c.md'],
  },
  renameScenario(0),
  renameScenario(1),
  renameScenario(12),
];
