import { RouxError, errorMessage } from '../../errors.ts';
import { linkKey, foldKey, toNotePath } from '../../note/path.ts';
import type { FileReader } from '../../store/folder/file-system.ts';
import { hashOf, isTooLarge } from '../../store/folder/hash.ts';
import type { Done, Now, Prepared } from '../../store/store.ts';
import type { UnsettledLink } from '../links/unsettled-links.ts';
import type { OwnBytes } from '../sync/compare-folders.ts';
import { toNoteOnDisk } from '../sync/read-note-now.ts';
import type { EditRecorder } from './edit-recorder.ts';
import { toChangedPath, toTransaction } from './plan.ts';
import type { Committed, FileResult, Plan, WriteMeta } from './plan.ts';
import { prepare } from './prepare.ts';
import type { PreparedFile, PrepareOptions } from './prepare.ts';
import { diffFiles } from './unified-diff.ts';
import { unsettledLinks, withUnsettled } from './unsettled.ts';
import type { MakePlan, WriterOptions } from './writer.ts';

type Finished = Extract<Done, { kind: 'done' }>;

/** A plan with its computed files. */
interface Computed<P extends Plan> {
  readonly plan: P;
  readonly prepared: readonly PreparedFile[];
  /** Links that it cannot rewrite, because their notes are being saved. */
  readonly unsettled: readonly UnsettledLink[];
}

/** A write of more files is a large one. */
const MAX_FEW_FILES = 4;

/** One write, from making its plan to its answer. */
export class PlannedWrite<P extends Plan> {
  readonly #options: WriterOptions;
  readonly #recorder: EditRecorder;
  readonly #meta: WriteMeta;
  readonly #makePlan: MakePlan<P>;
  /** Null until the plan is made. The last one counts if the store asks twice. */
  #computed: Computed<P> | null = null;
  #isIndexed = false;
  #isLarge = false;
  readonly #warnings: string[] = [];

  constructor(options: WriterOptions, recorder: EditRecorder, meta: WriteMeta, makePlan: MakePlan<P>) {
    [this.#options, this.#recorder, this.#meta, this.#makePlan] = [options, recorder, meta, makePlan];
  }

  /** Computes the write without executing it, and without the lock, so that it works in a read-only vault. */
  async dryRun(): Promise<Committed<P['result']>> {
    const { store, graph, catchUp } = this.#options;
    const { basedOn, onDryRun } = this.#meta;
    await catchUp('changed');
    await this.#recorder.checkVersion(basedOn);
    const made = await this.#makePlan(graph);
    const prepared = await prepare(made, { ...this.#prepareOptions(false), read: (path, how) => store.read(path, how) });
    const { plan } = this.#withUnsettled(made, prepared);
    const diffs = diffFiles(prepared.filter((file) => file.isChanged));
    const committed = { ...answerTo(plan, prepared, null), diffs, diff: diffs.map(({ diff }) => diff).join('') };
    onDryRun?.(committed);
    return committed;
  }

  /** Executes the write as a transaction of the store. */
  async execute(): Promise<Committed<P['result']>> {
    try {
      return await this.#execute();
    } finally {
      if (this.#isLarge) this.#options.onHeavyWork?.('large write', false);
    }
  }

  async #execute(): Promise<Committed<P['result']>> {
    const done = await this.#options.store.transact(toTransaction(this.#meta), (now) => this.#prepare(now));
    if (done.kind === 'repeated') return this.#replay(done.answer);
    if (!this.#isIndexed) this.#index(done);
    const { plan, prepared } = this.#computed!;
    const own = ownBytes(prepared, done);
    const { counts } = this.#options;
    const written: Committed['written'] = (path) => {
      const [bytes, notePath] = [own.get(path), toNotePath(path)];
      if (bytes === undefined || notePath === null) return null;
      const onDisk = toNoteOnDisk(notePath, bytes);
      const file = prepared.find((each) => each.path === path);
      const since = counts.sinceOf(file?.sides.pathBefore ?? path) ?? Infinity;
      return { ...onDisk, rev: file?.rev ?? null, createdMs: Math.min(onDisk.createdMs, since) };
    };
    const before: Committed['before'] = (path) => prepared.find(({ sides }) => sides.pathAfter === path)?.sides.before ?? null;
    const answer = answerTo(plan, prepared, done.hashes);
    const warnings = [...answer.warnings, ...done.warnings, ...this.#warnings];
    return { ...answer, batch: done.batch, events: done.events, warnings, written, before };
  }

  /** Makes the plan and computes its files, under the lock. */
  async #prepare(now: Now): Promise<Prepared> {
    const { graph, onHeavyWork } = this.#options;
    await this.#recorder.bringUpToDate(now, this.#meta.basedOn);
    const made = await this.#makePlan(graph);
    if (made.files.length > MAX_FEW_FILES && !this.#isLarge) {
      this.#isLarge = true;
      onHeavyWork?.('large write', true);
    }
    const prepared = await prepare(made, { ...this.#prepareOptions(true), read: now.read });
    this.#computed = this.#withUnsettled(made, prepared);
    const { plan } = this.#computed;
    return {
      changes: prepared.flatMap(({ change, isChanged }) => (isChanged ? [change] : [])),
      answer: ({ batch, events }) => ({ ...answerTo(plan, prepared, null), batch, events }),
      whenDone: (done, files) => this.#index(done, files),
      ...(plan.emptied === undefined ? {} : { emptied: plan.emptied }),
      ...(plan.vacated === undefined ? {} : { vacated: plan.vacated }),
      mayCollide: (path) => graph.byKey(linkKey(path)).some((other) => foldKey(other) === foldKey(path)),
    };
  }

  #prepareOptions(isLocked: boolean): Omit<PrepareOptions, 'read'> {
    const { graph, counts, settings } = this.#options;
    return {
      graph,
      findCount: counts.forWrite({ isLocked }),
      isEdited: (path, hash) => counts.isEdited(path, hash),
      isStamping: settings.config.writes.stamp,
      check: this.#meta.check,
    };
  }

  #withUnsettled(made: P, prepared: readonly PreparedFile[]): Computed<P> {
    const { graph, unsettled } = this.#options;
    const links = unsettledLinks({ plan: made, prepared, graph, unsettled });
    // The links are rewritten once their notes are saved.
    this.#meta.check?.([...(made.alsoChanges ?? []), ...links.map(({ from }) => from)].map(toChangedPath));
    return { plan: withUnsettled(made, links), prepared, unsettled: links };
  }

  /** Brings the graph up to date with what was written. */
  #index(done: Finished, files?: FileReader): void {
    const { prepared, unsettled } = this.#computed!;
    this.#isIndexed = true;
    if (done.batch !== null) this.#meta.onCommitted?.(done.batch);
    this.#options.counts.add(done.events);
    if (unsettled.length > 0) this.#options.onUnsettled(unsettled);
    try {
      if (done.paths.length > 0) this.#options.index(done.paths, { isOwn: true, own: ownBytes(prepared, done), files });
    } catch (error) {
      // The write is done; the next folder comparison corrects the graph.
      this.#warnings.push(
        `This is written, but its files could not be read again, so answers may be older for a moment: ${errorMessage(error)}.`,
      );
    }
  }

  /** Returns the answer of the first call with the same idempotency key. */
  #replay(first: unknown): Committed<P['result']> {
    const { basedOn } = this.#meta;
    if (basedOn !== undefined) basedOn.isChecked = true;
    if (!isCommitted(first)) throw new RouxError('IO_ERROR', 'The first answer under this idempotency key cannot be read any more.');
    return { ...first, isReplay: true };
  }
}

/** Returns the results of a plan, file by file. `hashes`: those of the changed files on disk after the write; null before it. */
export function answerTo<P extends Plan>(
  plan: P,
  prepared: readonly PreparedFile[],
  hashes: readonly (string | null)[] | null,
): Committed<P['result']> {
  const changed = prepared.filter(({ isChanged }) => isChanged);
  const hashAfter = (file: PreparedFile): string | null => {
    const done = hashes?.[changed.indexOf(file)];
    return done === undefined ? plannedHash(file) : done;
  };
  return {
    batch: null,
    files: prepared.map((file) => toResult(file, hashAfter(file))),
    events: [],
    warnings: plan.warnings ?? [],
    result: plan.result,
  };
}

function plannedHash({ change }: PreparedFile): string | null {
  if (change.kind === 'remove') return null;
  if (change.kind === 'move' && change.bytes === null) return change.of.hash;
  return hashOf(change.bytes ?? '');
}

function toResult(file: PreparedFile, hash: string | null): FileResult {
  return { path: file.path, hash, rev: file.rev, changed: file.isChanged };
}

/** Returns whether a value stored under an idempotency key is the answer of a write. */
export function isCommitted(value: unknown): value is Committed {
  return typeof value === 'object' && value !== null && 'files' in value && 'batch' in value;
}

/** Returns the bytes written to each path, with the state of their files. */
export function ownBytes(
  prepared: readonly PreparedFile[],
  { staged, hashes }: Pick<Finished, 'staged' | 'hashes'>,
): ReadonlyMap<string, OwnBytes> {
  const own = new Map<string, OwnBytes>();
  for (const [index, { change, sides }] of prepared.filter(({ isChanged }) => isChanged).entries()) {
    const [state, hash] = [staged[index] ?? null, hashes[index] ?? null];
    if (state === null || hash === null || change.kind === 'remove' || change.bytes === null) continue;
    // It is read as every large file is: its beginning.
    if (isTooLarge({ size: change.bytes.length })) continue;
    const bytes = Buffer.from(change.bytes.buffer, change.bytes.byteOffset, change.bytes.byteLength);
    const path = change.kind === 'create' ? change.path : change.kind === 'move' ? change.to : change.of.path;
    const { after: text, body = null } = sides;
    own.set(path, { bytes, hash, state, ...(text === null || body === null ? {} : { read: { text, body } }) });
  }
  return own;
}
