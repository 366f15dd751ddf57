import type { z } from 'zod';
import type { Config } from '../config.ts';
import type { GraphView, NoteEntry } from '../graph/view.ts';
import type { Confirmation, Freshness } from '../note/freshness.ts';
import type { NotePath } from '../note/path.ts';
import { isoNow } from '../ports.ts';
import type { FileChange, Plan, WriteMeta } from '../vault/plan/plan.ts';
import type { Vault } from '../vault/vault.ts';
import type { OriginCounts } from './call/origin.ts';
import type { CallReadLog } from './read-log.ts';

export type ToolsetName = 'vault' | 'tasks' | 'memory' | 'ontology' | 'knowledge' | 'admin';
export type Effect = 'read' | 'write' | 'destroy';

/**
 * How an operation is answered during the first read of a large vault. `part`: from the notes read so far, with a warning.
 * `refuse`: with a retryable `UNAVAILABLE`, since unread notes may change any of the answer. `search`: from all notes, as a search looks
 * for those that are not read yet too. `notes`: these notes are read first, if all are given by file path.
 */
export type EarlyAnswer = 'part' | 'refuse' | 'search' | { readonly notes: readonly string[] };

/** How the writes of a call are made, whatever they are. */
export type WriteOptions = Pick<
  WriteMeta,
  'dryRun' | 'onDryRun' | 'idempotencyKey' | 'isCallKey' | 'payloadHash' | 'basedOn' | 'onCommitted'
>;

/** The context of a call. */
export interface OperationContext {
  /** With the ports that the caller's rights leave. */
  readonly vault: Vault;
  readonly config: Config;
  /** The caller's name: from the configuration, `ROUX_AGENT`, else the client's. */
  readonly agent: string;
  /** What one of several agents behind the connection calls itself in this call; it is part of `agent`. */
  readonly said?: string;
  /** The caller's name where it confirms something: `human:ana`, `agent/claude-code`, `process:http`. */
  readonly actor: string;
  /** Identifies the connection: each gets a warning once. */
  readonly session: string;
  /** The connection to which claims belong (`Caller.connection`). */
  readonly connection?: string;
  /** What this session has read of notes, so that it overwrites nothing unseen; null for a person, who sees the files. */
  readonly readLog: CallReadLog | null;
  /** For `writeMeta`. `dryRun`: compute and show what would be written, write nothing. */
  readonly writeOptions: WriteOptions;
  readonly signal: AbortSignal;
  /** Arguments of the call that the operation does not know. */
  readonly unknownFields?: readonly string[];
  /** Loads the toolsets, whose guards are asked before notes are renamed or removed. Commands that do neither do not load them. */
  toolsets(): Promise<readonly Toolset[]>;
  /** Reports the progress of a long call. */
  progress(done: number, total: number, message: string): void;
  /** Adds a warning about the whole call, delivered with the result. */
  warn(message: string): void;
  /** Adds a part beside the output, for what the form of the output has no place for. */
  include(name: string, part: unknown): void;
  /** Returns warnings about a note that this session has not had yet, for `_warnings` of a node, and marks them as delivered. Those beyond `characters` remain for a later answer. */
  takeWarnings(entry: NoteEntry, characters?: number): readonly string[];
}

/** A problem in the notes of a toolset, as doctor reports it. */
export interface ToolsetFinding {
  readonly kind: 'unreadable-line' | 'duplicate-id' | 'task-cycle' | 'ontology' | 'unknown-type' | 'fact' | 'episode';
  /** The affected files, the one to look at first in front. */
  readonly paths: readonly string[];
  readonly message: string;
  /** A fix that needs no guessing, described for people. */
  readonly fix?: { readonly summary: string; readonly files: readonly FileChange[] };
}

/** A fact about which it is written who confirmed it or until when it counts, and the note that states it. */
export interface DatedFact {
  readonly path: string;
  readonly uuid: string;
  readonly fact: string;
  readonly freshness: Freshness;
}

/** A toolset's checks of its own notes, for doctor. */
export interface ToolsetChecks {
  /** Checks all notes together. */
  all(): readonly ToolsetFinding[];
  /** Checks the note at a path. Reads it only if it belongs to the toolset. */
  note?(path: NotePath): readonly ToolsetFinding[];
  /** Finds its facts that are believed and have been confirmed, or have a day from which on they are stale. */
  datedFacts?(): readonly DatedFact[];
}

/** A confirmation to write. */
export interface Confirming extends Confirmation {
  /** The day from which on what it confirms is stale; null removes it, undefined leaves it as it is. */
  readonly staleAfter: string | null | undefined;
}

/** Facts that are confirmed, and the changes that say so. Unknown facts are not among them. */
export interface ConfirmedFacts {
  readonly facts: readonly { readonly uuid: string; readonly fact: string; readonly path: string; readonly staleAfter: string | null }[];
  readonly files: readonly FileChange[];
}

/** What a toolset asks for, or does, before any operation renames, removes or confirms its notes. Called under the write lock. */
export interface Guards {
  /** Throws for renames and moves that would break its notes. */
  checkRenames?(context: OperationContext, graph: GraphView, files: readonly FileChange[]): void;
  /** Throws for an undo that would remove what another agent is at work on. `removed`: the present paths of the files. */
  checkUndo?(context: OperationContext, removed: readonly string[]): void;
  /** Plans the removal of one of its notes; null for any other note. */
  planRemoval?(context: OperationContext, graph: GraphView, entry: NoteEntry): Plan | null;
  /** Plans the confirmation of its facts. */
  planConfirmation?(vault: Vault, uuids: readonly string[], confirming: Confirming): Promise<ConfirmedFacts>;
}

/** What a toolset keeps for callers from one call to the next. `whole`: the vault with all of its ports. */
export interface CallerHooks {
  /** Follows a call that was answered. Returns what the caller has to know besides. */
  follow(whole: Vault, context: OperationContext, operation: Operation): Promise<readonly string[]>;
  /** Looks after what callers of other processes keep. Called once for a vault that is served and may be written, when it has been read. */
  watch(whole: Vault): void;
  /** Ends what a connection keeps. */
  leave(whole: Vault, connection: string): Promise<void>;
}

/** The lists of which the start of a session is made, the most important first. */
export const PRIME_LISTS = ['handoffs', 'held', 'ready', 'changed', 'facts', 'memory', 'stale', 'vault'] as const;

/** What matters of a toolset's notes at the start of a session. */
export interface PrimeList {
  readonly name: (typeof PRIME_LISTS)[number];
  /** The most important first, with text of notes as it is. */
  readonly lines: readonly string[];
  /** How many there are besides; null: nobody counted. */
  readonly more: number | null;
}

/** A group of operations, with the rules for its notes that hold for all other operations too. */
export interface Toolset<Operations extends readonly Operation[] = readonly Operation[]> {
  readonly name: ToolsetName;
  /** Its tools, and the operations that only the program calls. */
  readonly operations: Operations;
  readonly guards?: Guards;
  readonly callers?: CallerHooks;
  /** Loads doctor's checks. */
  checks?(vault: Vault): Promise<ToolsetChecks>;
  /** Lists what an agent should know at the start of a session. `sinceMs`: when the last session ended; null if unknown. Reads few notes. */
  prime?(context: OperationContext, sinceMs: number | null): Promise<readonly PrimeList[]>;
  /** Counts what its notes hold, such as facts, by whom it comes from, for an audit. */
  origins?(vault: Vault): Promise<Readonly<Record<string, OriginCounts>>>;
  /** Loads the operations of the web page. None is a tool. */
  pageOperations?(): Promise<readonly Operation[]>;
}

/**
 * A named operation. MCP tools and their documentation come from the list in `all.ts`; the command line runs operations too.
 * Errors are thrown as `RouxError`; each face translates them.
 */
export interface Operation<In extends z.ZodObject = z.ZodObject, Out = unknown> {
  readonly name: string;
  /** The group of tools that it belongs to; null: it is no tool, only the program calls it. */
  readonly toolset: ToolsetName | null;
  /** Human-readable title of the tool. */
  readonly title: string;
  /** One or two short sentences: what it does and when to use it. */
  readonly summary: string;
  readonly effect: Effect;
  /** Not for a token that is limited to folders, since it looks at everything. So are those of the toolset `admin`. */
  readonly isOfWholeVault?: true;
  /** A write that may replace what is there, and so is no mere addition. */
  readonly overwrites?: true;
  /** Writes only with a certain option, so a read-only server offers it and refuses that option. */
  readonly writesByOption?: boolean;
  /** Faces wrap the answer in the envelope of the knowledge graph, with this status on success (S3-01); the operation returns the `output`. */
  readonly envelope?: 'OK' | 'ACCEPTED';
  /** Repeating it with the same arguments changes nothing more. */
  readonly isIdempotent: boolean;
  readonly input: In;
  /** The parts that it adds beside its answer, by name (`OperationContext.include`). */
  readonly parts?: Readonly<Record<string, z.ZodType>>;
  /** Converts other shapes of the arguments that clients send to the documented one, before validation. */
  readonly accept?: (args: Readonly<Record<string, unknown>>) => Record<string, unknown>;
  /** Returns how it is answered during the first read of a large vault; null or absent: it waits. */
  early?(input: z.output<In>): EarlyAnswer | null;
  /** Returns the `structuredContent` of the answer; only the memory tools have it. */
  structured?(output: Out): Record<string, unknown>;
  run(context: OperationContext, input: z.output<In>): Out | Promise<Out>;
}

/** The arguments of an operation for an embedding program, with the idempotency key and the base version of a write. A dry run is an option of the call. */
export type ArgumentsOf<In extends z.ZodObject> = DeepReadonly<z.input<In>> & {
  readonly idempotency_key?: string;
  readonly if_version?: string | undefined;
};

export type AnswerOf<Op> = Op extends { run(context: OperationContext, input: never): infer Out } ? Awaited<Out> : never;

/** A value that nobody changes. */
type DeepReadonly<T> = T extends readonly (infer Each)[]
  ? readonly DeepReadonly<Each>[]
  : T extends object
    ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> }
    : T;

/** The identity, for its types: the name is one of them, so that a program can ask for an operation by it. */
export function defineOperation<const Name extends string, In extends z.ZodObject, Out>(
  operation: Operation<In, Out> & { readonly name: Name },
): Operation<In, Out> & { readonly name: Name } {
  return operation;
}

/** The identity, for the types of its operations. */
export function defineToolset<const Operations extends readonly Operation[]>(toolset: Toolset<Operations>): Toolset<Operations> {
  return toolset;
}

/** Returns the metadata of a write from the context of a call. */
export function writeMeta(context: OperationContext, operation: string): WriteMeta {
  const { agent, signal, writeOptions } = context;
  return { ...writeOptions, operation, agent, signal, onProgress: (done, total) => context.progress(done, total, operation) };
}

/** Returns the context of a call that writes nothing and only computes what it would write. */
export function toDryRun(context: OperationContext): OperationContext {
  return { ...context, writeOptions: { ...context.writeOptions, dryRun: true } };
}

/** Returns the current time for answers and frontmatter: ISO 8601 UTC with milliseconds. */
export function currentTime({ vault }: Pick<OperationContext, 'vault'>): string {
  return isoNow(vault.ports.clock);
}

/** Takes in what other processes and people have written; returns the context. For answers from memory, which else lag behind a moment. */
export async function upToDate(context: OperationContext): Promise<OperationContext> {
  await context.vault.refresh('changed');
  return context;
}
