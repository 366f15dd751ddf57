import type { z } from 'zod';
import type { Config } from '../config.ts';
import { RouxError } from '../errors.ts';
import type { GraphView, NoteEntry } from '../graph/view.ts';
import type { Note } from '../note/note.ts';
import { isoNow } from '../ports.ts';
import type { Access } from '../ports.ts';
import type { BasedOn } from '../vault/past/version.ts';
import type { Committed, FileChange, Plan, WriteMeta } from '../vault/plan/plan.ts';
import type { Reading } from '../vault/sync/sync.ts';
import type { Vault } from '../vault/vault.ts';
import type { CallReadings } from './readings.ts';

export type Toolset = 'vault' | 'tasks' | 'memory' | 'ontology' | 'knowledge' | 'admin';
export type Effect = 'read' | 'write' | 'destroy';

/**
 * How an operation is answered while the notes of a large vault are read for the first time. `part`: from those that are read, and it says so.
 * `refuse`: with a retryable `UNAVAILABLE`, since what is not read yet may change any of the answer. `notes`: these notes are
 * read out of turn, where all are given by the paths of their files.
 */
export type EarlyAnswer = 'part' | 'refuse' | { readonly notes: readonly string[] };

/** What an operation runs with. */
export interface OperationContext {
  readonly vault: Vault;
  readonly config: Config;
  /** Who asks: config, `ROUX_AGENT`, else the client's name. */
  readonly agent: string;
  /** One a connection: warnings are delivered once to each. */
  readonly session: string;
  /** With `--read-only`, and for a token that may only read: options that write are refused. */
  readonly isReadOnly: boolean;
  /** What the caller's token lets it do; all where there is none. */
  readonly access?: Access;
  /** Whoever asks would rather hear how far reading is than wait for a large vault to be read. */
  readonly answersEarly?: boolean;
  /** The call is answered before all notes are read; absent: they are. */
  readonly reading?: Reading;
  /** What this session was shown of notes, so that it overwrites nothing that it has not seen; null for a person, who sees the files. */
  readonly readings: CallReadings | null;
  /** Compute and show what would be written, write nothing: `--dry-run` of the command line, `dry_run` of any call that writes. */
  readonly isDryRun?: boolean;
  /** Called with what a write of this dry run would have done; ends the operation by throwing. */
  readonly onRehearsed?: (committed: Committed) => void;
  readonly signal: AbortSignal;
  /** The caller's token for a write that it may repeat; taken from the arguments of every writing operation. */
  readonly idempotencyKey?: string;
  /** Stands for the caller's token where it gave none: the call may come again by another way. */
  readonly callKey?: string;
  /** Hash of the operation and its arguments; there with the key. */
  readonly payloadHash?: string;
  /** Arguments of the call that the operation does not know. */
  readonly unknownFields?: readonly string[];
  /** The version of the vault that the caller based a write on; taken likewise (E-33). */
  readonly basedOn?: BasedOn;
  /** Hears of each write of the call that has happened. */
  readonly onCommitted?: WriteMeta['onCommitted'];
  /** What removing this note means to the tools whose node it is, under the lock; null: it is removed like any other note. */
  planRemoval(graph: GraphView, entry: NoteEntry): Plan | null;
  /** What toolsets find wrong in their own notes, for doctor; absent: nothing is looked for. */
  checks?(): Promise<OwnChecks>;
  /** Refuses renames and moves that the tools whose notes they are could not live with, under the lock. */
  checkRenames?(graph: GraphView, files: readonly FileChange[]): void;
  /** Progress of long calls. */
  progress(done: number, total: number, message: string): void;
  /** A warning about the whole call, delivered beside the result. */
  warn(message: string): void;
  /** What is wrong with a note and was not told to this session yet; telling it clears it, and what does not fit into so many characters is told later. For `_warnings` of a node in the answer. */
  takeWarnings(entry: NoteEntry, characters?: number): readonly string[];
}

/** Something wrong in the notes of a toolset, as doctor tells it. */
export interface OwnFinding {
  readonly kind: 'unreadable-line' | 'duplicate-id' | 'fact' | 'episode';
  /** The files that it concerns, the first one the place to look. */
  readonly paths: readonly string[];
  readonly message: string;
}

/** What a toolset finds wrong in its own notes: doctor knows none, and asks them all. */
export interface OwnChecks {
  /** Of all of them together. */
  all(): readonly OwnFinding[];
  /** Of one note, whose text is read anyway. */
  note(note: Note): readonly OwnFinding[];
}

/**
 * One named thing that a caller can ask. MCP tools and their documentation come from the one list in `all.ts`; the command line runs operations too.
 * Errors are thrown as `RouxError`; faces translate.
 */
export interface Operation<In extends z.ZodObject = z.ZodObject, Out = unknown> {
  readonly name: string;
  /** The group of tools that it is offered in; null: it is no tool, the program calls it itself. */
  readonly toolset: Toolset | null;
  /** Human-readable title for the tool annotations. */
  readonly title: string;
  /** One or two short sentences: what it does and when to use it. */
  readonly summary: string;
  readonly effect: Effect;
  /** Writes only when an option asks for it, so a read-only server keeps it and refuses that option. */
  readonly writesByOption?: boolean;
  /** Faces answer it in the envelope of the knowledge graph, with this status where it succeeds (S3-01): the operation itself gives what is in `output`. */
  readonly envelope?: 'OK' | 'ACCEPTED';
  /** A repeat with the same arguments changes nothing more. */
  readonly isIdempotent: boolean;
  readonly input: In;
  /** Other shapes of the arguments that clients send, turned into the documented one before validation. */
  readonly accept?: (args: Readonly<Record<string, unknown>>) => Record<string, unknown>;
  /** How it is answered while a large vault is read for the first time; null, and without it: it waits. */
  early?(input: z.output<In>): EarlyAnswer | null;
  /** The memory tools alone also answer in `structuredContent`. */
  structured?(output: Out): Record<string, unknown>;
  run(context: OperationContext, input: z.output<In>): Out | Promise<Out>;
}

/** Arguments of an operation as a program gives them, with the token of a write that it may repeat, and the version of the vault that a write is based on. A program asks for a dry run by the options of the call. */
export type ArgumentsOf<In extends z.ZodObject> = Given<z.input<In>> & {
  readonly idempotency_key?: string;
  readonly if_version?: string | undefined;
};

/** What an operation answers. */
export type AnswerOf<Op> = Op extends { run(context: OperationContext, input: never): infer Out } ? Awaited<Out> : never;

/** A value that nobody changes. */
type Given<T> = T extends readonly (infer Each)[]
  ? readonly Given<Each>[]
  : T extends object
    ? { readonly [Key in keyof T]: Given<T[Key]> }
    : T;

/** The identity, for its types: the name is one of them, so that a program can ask for an operation by it. */
export function defineOperation<const Name extends string, In extends z.ZodObject, Out>(
  operation: Operation<In, Out> & { readonly name: Name },
): Operation<In, Out> & { readonly name: Name } {
  return operation;
}

/** Refuses with `READ_ONLY` what would write where nothing may be written, with `FORBIDDEN` where only the caller's token says so (V-04). */
export function refuseReadOnly({ isReadOnly, config, access }: OperationContext, operation: string): void {
  if (!isReadOnly) return;
  if (config.readOnly || access === undefined)
    throw new RouxError('READ_ONLY', `${operation} would write, and this server was started read-only.`, { operation });
  const message = `${operation} would write, and needs a token that may; the token "${access.name}" may ${access.scope}.`;
  throw new RouxError('FORBIDDEN', message, { needed: 'write', scope: access.scope });
}

/** Who writes and how, from the context of a call; refused where nothing may be written. */
export function writeMeta(context: OperationContext, operation: string): WriteMeta {
  refuseReadOnly(context, operation);
  return {
    operation,
    agent: context.agent,
    signal: context.signal,
    onProgress: (done, total) => context.progress(done, total, operation),
    ...(context.idempotencyKey === undefined ? {} : { idempotencyKey: context.idempotencyKey }),
    ...(context.payloadHash === undefined ? {} : { payloadHash: context.payloadHash }),
    ...(context.basedOn === undefined ? {} : { basedOn: context.basedOn }),
    ...(context.onCommitted === undefined ? {} : { onCommitted: context.onCommitted }),
    ...(context.isDryRun === true ? { dryRun: true } : {}),
    ...(context.onRehearsed === undefined ? {} : { onRehearsed: context.onRehearsed }),
  };
}

/** Now, as answers and frontmatter say it: ISO 8601 UTC with milliseconds. */
export function timeOf({ vault }: Pick<OperationContext, 'vault'>): string {
  return isoNow(vault.ports.clock);
}
