import { createHash } from 'node:crypto';
import type { z } from 'zod';
import { errorMessage, RouxError, systemCode } from '../../errors.ts';
import type { ErrorCode } from '../../errors.ts';
import { isRecord } from '../../is-record.ts';
import { fateOf, isGivenId, isPathLike } from '../../vault/fate.ts';
import { movedRoots } from '../../vault/roots.ts';
import { isVersion } from '../../vault/past/version.ts';
import type { BasedOn } from '../../vault/past/version.ts';
import { VAULT_IS_GONE } from '../../vault/warnings.ts';
import { describeIssue, IS_REQUIRED, readArguments } from '../arguments.ts';
import { endRehearsal, tryOut } from '../dry-run.ts';
import type { DryRun } from '../dry-run.ts';
import type { Operation, OperationContext, Toolset } from '../operation.ts';
import { shorten } from '../shorten.ts';
import { waitUntilAnswerable } from './while-reading.ts';

/** The code of a bad argument, by surface. */
const BAD_ARGUMENT: Readonly<Record<Toolset, ErrorCode>> = {
  vault: 'INVALID_PARAMS',
  admin: 'INVALID_PARAMS',
  memory: 'INVALID_PARAMS',
  tasks: 'validation_error',
  ontology: 'INVALID_ARGUMENT',
  knowledge: 'INVALID_ARGUMENT',
};

function badArgument({ toolset, envelope }: Pick<Operation, 'toolset' | 'envelope'>): ErrorCode {
  if (envelope !== undefined) return 'INVALID_ARGUMENT';
  return toolset === null ? 'INVALID_PARAMS' : BAD_ARGUMENT[toolset];
}

/** Values of a note nest twenty levels at most; what is far deeper would be too deep for those who look at it too. */
const MAX_DEPTH = 100;

/** Refuses arguments that nest very deep; level by level, so that no depth is too deep for the asking. */
function mustNotBeDeep(operation: Operation, args: unknown): void {
  let level: readonly unknown[] = [args];
  for (let left = MAX_DEPTH; left >= 0; left -= 1) {
    level = level.flatMap((each) => (typeof each === 'object' && each !== null ? Object.values(each) : []));
    if (level.length === 0) return;
  }
  throw new RouxError(badArgument(operation), `${operation.name}: the arguments nest more than ${MAX_DEPTH} levels deep; flatten them.`);
}

/** How many wrong fields one error names, and so many characters of a name that a caller made up. */
const MAX_ISSUES = 5;
const MAX_FIELD_CHARACTERS = 60;

/** Runs an operation: the one way in for every face. Reads and checks the arguments, waits for the vault, then runs. */
export async function invoke<In extends z.ZodObject, Out>(
  operation: Operation<In, Out>,
  raw: unknown,
  context: OperationContext,
): Promise<Out | DryRun> {
  mustNotBeDeep(operation, raw);
  const { values, key: given, basedOn, isDryRun } = takeTokens(operation, isRecord(raw) ? raw : {});
  const key = given ?? (operation.effect === 'read' ? undefined : context.callKey);
  const { values: read, unknown } = readArguments(operation, values);
  // Once more: some came as JSON in a text.
  mustNotBeDeep(operation, read);
  const checked = operation.input.safeParse(read);
  const issues = checked.success ? [] : checked.error.issues.map((issue) => describeIssue(issue, read));
  const broken = operation.effect === 'read' ? null : findBrokenText(read, '');
  if (broken !== null) issues.push(`${broken} holds half of a character (a lone surrogate), which no file can hold; send whole characters`);
  if (operation.effect !== 'read' && (hasOwnPrototype(raw) || hasOwnPrototype(read)))
    issues.push('nothing can be called __proto__; choose another name');
  if (raw !== undefined && raw !== null && !isRecord(raw)) issues.unshift('arguments must be an object');
  if (operation.envelope !== undefined)
    issues.push(...unknown.map((field) => `${shorten(field, MAX_FIELD_CHARACTERS)} is not known there`));
  if (!checked.success || issues.length > 0) {
    const message = `${operation.name}: ${issues.slice(0, MAX_ISSUES).join('; ')}.${givenInstead(issues, unknown)}`;
    throw new RouxError(badArgument(operation), message, { issues: issues.slice(0, MAX_ISSUES) });
  }
  for (const field of unknown) context.warn(`Unknown field ${field} was ignored.`);
  refuseCancelled(context);
  const answerable = await waitUntilAnswerable(context, operation.early?.(checked.data) ?? null);
  if (answerable.reading === undefined) {
    for (const alert of await context.vault.alerts()) context.warn(alert);
    for (const { message } of movedRoots(context.vault, operation.toolset)) context.warn(message);
  }
  refuseCancelled(context);
  const committed: string[] = [];
  const keyed: OperationContext = {
    ...answerable,
    onCommitted: (batch) => void committed.push(batch),
    unknownFields: unknown,
    ...(key === undefined ? {} : { idempotencyKey: key, payloadHash: hashPayload(operation.name, read) }),
    ...(basedOn === undefined ? {} : { basedOn }),
    ...(isDryRun ? { isDryRun, onRehearsed: endRehearsal } : {}),
  };
  try {
    return await tryOut(() => oncePerKey(keyed, () => runAtVersion(keyed, () => operation.run(keyed, checked.data))));
  } catch (error) {
    if (committed.length > 0) throw afterCommit(committed, error);
    if (error instanceof RouxError && error.code === 'INVALID_PARAMS' && badArgument(operation) !== error.code)
      throw new RouxError(badArgument(operation), error.message, error.details, { cause: error });
    // Whatever it was that could not be read: the folder went away meanwhile.
    if (systemCode(error) === 'ESTALE') throw new RouxError('VAULT_NOT_FOUND', VAULT_IS_GONE, {}, { cause: error, retryable: true });
    throw await withFate(context, error);
  }
}

/** An error that came when something was written already: it is no refusal, and the call is not to be repeated as it is. */
function afterCommit(batches: readonly string[], error: unknown): unknown {
  const isRefusal = error instanceof RouxError;
  if (!isRefusal && systemCode(error) === null) return error;
  const written = `This call has written something (${batches.length === 1 ? 'batch' : 'batches'} ${batches.join(', ')}; "roux undo" takes it back)`;
  const message = `${written}, and failed after that: ${errorMessage(error)} Do not repeat it before you have looked.`;
  return new RouxError(
    isRefusal ? error.code : 'UNKNOWN_OUTCOME',
    message,
    { ...(isRefusal ? error.details : {}), batches },
    { cause: error },
  );
}

/** What the caller named where something that is required is missing: mostly it is that, under another name. */
function givenInstead(issues: readonly string[], unknown: readonly string[]): string {
  if (unknown.length === 0 || !issues.some((issue) => issue.endsWith(IS_REQUIRED))) return '';
  const named = unknown.slice(0, MAX_ISSUES).map((field) => shorten(field, MAX_FIELD_CHARACTERS));
  const rest = unknown.length > MAX_ISSUES ? ` and ${unknown.length - MAX_ISSUES} more` : '';
  return ` Given instead: ${named.join(', ')}${rest}, which this tool does not know.`;
}

/** Codes of what a reference leads to no note for. */
const NOT_FOUND: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'NODE_NOT_FOUND',
  'node_not_found',
  'invalid_parent_ref',
  'invalid_depends_on',
]);

/** An error about an id or a path that no note has, with what the history knows of it: merged, or deleted. All others as they are. */
async function withFate({ vault }: OperationContext, error: unknown): Promise<unknown> {
  if (!(error instanceof RouxError) || !NOT_FOUND.has(error.code)) return error;
  const id = Object.values(error.details ?? {}).find((value) => typeof value === 'string' && (isGivenId(value) || isPathLike(value)));
  const fate = typeof id === 'string' ? await fateOf(vault, id) : null;
  if (fate === null) return error;
  const { code, message, details, retryable } = error;
  return new RouxError(code, `${message} ${fate}`, details, { cause: error, retryable });
}

/** A repeat under an idempotency key is told what the first call was told, whatever became of the notes since. */
async function oncePerKey<Out>(
  { vault, config, idempotencyKey: key, payloadHash: payload, isDryRun }: OperationContext,
  run: () => Out | Promise<Out>,
): Promise<Out> {
  if (key === undefined || payload === undefined || isDryRun === true || config.readOnly) return await run();
  const told = findTold(vault, key, payload);
  if (told !== undefined) return told as Out;
  const answer = await run();
  try {
    await vault.told.keep(key, payload, answer);
  } catch (error) {
    // What was asked for is done.
    vault.ports.log.warn(`An answer could not be kept for repeats: ${errorMessage(error)}`);
  }
  return answer;
}

/** What was told under a key; undefined also where a disk fails that it cannot be read from: the write itself finds what became of the first call. */
function findTold(vault: OperationContext['vault'], key: string, payload: string): unknown {
  try {
    return vault.told.find(key, payload);
  } catch (error) {
    if (systemCode(error) === null) throw error;
    return undefined;
  }
}

/** Whether a key is called `__proto__`: set on an object it would not be kept, and answered as if it were. */
function hasOwnPrototype(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.hasOwn(value, '__proto__') || Object.values(value).some(hasOwnPrototype);
}

/** Where a text is that UTF-8 cannot hold: it would be saved as something else than what was sent. */
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

/** The same for the same arguments, in whatever order their keys came. */
function hashPayload(operation: string, args: unknown): string {
  const sorted = JSON.stringify([operation, args], (_, value: unknown) =>
    isRecord(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value,
  );
  return createHash('sha256').update(sorted).digest('hex');
}

function refuseCancelled(context: OperationContext): void {
  if (context.signal.aborted) throw new RouxError('CANCELLED', 'The call was cancelled before it changed anything.');
}

/** Runs a call that may be based on a version: also what came to no write, or failed before it, is refused where the vault is at another one. */
async function runAtVersion<Out>({ vault, basedOn }: OperationContext, run: () => Out | Promise<Out>): Promise<Out> {
  if (basedOn === undefined) return await run();
  try {
    return await run();
  } finally {
    // Thrown in place of what failed: the reason is that others changed something.
    await vault.requireVersion(basedOn);
  }
}

/** `idempotency_key`, `if_version` and `dry_run` belong to every writing operation, so they are in no operation's own input. */
function takeTokens(
  operation: Operation,
  raw: Record<string, unknown>,
): { values: Record<string, unknown>; key?: string; basedOn?: BasedOn; isDryRun: boolean } {
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
  const version = take('if_version', isVersion, 'a version of the vault, as the resource roux://vault and "roux stats" tell it');
  return {
    values,
    isDryRun: takeDryRun(operation, takeAny),
    ...(key === undefined ? {} : { key }),
    ...(version === undefined ? {} : { basedOn: { version, isChecked: false } }),
  };
}

/** Reads `dry_run`. Operations that answer in the envelope of the knowledge graph have it in their input, or refuse it as an unknown field. */
function takeDryRun(operation: Operation, take: (name: string) => unknown): boolean {
  if (operation.envelope !== undefined) return false;
  const value = take('dry_run');
  if (value === undefined || value === false || value === 'false') return false;
  if (value === true || value === 'true') return true;
  throw new RouxError(badArgument(operation), `${operation.name}: dry_run must be true or false.`);
}
