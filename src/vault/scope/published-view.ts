import { openGraph } from '../../graph/open-graph.ts';
import type { Graph } from '../../graph/graph.ts';
import type { GraphView, LinkTarget } from '../../graph/view.ts';
import type { Link, Note, Properties } from '../../note/note.ts';
import { noteWith, parseNote } from '../../note/parse.ts';
import type { NotePath } from '../../note/path.ts';
import type { NoteOnDisk } from '../sync/read-note-now.ts';
import type { Notes, Settings, Vault } from '../vault.ts';
import { stripComments } from './strip-comments.ts';

/** What is published of a vault. */
export interface Published {
  readonly notes: ReadonlySet<string>;
  readonly attachments: ReadonlySet<string>;
  /** Bases and canvases, which are shown and not copied. */
  readonly pages: ReadonlySet<string>;
  /** Whether a property of a published note is published. */
  readonly hasProperty: (key: string) => boolean;
}

/**
 * The published notes of a vault, as if there were nothing else: no other note has a title, a link that leads elsewhere leads to nothing,
 * the frontmatter of a note has the published properties only, and its text no comments.
 */
export interface PublishedView {
  readonly notes: Pick<Notes, 'readUnstable'>;
  readonly graph: Pick<GraphView, 'get' | 'resolve'>;
  readonly derived: Vault['derived'];
  readonly settings: Pick<Settings, 'obsidian'>;
}

const UNRESOLVED: LinkTarget = { kind: 'unresolved' };
const NOWHERE = { start: 0, end: 0 };

/** Creates the view of what is published. Links keep their meaning: none leads to another note because the one that it means is left out. */
export function publishedView(whole: Vault, published: Published): PublishedView {
  const isPublished = (path: string): boolean => published.notes.has(path) || published.attachments.has(path) || published.pages.has(path);
  const notes = {
    readUnstable(path: string): NoteOnDisk | null {
      const onDisk = published.notes.has(path) ? whole.notes.readUnstable(path) : null;
      return onDisk === null ? null : { ...onDisk, note: redact(onDisk.note, published.hasProperty) };
    },
  };
  const graph: Graph = openGraph();
  for (const path of published.notes) {
    const entry = whole.graph.get(path);
    const found = notes.readUnstable(path);
    if (entry !== null && found !== null) graph.put(titleAlone(found.note), { stamp: entry.stamp, hash: entry.hash });
  }
  return {
    notes,
    graph: {
      get: (path) => graph.get(path),
      resolve(query) {
        const target = whole.graph.resolve(query);
        return target.kind !== 'unresolved' && isPublished(target.path) ? target : UNRESOLVED;
      },
    },
    derived: (make) => whole.derived(make),
    settings: whole.settings,
  };
}

/** Returns a graph of published notes with what their readers see: the tags of their pages, and the paths that these link to. */
export function publishedGraph(
  whole: Pick<Vault, 'graph'>,
  pages: Iterable<{ readonly note: Note; readonly tags: readonly string[]; readonly targets: Iterable<string> }>,
): Graph {
  const graph = openGraph();
  graph.batch(() => {
    for (const { note, tags, targets } of pages) {
      const entry = whole.graph.get(note.path);
      const links = Array.from(targets, (path): Link => ({
        kind: 'link',
        form: 'markdown',
        link: `/${path}`,
        ...NOWHERE,
        target: NOWHERE,
      }));
      if (entry !== null) graph.put(noteWith(titleAlone(note), { tags, links }), { stamp: entry.stamp, hash: entry.hash });
    }
  });
  return graph;
}

/** Returns a note without its comments and the properties that are not published. */
function redact(note: Note, hasProperty: Published['hasProperty']): Note {
  const kept: Properties = Object.fromEntries(Object.entries(note.frontmatter.data).filter(([key]) => hasProperty(key)));
  return composeNote(note.path, kept, stripComments(note.text.slice(note.bodyStart)));
}

/** Returns a note of properties and a body. */
export function composeNote(path: NotePath, properties: Properties, body: string): Note {
  // JSON is YAML.
  const yaml = Object.entries(properties).map(([key, value]) => `${JSON.stringify(key)}: ${JSON.stringify(value)}\n`);
  return parseNote(path, `---\n${yaml.join('')}---\n${body}`);
}

/** Returns a note with what lists show of it, and nothing of its body. */
function titleAlone({ path, frontmatter, title, type, aliases }: Note): Note {
  const nothing = { id: null, tags: [], links: [], tagUses: [], headings: [], blocks: [], problems: [] };
  return { path: path as NotePath, text: '', frontmatter, bodyStart: 0, title, type, aliases, ...nothing };
}
