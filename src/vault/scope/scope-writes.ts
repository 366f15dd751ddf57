import { RouxError } from '../../errors.ts';
import type { FolderScope } from '../../folder-globs.ts';
import { joinRelative } from '../../graph/links/resolve.ts';
import type { GraphView } from '../../graph/view.ts';
import type { NoteChange, Relink } from '../../note/change.ts';
import { parseNote } from '../../note/parse.ts';
import { isNotePath } from '../../note/path.ts';
import { isoNow } from '../../ports.ts';
import { noSuchBatch } from '../../store/records/batches.ts';
import { findRemoved } from '../../store/records/trash.ts';
import type { TrashEntry } from '../../store/records/trash.ts';
import { breaksPart } from '../links/edited-headings.ts';
import { listAffectedFiles } from '../links/move.ts';
import { relativePath } from '../links/write-linkpath.ts';
import type { PlannedFile, FileChange, Plan, WriteMeta } from '../plan/plan.ts';
import { textOf } from '../read-files.ts';
import type { Vault, Writes } from '../vault.ts';
import { keepFoldersOutside, listOutside } from './outside.ts';
import { limitEvents } from './scope-history.ts';
import type { ScopeVersion } from './scope-history.ts';
import { needsWholeVault, refused } from './scope.ts';
import type { Scope } from './scope.ts';

const MAX_LISTED = 10;

/** Returns the writes of a view: its folders are all that they change. */
export function scopeWrites(scope: Scope, version: ScopeVersion): Writes {
  const { whole, graph, folders } = scope;
  const { writes } = whole;
  const listTrash = (): readonly TrashEntry[] => writes.trash().filter(({ path }) => folders.has(path));
  return {
    async write(meta, makePlan) {
      const { basedOn } = meta;
      try {
        const done = await writes.write(limitMeta(scope, meta), async () => {
          version.check(basedOn);
          return adaptPlanToVault(whole.graph, folders, await makePlan(graph));
        });
        if (done.isReplay === true && basedOn !== undefined) basedOn.isChecked = true;
        return done;
      } catch (error) {
        throw toCallerError(scope, error);
      }
    },
    async undo(meta, query) {
      if (!('batch' in query)) throw needsWholeVault('Undoing what an agent wrote, wherever that was,');
      if ((await whole.history.writeDiff(query.batch, { offset: 0, limit: 0 }, limitEvents(folders))) === null)
        throw noSuchBatch(query.batch);
      try {
        return await writes.undo(limitMeta(scope, meta), query);
      } catch (error) {
        const path = error instanceof RouxError ? error.details?.['path'] : undefined;
        if (typeof path === 'string' && !folders.has(path)) throw needsWholeVault('Undoing this write');
        throw error;
      }
    },
    restore(meta, reference) {
      const [first] = findRemoved(listTrash(), reference);
      if (first === undefined)
        throw new RouxError('NODE_NOT_FOUND', `${JSON.stringify(reference)} is not in the trash.`, { id: reference });
      return writes.restore(limitMeta(scope, meta), reference === first.batch ? reference : first.ref);
    },
    trash: listTrash,
    completeWrite: refused('Ending an unfinished write'),
    waitForWrites: () => writes.waitForWrites(),
    replayCache: {
      find: (key, payload) => {
        try {
          return writes.replayCache.find(keyInVault(scope, key), payload);
        } catch (error) {
          throw toCallerError(scope, error);
        }
      },
      save: (key, payload, answer) => writes.replayCache.save(keyInVault(scope, key), payload, answer),
    },
    stopWriting() {
      throw needsWholeVault('Ending the writes of a vault');
    },
  };
}

/** Limits a write to the folders. The version is checked by the view. */
function limitMeta(scope: Scope, { basedOn: _basedOn, ...meta }: WriteMeta): WriteMeta {
  return {
    ...meta,
    ...(meta.idempotencyKey === undefined ? {} : { idempotencyKey: keyInVault(scope, meta.idempotencyKey) }),
    check: (files) => {
      checkWrite(scope.whole, scope.folders, meta.operation, files);
      meta.check?.(files);
    },
  };
}

/** Returns the idempotency key in the whole vault, where keys of other callers must not match. */
function keyInVault({ name }: Scope, key: string): string {
  return `${key} of ${name}`;
}

/** Restores the caller's idempotency key in an error, and removes names from outside. */
function toCallerError({ name, folders }: Scope, error: unknown): unknown {
  if (!(error instanceof RouxError)) return error;
  const { code, message, details, retryable } = error;
  if (code === 'NODE_EXISTS' && [details?.['path'], details?.['existing']].some((path) => typeof path === 'string' && !folders.has(path)))
    return new RouxError('NODE_EXISTS', 'A file with this name exists already, in other case or Unicode form. Choose another name.');
  const suffix = ` of ${name}`;
  const key = details?.['idempotency_key'];
  if (typeof key !== 'string') return error;
  return new RouxError(
    code,
    message.replaceAll(suffix, ''),
    { ...details, idempotency_key: key.replace(suffix, '') },
    { cause: error, retryable },
  );
}

/**
 * Adapts a plan made inside the folders to the whole vault: a link that leads outside is not treated as a link to a file of the same name
 * inside, and a relative link to outside (`../private/x`) is rewritten when its note moves, whether its target exists or not.
 */
function adaptPlanToVault<P extends Plan>(whole: GraphView, folders: FolderScope, plan: P): P {
  const files = plan.files.map((file): FileChange => {
    if (file.kind !== 'change' && file.kind !== 'move') return file;
    const from = file.kind === 'change' ? file.path : file.from;
    const leadsOut = (linkpath: string): boolean => {
      const target = linkpath === '' ? null : whole.resolve({ linkpath, from });
      return target !== null && target.kind !== 'unresolved' && !folders.has(target.path);
    };
    const changes = file.changes.flatMap((change): readonly NoteChange[] => {
      if (change.op !== 'relink') return [change];
      const links = change.links.filter(({ link }) => !leadsOut(linkpathOf(link)));
      return links.length === 0 ? [] : [{ ...change, links }];
    });
    const outgoing = file.kind === 'move' ? rewriteOutgoing(whole, folders, file) : [];
    return { ...file, changes: outgoing.length === 0 ? changes : [{ op: 'relink', links: outgoing }, ...changes] };
  });
  return keepFoldersOutside({ ...plan, files }, folders);
}

function rewriteOutgoing(
  whole: GraphView,
  folders: FolderScope,
  { from, to }: { readonly from: string; readonly to: string },
): readonly Relink[] {
  return whole.linkTexts(from).flatMap(({ link, form }): readonly Relink[] => {
    const linkpath = linkpathOf(link);
    const target = /^\.\.?\//.test(linkpath) ? joinRelative({ linkpath, from }) : null;
    if (target === null || folders.has(target) || folders.has(`${target}.md`)) return [];
    const written = relativePath(to, target);
    return written === linkpath ? [] : [{ form, link, to: written + link.slice(linkpath.length) }];
  });
}

function linkpathOf(link: string): string {
  const hash = link.indexOf('#');
  return hash < 0 ? link : link.slice(0, hash);
}

/**
 * Throws `FORBIDDEN` for a write that would change a file outside of the folders, or where a link outside leads: the caller saw neither.
 * The error says only that there are such notes, not which or how many.
 */
function checkWrite(vault: Vault, folders: FolderScope, operation: string, files: readonly PlannedFile[]): void {
  if (listOutside(folders, files).length > 0) throw outside(operation, folders);
  const moves = new Map(
    files.flatMap(({ pathBefore: from, pathAfter: to }) => (from !== null && to !== null && from !== to ? [[from, to]] : [])),
  );
  const created = files.flatMap(({ pathBefore, pathAfter }) => (pathBefore === null && pathAfter !== null ? [pathAfter] : []));
  const removed = files.flatMap(({ pathBefore, pathAfter }) => (pathBefore !== null && pathAfter === null ? [pathBefore] : []));
  if (moves.size + created.length + removed.length > 0) {
    const readText = (path: string): string | null => textOf(vault.notes.readAttachment(path));
    const context = { graph: vault.graph, readText, style: vault.settings.linkStyle(), at: isoNow(vault.ports.clock) };
    for (const path of listAffectedFiles(context, { moves, created, removed })) {
      if (folders.has(path)) continue;
      if (moves.size + removed.length > 0)
        throw linked(operation, 'they would lead elsewhere, or nowhere. Leave names and places as they are, or have somebody do it');
      throw linked(operation, 'they would lead to the new note then. Choose another name for it');
    }
  }
  for (const file of files)
    if (takesId(vault.graph, folders, file))
      throw new RouxError('FORBIDDEN', `${operation}: the id that a note would have is in use already. Leave it out. Nothing was written.`);
  for (const file of files)
    if (breaksLinks(vault.graph, folders, file))
      throw linked(operation, 'a heading or block that they lead to would be gone. Keep it as it is called, or have somebody do it');
}

/** Returns whether a write gives a note the id of a note outside, so that lookups of that one would find this one. */
function takesId(whole: GraphView, folders: FolderScope, { pathBefore, pathAfter, before, after }: PlannedFile): boolean {
  const id = idOf(pathAfter, after);
  if (id === null || before === after || id === idOf(pathBefore, before)) return false;
  const there = whole.lookup(id);
  const meant = there.kind === 'found' ? [there.entry] : there.kind === 'ambiguous' ? there.candidates : [];
  return meant.some(({ path }) => !folders.has(path));
}

function idOf(path: string | null, text: string | null): string | null {
  return path === null || text === null || !isNotePath(path) ? null : parseNote(path, text).id;
}

function breaksLinks(whole: GraphView, folders: FolderScope, { pathBefore, before, after }: PlannedFile): boolean {
  const entry = pathBefore === null || before === null || after === null || before === after ? null : whole.get(pathBefore);
  if (entry === null || before === null || after === null) return false;
  const subpaths = whole.backlinks(entry.path).flatMap(({ from, subpath }) => (folders.has(from) || subpath === '' ? [] : [subpath]));
  return subpaths.length > 0 && breaksPart(entry.path, subpaths, { before, after });
}

function outside(operation: string, { patterns }: FolderScope): RouxError {
  const named = patterns.slice(0, MAX_LISTED).join(', ');
  const message = `${operation} would write outside of the folders that this token is for (${named}); nothing was written. Say where in them, or use a token for the whole vault.`;
  return new RouxError('FORBIDDEN', message, { folders: patterns.slice(0, MAX_LISTED) });
}

function linked(operation: string, why: string): RouxError {
  return new RouxError(
    'FORBIDDEN',
    `${operation}: notes that this token may not write have links to it, and ${why} with a token for the whole vault. Nothing was written.`,
  );
}
