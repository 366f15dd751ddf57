import { useMemo, useRef, useState } from 'preact/hooks';
import { callOperation } from '../api.ts';
import { address, navigate, addressOfFile } from '../router.ts';
import type { Result } from '../operations.ts';
import { nameOf } from '../parts/words/change-text.tsx';
import { Failure } from '../parts/states.tsx';
import { useOperation } from '../use-operation.ts';
import { Tree } from './tree.tsx';
import { TreeLevels } from './tree-levels.ts';
import type { LevelPage, LoadLevel } from './tree-levels.ts';
import { useTreeRefresh } from './use-tree-refresh.ts';

/** All files of the vault as a tree, or those that a filter leaves. */
export function FilesPanel() {
  const tree = useMemo(() => new TreeLevels('folders', loadFolder), []);
  const [query, setQuery] = useState('');
  const list = useRef<HTMLDivElement>(null);
  const { value } = useOperation('tree_filter', query.trim() === '' ? null : { query }, ({ isListChanged }) => isListChanged);
  useTreeRefresh(tree, ({ isListChanged, paths }) => (isListChanged ? paths : []));
  const open = (): void => {
    const [first] = value?.files ?? [];
    if (first !== undefined) navigate(addressOfFile(first.path));
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Escape' && query !== '') setQuery('');
    else if (event.key === 'Enter') open();
    else if (event.key === 'ArrowDown') list.current?.querySelector<HTMLElement>('a, [role="tree"]')?.focus();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <>
      <input
        type="search"
        class="sidebar-filter"
        id="file-filter"
        aria-label="Filter files"
        placeholder="Filter files"
        autocomplete="off"
        spellcheck={false}
        maxLength={500}
        value={query}
        onInput={(event) => setQuery(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <div class="sidebar-list" ref={list}>
        {tree.error.value === null ? null : <Failure error={tree.error.value} reload={() => void tree.refresh(null)} />}
        {query.trim() !== '' ? (
          value === null ? null : (
            <FoundFiles found={value} />
          )
        ) : tree.levels.value.get('')?.total === 0 ? (
          <p class="quiet sidebar-note">No files yet.</p>
        ) : (
          <Tree label="Files" levels={tree} current={currentFile(address.value.path)} />
        )}
      </div>
    </>
  );
}

function FoundFiles({ found }: { readonly found: Result<'tree_filter'> }) {
  const { files, total } = found;
  const move = (event: KeyboardEvent): void => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step === 0 || !(event.currentTarget instanceof HTMLElement)) return;
    const links = [...event.currentTarget.querySelectorAll('a')];
    const next = links[links.indexOf(document.activeElement as HTMLAnchorElement) + step];
    (next ?? (step < 0 ? document.getElementById('file-filter') : null))?.focus();
    event.preventDefault();
  };
  return (
    <div class="tree-scroller">
      <p class="quiet sidebar-note" role="status">
        {total === 0
          ? 'No file has this in its name or folder.'
          : total > files.length
            ? `The first ${files.length} of ${total.toLocaleString('en')} files`
            : ''}
      </p>
      <ul class="found-files" onKeyDown={move}>
        {files.map(({ path, name, folder }) => (
          <li key={path}>
            <a href={addressOfFile(path)} dir="auto">
              <span>{nameOf(name)}</span>
              {folder === '' ? null : <span class="quiet">{folder}</span>}
            </a>
          </li>
        ))}
      </ul>
    </div>
  );
}

const loadFolder: LoadLevel = async (folder, at): Promise<LevelPage> => {
  const level = await callOperation('tree_level', { folder, ...at });
  return {
    isThere: level.is_there,
    offset: level.offset,
    total: level.total,
    pageSize: level.page_size,
    items: level.entries.map(({ name, kind }) => {
      const path = folder === '' ? name : `${folder}/${name}`;
      const extension = kind === 'file' ? (/\.([^.]{1,6})$/.exec(name)?.[1] ?? null) : null;
      return {
        key: path,
        label: extension === null ? nameOf(name) : name.slice(0, -extension.length - 1),
        isBranch: kind === 'folder',
        href: kind === 'folder' ? null : addressOfFile(path),
        ...(extension === null ? {} : { detail: extension.toUpperCase() }),
      };
    }),
  };
};

/** Returns the path of the note or file that an address shows; null if it shows none. */
function currentFile(path: string): string | null {
  return /^\/(?:note|file)\/(.+)$/s.exec(path)?.[1] ?? null;
}
