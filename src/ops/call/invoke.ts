import { createHash } from 'node:crypto';
import type { z } from 'zod';
import { errorMessage, RouxError, systemCode } from '../../errors.ts';
import type { ErrorCode } from '../../errors.ts';
import { isRecord } from '../../is-record.ts';
import { describeMissing, isGivenId, isPathLike } from '../../vault/missing-note.ts';
import { movedRoots } from '../../vault/roots.ts';
import { isVersion } from '../../vault/history/version.ts';
import type { BaseVersion } from '../../vault/history/version.ts';
import { VAULT_IS_GONE } from '../../vault/warnings.ts';
import { describeIssue, IS_REQUIRED, readArguments } from '../arguments.ts';
import { endDryRun, catchDryRun } from '../dry-run.ts';
import type { DryRun } from '../dry-run.ts';
import type { Operation, OperationContext, ToolsetName, WriteOptions } from '../operation.ts';
import { shorten } from '../shorten.ts';
import { waitUntilAnswerable } from './while-reading.ts';

/** The error code of a bad argument, by toolset. */
const BAD_ARGUMENT: Readonly<Record<ToolsetName, ErrorCode>> = {
  vault: 'INVALID_PARAMS',
  admin: 'INVALID_PARAMS',
  memory: 'INVALID_PARAMS',
  tasks: 'validation_error',
  ontology: 'INVALID_ARGUMENT',
  knowledge: 'INVALID_ARGUMENT',
};

const MAX_FIELD_CHARACTERS = 60;

export function badArgument({ toolset, envelope }: Pick<Operation, 'toolset' | 'envelope'>): ErrorCode {
  if (envelope !== undefined) return 'INVALID_ARGUMENT';
  return toolset === null ? 'INVALID_PARAMS' : BAD_ARGUMENT[toolset];
}

/** Values in a note nest at most twenty levels; much deeper ones would overflow the stack of recursive code. */
const MAX_DEPTH = 100;

/** Throws for arguments that nest too deep. Iterates by level, since recursion would overflow the stack. */
function refuseDeepArguments(operation: Operation, args: unknown): void {
  let level: readonly unknown[] = [args];
  for (let left = MAX_DEPTH; left >= 0; left -= 1) {
    level = level.flatMap((each) => (typeof each === 'object' && each !== null ? Object.values(each) : []));
    if (level.length === 0) return;
  }
  throw new RouxError(badArgument(operation), `${operation.name}: the arguments nest more than ${MAX_DEPTH} levels deep; flatten them.`);
}

/** Arguments that restrict a write. If one were ignored, the call would do what it was told not to do. */
const GUARDS = ['dry_run', 'if_version', 'idempotency_key', 'expected_rev', 'if_match', 'if_exists'];
const spellingKey = (name: string): string => name.replace(/[-_]/g, '').toLowerCase();

/** Returns why an unknown field is refused if it is a guard, in whatever spelling; nothing for any other field. */
function describeUnknownGuard(field: string): readonly string[] {
  const name = field.slice(field.lastIndexOf('.') + 1);
  const guard = GUARDS.find((each) => spellingKey(each) === spellingKey(name));
  if (guard === undefined) return [];
  const remedy = guard === name ? 'and cannot be ignored, since it restricts a write; leave it out' : `write ${guard}`;
  return [`${shorten(field, MAX_FIELD_CHARACTERS)} is not known here; ${remedy}`];
}

interface InvokeOptions {
  readonly answersEarly?: boolean;
  readonly asked?: unknown;
  readonly canAsk?: boolean;
}

/** Maximum number of invalid fields that one error names, and of characters of an unknown field name. */
const MAX_ISSUES = 5;
/**
 * Runs an operation for any face: converts and validates the arguments, waits for the vault, then calls `run`. `answersEarly`: the caller
 * prefers an early answer to waiting until a large vault is read. `asked`: the arguments before anything was chosen for them, by which a
 * repeat is known; `canAsk`: something may be chosen for them.
 */
export async function invoke<In extends z.ZodObject, Out>(
  operation: Operation<In, Out>,
  raw: unknown,
  context: OperationContext,
  { answersEarly = false, asked = raw, canAsk = asked !== raw }: InvokeOptions = {},
): Promise<Out | DryRun> {
  refuseDeepArguments(operation, raw);
  const { values, key: given, basedOn, isDryRun } = extractCallOptions(operation, isRecord(raw) ? raw : {});
  const { values: read, unknown } = readArguments(operation, values);
  const repeated =
    asked === raw ? read : readArguments(operation, extractCallOptions(operation, isRecord(asked) ? asked : {}).values).values;
  // Once more, since some arguments came as JSON text.
  refuseDeepArguments(operation, read);
  const checked = operation.input.safeParse(read);
  const issues = checked.success ? [] : checked.error.issues.map((issue) => describeIssue(issue, read));
  const broken = operation.effect === 'read' ? null : findBrokenText(read, '');
  if (broken !== null)
    issues.push(`${broken} contains half of a character (a lone surrogate), which no file can store; send whole characters`);
  if (operation.effect !== 'read' && (hasOwnPrototype(raw) || hasOwnPrototype(read)))
    issues.push('nothing can be called __proto__; choose another name');
  if (raw !== undefined && raw !== null && !isRecord(raw)) issues.unshift('arguments must be an object');
  if (operation.envelope !== undefined)
    issues.push(...unknown.map((field) => `${shorten(field, MAX_FIELD_CHARACTERS)} is not known there`));
  else if (operation.effect !== 'read') issues.push(...unknown.flatMap(describeUnknownGuard));
  if (!checked.success || issues.length > 0) {
    const message = `${operation.name}: ${issues.slice(0, MAX_ISSUES).join('; ')}.${listUnknownFields(issues, unknown)}`;
    throw new RouxError(badArgument(operation), message, { issues: issues.slice(0, MAX_ISSUES) });
  }
  for (const field of unknown) context.warn(`Unknown field ${field} was ignored.`);
  refuseCancelled(context);
  const { context: answerable, isEarly } = await waitUntilAnswerable(context, operation.early?.(checked.data) ?? null, answersEarly);
  if (!isEarly) {
    for (const alert of await context.vault.health.alerts()) context.warn(alert);
    for (const { message } of movedRoots(context.vault, operation.toolset)) context.warn(message);
  }
  refuseCancelled(context);
  const committed: string[] = [];
  const { idempotencyKey: callKey, ...options } = context.writeOptions;
  const key = operation.effect === 'read' ? undefined : (given ?? callKey);
  const writeOptions: WriteOptions = {
    ...options,
    onCommitted: (batch) => {
      committed.push(batch);
      options.onCommitted?.(batch);
    },
    ...(key === undefined
      ? {}
      : {
          idempotencyKey: key,
          isCallKey: given === undefined,
          payloadHash: hashPayload(operation.name, context.said === undefined ? repeated : { ...repeated, agent: context.said }),
        }),
    ...(basedOn === undefined ? {} : { basedOn }),
    ...(isDryRun ? { dryRun: true, onDryRun: endDryRun } : {}),
  };
  const keyed: OperationContext = { ...answerable, unknownFields: unknown, writeOptions };
  try {
    // The answer of a call that its front repeats is made again from what it wrote; what was chosen for it is not known then.
    const kept = { mayBe: given !== undefined || canAsk, is: given !== undefined || asked !== raw };
    return await catchDryRun(() => runOncePerKey(keyed, kept, () => runAtVersion(keyed, () => operation.run(keyed, checked.data))));
  } catch (error) {
    if (committed.length > 0) throw toErrorAfterCommit(committed, error);
    if (error instanceof RouxError && error.code === 'INVALID_PARAMS' && badArgument(operation) !== error.code)
      throw new RouxError(badArgument(operation), error.message, error.details, { cause: error });
    // ESTALE of any file means that the vault's folder is gone.
    if (systemCode(error) === 'ESTALE') throw new RouxError('VAULT_NOT_FOUND', VAULT_IS_GONE, {}, { cause: error, retryable: true });
    throw await explainNotFound(context, error);
  }
}

/** Wraps an error that occurred after a commit: it is no refusal, and the call must not simply be repeated. */
function toErrorAfterCommit(batches: readonly string[], error: unknown): unknown {
  const isRefusal = error instanceof RouxError;
  if (!isRefusal && systemCode(error) === null) return error;
  const written = `This call has written something (${batches.length === 1 ? 'batch' : 'batches'} ${batches.join(', ')}; "roux undo" takes it back)`;
  const message = `${written}, and failed after that: ${errorMessage(error)} Look at what it wrote before you repeat it.`;
  return new RouxError(
    isRefusal ? error.code : 'UNKNOWN_OUTCOME',
    message,
    { ...(isRefusal ? error.details : {}), batches },
    { cause: error },
  );
}

/** Names the unknown fields when a required one is missing: mostly it was sent under another name. */
function listUnknownFields(issues: readonly string[], unknown: readonly string[]): string {
  if (unknown.length === 0 || !issues.some((issue) => issue.endsWith(IS_REQUIRED))) return '';
  const named = unknown.slice(0, MAX_ISSUES).map((field) => shorten(field, MAX_FIELD_CHARACTERS));
  const rest = unknown.length > MAX_ISSUES ? ` and ${unknown.length - MAX_ISSUES} more` : '';
  return ` Given instead: ${named.join(', ')}${rest}, which this tool does not know.`;
}

/** Error codes for a reference to a note that does not exist. */
const NOT_FOUND: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'NODE_NOT_FOUND',
  'node_not_found',
  'invalid_parent_ref',
  'invalid_depends_on',
]);

/** Adds to an error about an unknown id or path what the history knows of that note. Returns all other errors unchanged. */
async function explainNotFound({ vault }: OperationContext, error: unknown): Promise<unknown> {
  if (!(error instanceof RouxError) || !NOT_FOUND.has(error.code)) return error;
  const id = Object.values(error.details ?? {}).find((value) => typeof value === 'string' && (isGivenId(value) || isPathLike(value)));
  const fate = typeof id === 'string' ? await describeMissing(vault, id) : null;
  if (fate === null) return error;
  const { code, message, details, retryable } = error;
  return new RouxError(code, `${message} ${fate}`, details, { cause: error, retryable });
}

/**
 * Runs a call once per idempotency key: a repeat gets the answer to the first call, whatever happened to the notes since.
 * `kept`: whether an answer may have been kept for that, and whether the one to this call is. The write itself knows what was written before.
 */
async function runOncePerKey<Out>(
  { vault, config, writeOptions: { idempotencyKey: key, payloadHash: payload, dryRun } }: OperationContext,
  kept: { readonly mayBe: boolean; readonly is: boolean },
  run: () => Out | Promise<Out>,
): Promise<Out> {
  if (key === undefined || payload === undefined || dryRun === true || config.readOnly) return await run();
  const replay = kept.mayBe ? findReplay(vault, key, payload) : undefined;
  if (replay !== undefined) return replay as Out;
  const answer = await run();
  if (!kept.is) return answer;
  try {
    await vault.writes.replayCache.save(key, payload, answer);
  } catch (error) {
    // The write has succeeded, so this is no error of the call. It is expected when the process was asked to end after the write.
    if (!(error instanceof RouxError && error.code === 'CANCELLED'))
      vault.ports.log.warn(`An answer could not be saved for repeated calls: ${errorMessage(error)}`);
  }
  return answer;
}

/** Finds the stored answer for a key. Returns undefined when there is none or it cannot be read: the write itself then finds the outcome of the first call. */
function findReplay(vault: OperationContext['vault'], key: string, payload: string): unknown {
  try {
    return vault.writes.replayCache.find(key, payload);
  } catch (error) {
    if (systemCode(error) === null) throw error;
    return undefined;
  }
}

/** Checks whether any key is `__proto__`: set on an object it would be lost, though the answer would report success. */
function hasOwnPrototype(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.hasOwn(value, '__proto__') || Object.values(value).some(hasOwnPrototype);
}

/** Returns the path of a field with text that UTF-8 cannot encode, or null: such text would be changed when saved. */
function findBrokenText(value: unknown, field: string): string | null {
  if (typeof value === 'string') return /\p{Surrogate}/u.test(value) ? field : null;
  if (typeof value !== 'object' || value === null) return null;
  for (const [key, each] of Object.entries(value)) {
    const here = Array.isArray(value) ? `${field}[${key}]` : field === '' ? key : `${field}.${key}`;
    const found = /\p{Surrogate}/u.test(key) ? field : findBrokenText(each, here);
    if (found !== null) return found;
  }
  return null;
}

/** Hashes an operation and its arguments, independent of the order of keys. */
function hashPayload(operation: string, args: unknown): string {
  const sorted = JSON.stringify([operation, args], (_, value: unknown) =>
    isRecord(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value,
  );
  return createHash('sha256').update(sorted).digest('hex');
}

function refuseCancelled(context: OperationContext): void {
  if (context.signal.aborted) throw new RouxError('CANCELLED', 'The call was cancelled before it changed anything.');
}

/** Runs a call that may be based on a version. Refuses it when the vault is at another version, even if the call wrote nothing or failed. */
async function runAtVersion<Out>({ vault, writeOptions: { basedOn } }: OperationContext, run: () => Out | Promise<Out>): Promise<Out> {
  if (basedOn === undefined) return await run();
  try {
    return await run();
  } finally {
    // Replaces the original error, whose cause is that others changed something.
    await vault.history.requireVersion(basedOn);
  }
}

/** Splits off `idempotency_key`, `if_version` and `dry_run`, which every writing operation accepts and no operation's own input declares. */
function extractCallOptions(
  operation: Operation,
  raw: Record<string, unknown>,
): { values: Record<string, unknown>; key?: string; basedOn?: BaseVersion; isDryRun: boolean } {
  if (operation.effect === 'read') return { values: raw, isDryRun: false };
  const values = { ...raw };
  const takeAny = (name: string): unknown => {
    if (!Object.hasOwn(raw, name) || Object.hasOwn(operation.input.shape, name)) return undefined;
    delete values[name];
    return raw[name];
  };
  const take = (name: string, isFine: (text: string) => boolean, wanted: string): string | undefined => {
    const value = takeAny(name);
    if (value === undefined) return undefined;
    if (typeof value === 'string' && isFine(value)) return value;
    throw new RouxError(badArgument(operation), `${operation.name}: ${name} must be ${wanted}.`);
  };
  const key = take('idempotency_key', (text) => text !== '' && text.length <= 256, 'a string of 1 to 256 characters');
  const version = take('if_version', isVersion, 'a version of the vault, as the resource roux://vault and "roux stats" show it');
  return {
    values,
    isDryRun: parseDryRun(operation, takeAny),
    ...(key === undefined ? {} : { key }),
    ...(version === undefined ? {} : { basedOn: { version, isChecked: false } }),
  };
}

/** Parses `dry_run`. Operations that answer in the envelope of the knowledge graph declare it in their input, or refuse it as an unknown field. */
function parseDryRun(operation: Operation, take: (name: string) => unknown): boolean {
  if (operation.envelope !== undefined) return false;
  const value = take('dry_run');
  if (value === undefined || value === false || value === 'false') return false;
  if (value === true || value === 'true') return true;
  throw new RouxError(badArgument(operation), `${operation.name}: dry_run must be true or false.`);
}
