import { noteAddress } from '../../router.ts';
import type { Result } from '../../operations.ts';

type Entry = Result<'activity'>['entries'][number];
type ChangeKind = Entry['changes'][number]['kind'];

/** What a change did, as it is said after the name of its author. */
export const CHANGE_WORDS: Readonly<Record<ChangeKind, string>> = {
  created: 'created',
  edited: 'edited',
  ticked: 'ticked a checkbox in',
  unticked: 'cleared a checkbox in',
  renamed: 'renamed',
  moved: 'moved',
  deleted: 'deleted',
  restored: 'restored',
  merged: 'merged',
  completed: 'completed',
  reopened: 'reopened',
  dropped: 'dropped',
  linked: 'linked',
  unlinked: 'unlinked',
};

/** A file of a change. */
interface NamedFile {
  readonly path: string;
  /** Its path before, if it was different. */
  readonly was?: string;
  readonly title?: string;
  readonly is_gone: boolean;
}

/** Describes a write in words: with the name of its file, or with how many files it changed. */
export function ChangeSummary({ entry }: { readonly entry: Pick<Entry, 'changes' | 'files' | 'file_count' | 'is_undo'> }) {
  const [file] = entry.files;
  if (entry.file_count !== 1 || file === undefined)
    return <>{entry.is_undo ? `undid a change: ${describeActions(entry)}` : describeActions(entry)}</>;
  if (entry.is_undo) {
    return (
      <>
        undid a change to <ChangedFile file={file} />
      </>
    );
  }
  return (
    <>
      {CHANGE_WORDS[file.change]} <ChangedFile file={file} />
    </>
  );
}

/** Counts what a write did: "created 2 notes, edited 1". */
export function describeActions({ changes, files, file_count: all }: Pick<Entry, 'changes' | 'files' | 'file_count'>): string {
  const isNotes = files.every(({ path }) => isNote(path));
  return changes
    .map(({ kind, count }, at) => {
      const thing = at > 0 ? '' : isNotes ? (count === 1 ? ' note' : ' notes') : count === 1 ? ' file' : ' files';
      return `${CHANGE_WORDS[kind]} ${all === 1 && count === 1 ? 'a' : count.toLocaleString('en')}${thing}`;
    })
    .join(', ');
}

/** The name of a changed file, linked; that of a deleted note leads to the page that offers to restore it. */
export function ChangedFile({ file: { path, was, title, is_gone: isGone } }: { readonly file: NamedFile }) {
  const name = title ?? nameOf(path);
  const label = isGone ? <del dir="auto">{name}</del> : <bdi>{name}</bdi>;
  const shown = isNote(path) ? (
    <a href={noteAddress(path)} title={path} {...(isGone ? {} : { 'data-note': path })}>
      {label}
      {isGone ? <span class="visually-hidden"> (deleted)</span> : null}
    </a>
  ) : (
    <span title={path}>{label}</span>
  );
  if (was === undefined) return shown;
  if (folderOf(was) === folderOf(path)) {
    return (
      <>
        <bdi title={was}>{nameOf(was)}</bdi> to {shown}
      </>
    );
  }
  return (
    <>
      {nameOf(was) === nameOf(path) ? null : (
        <>
          <bdi title={was}>{nameOf(was)}</bdi> to{' '}
        </>
      )}
      {shown} from <bdi>{folderName(was)}</bdi> to <bdi>{folderName(path)}</bdi>
    </>
  );
}

/** Formats a remark of the server about a difference as a sentence. */
export function describeRemark(remark: string): string {
  const text = remark.replace(/; "roux history" tells which fields changed$/, '');
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

function isNote(path: string): boolean {
  return /\.md$/i.test(path);
}

/** Returns the name of a file; without `.md` for a note. */
export function nameOf(path: string): string {
  return path.replace(/^.*\//, '').replace(/\.md$/i, '');
}

function folderOf(path: string): string {
  return path.includes('/') ? path.replace(/\/[^/]*$/, '') : '';
}

function folderName(path: string): string {
  return folderOf(path) === '' ? 'the top folder' : folderOf(path);
}
