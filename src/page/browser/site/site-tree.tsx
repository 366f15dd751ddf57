import { useEffect, useRef, useState } from 'preact/hooks';
import { fetchList, fileUrl } from './site-files.ts';
import type { SiteNote } from './site-files.ts';

/** A folder of the site. */
interface Folder {
  readonly name: string;
  readonly path: string;
  readonly folders: Map<string, Folder>;
  readonly notes: SiteNote[];
}

const names = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' });

/** The folders and notes of a site, with those around the current page open. Shows nothing where the list cannot be loaded. */
export function SiteTree({ current }: { readonly current: string }) {
  const [root, setRoot] = useState<Folder | null>(null);
  const tree = useRef<HTMLElement>(null);
  useEffect(() => {
    fetchList().then(
      ({ notes }) => setRoot(toTree(notes)),
      () => undefined,
    );
  }, []);
  useEffect(() => tree.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' }), [root]);
  if (root === null) return null;
  // The folder that everything is in says nothing.
  let top = root;
  for (
    let [only] = top.folders.values();
    top.notes.length === 0 && top.folders.size === 1 && only !== undefined;
    [only] = top.folders.values()
  )
    top = only;
  return (
    <nav aria-label="Notes" ref={tree}>
      <Inside folder={top} current={current} />
    </nav>
  );
}

function Inside({ folder, current }: { readonly folder: Folder; readonly current: string }) {
  return (
    <ul>
      {sortBy([...folder.folders.values()], ({ name }) => name).map((each) => (
        <Branch key={each.path} folder={each} current={current} />
      ))}
      {sortBy(folder.notes, ({ title }) => title).map(({ file, title, path }) => (
        <li key={file}>
          <a href={fileUrl(file)} data-note={path} aria-current={file === current ? 'page' : undefined} dir="auto">
            {title}
          </a>
        </li>
      ))}
    </ul>
  );
}

function Branch({ folder, current }: { readonly folder: Folder; readonly current: string }) {
  const [isOpen, setOpen] = useState(() => holds(folder, current));
  return (
    <li>
      <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary dir="auto">{folder.name}</summary>
        {isOpen ? <Inside folder={folder} current={current} /> : null}
      </details>
    </li>
  );
}

function holds({ folders, notes }: Folder, file: string): boolean {
  return notes.some((note) => note.file === file) || [...folders.values()].some((folder) => holds(folder, file));
}

function toTree(notes: readonly SiteNote[]): Folder {
  const root: Folder = { name: '', path: '', folders: new Map(), notes: [] };
  for (const note of notes) {
    let at = root;
    for (const name of note.folder.split('/').filter((part) => part !== '')) {
      const known = at.folders.get(name);
      const next = known ?? { name, path: `${at.path}/${name}`, folders: new Map(), notes: [] };
      if (known === undefined) at.folders.set(name, next);
      at = next;
    }
    at.notes.push(note);
  }
  return root;
}

function sortBy<T>(list: readonly T[], key: (each: T) => string): readonly T[] {
  return [...list].sort((a, b) => names.compare(key(a), key(b)));
}
