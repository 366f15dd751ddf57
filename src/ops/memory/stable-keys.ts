import { createHash } from 'node:crypto';
import { firstCharacters } from '../../note/text.ts';

/**
 * Version of the normalisations below. Keys of different versions differ, so a change of any rule needs a new number and new test vectors.
 */
export const KEY_VERSION = 1;

/** The output of a command run; missing parts count as empty. */
export interface RunParts {
  readonly cmd: string;
  readonly cwd?: string | undefined;
  readonly exit?: number | string | undefined;
  readonly stdoutHead?: string | undefined;
  readonly stderrHead?: string | undefined;
}

function sha256(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}

/** Returns the first 8 hex digits of sha-256 over `cmd|cwd|exit|stdoutHead|stderrHead` (S4-19). */
export function fingerprint8(parts: RunParts): string {
  return sha256([parts.cmd, parts.cwd, parts.exit, parts.stdoutHead, parts.stderrHead].map((part) => String(part ?? '')).join('|')).slice(
    0,
    8,
  );
}

/** Collapses white space of a command and truncates it to 120 characters; a surrogate pair counts as one (S4-20). */
export function canonicalCommand(cmd: string): string {
  return firstCharacters(squeeze(cmd), 120).trimEnd();
}

/**
 * Normalises a message to a key: lower case, hashes removed, versions replaced by `x.y.z`, white space collapsed (S4-20). A hash is a UUID,
 * or 7 to 64 hex digits, with or without `0x`, that contain a digit and a letter.
 */
export function normalizeMessage(message: string): string {
  return squeeze(
    message
      .normalize('NFC')
      .toLowerCase()
      .replace(/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, '')
      .replace(/\b(?:0x)?(?=[0-9a-f]*[0-9])(?=[0-9a-f]*[a-f])[0-9a-f]{7,64}\b/g, '')
      .replace(/\bv?\d+\.\d+\.\d+(?:-[0-9a-z]+(?:[.-][0-9a-z]+)*)?(?:\+[0-9a-z]+(?:[.-][0-9a-z]+)*)?/g, 'x.y.z'),
  );
}

function squeeze(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/** Converts to lower case with hyphens for spaces and punctuation; letters and digits of every script are preserved. */
function slug(text: string): string {
  return text
    .normalize('NFC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}]+/gu, '-')
    .replace(/^-|-$/g, '');
}

/** Serialises with sorted keys, so that equal values have equal texts. */
function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((part) => canonicalJson(part === undefined ? null : part)).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    const pairs = Object.entries(value)
      .filter(([, part]) => part !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
      .map(([key, part]) => `${JSON.stringify(key)}:${canonicalJson(part)}`);
    return `{${pairs.join(',')}}`;
  }
  return JSON.stringify(value) ?? 'null';
}

function versioned(name: string, version: string | undefined): string {
  return version === undefined || version === '' ? name : `${name}@${version}`;
}

/** `run#<ISO 8601>#<fp8>`: one execution. */
export function runKey(parts: RunParts & { readonly at: string }): string {
  return `run#${parts.at}#${fingerprint8(parts)}`;
}

/** `cmd#<canonical command>#<fp8>`. */
export function commandKey(parts: RunParts): string {
  return `cmd#${canonicalCommand(parts.cmd)}#${fingerprint8(parts)}`;
}

/** `err#<normalised message>`: equal errors have one name, whatever versions and hashes they print. */
export function errorKey(message: string): string {
  return `err#${normalizeMessage(message)}`;
}

/** `warn#<normalised message>`. */
export function warningKey(message: string): string {
  return `warn#${normalizeMessage(message)}`;
}

/** `dep#<name>@<version>`, without `@` when there is no version. */
export function dependencyKey({ name, version }: { readonly name: string; readonly version?: string | undefined }): string {
  return `dep#${versioned(name.trim(), version)}`;
}

/** `fix#<issue name>#<sha8>`; the hash is over JSON of `{changes, strategy}` with sorted keys. */
export function fixKey({
  issue,
  strategy,
  changes,
}: {
  readonly issue: string;
  readonly strategy: unknown;
  readonly changes: unknown;
}): string {
  return `fix#${issue}#${sha256(canonicalJson({ strategy, changes })).slice(0, 8)}`;
}

/** `doc#<sha256 of the URL>`; the URL is only trimmed. */
export function docKey(url: string): string {
  return `doc#${sha256(url.trim())}`;
}

/** `mode#<slug>@<version>`. */
export function modeKey({ name, version }: { readonly name: string; readonly version?: string | undefined }): string {
  return `mode#${versioned(slug(name), version)}`;
}

/** `tool#<name>@<version>`. */
export function toolKey({ name, version }: { readonly name: string; readonly version?: string | undefined }): string {
  return `tool#${versioned(name.trim(), version)}`;
}

/** `file#<path>` with `/` separators, without `./` and doubled slashes. */
export function fileKey(path: string): string {
  return `file#${path
    .trim()
    .replace(/\\/g, '/')
    .replace(/\/{2,}/g, '/')
    .replace(/^(?:\.\/)+/, '')}`;
}

/** `concept#<slug>`. */
export function conceptKey(name: string): string {
  return `concept#${slug(name)}`;
}

/** Prefixes of names that are derived from content. */
export const KEY_KINDS = ['run', 'cmd', 'err', 'warn', 'dep', 'fix', 'doc', 'mode', 'tool', 'file', 'concept'] as const;
export type KeyKind = (typeof KEY_KINDS)[number];

const KEY_SHAPES: Record<KeyKind, RegExp> = {
  run: /^run#\d{4}-\d{2}-\d{2}T[\d:.]+(?:Z|[+-]\d{2}:?\d{2})#[0-9a-f]{8}$/,
  cmd: /^cmd#.+#[0-9a-f]{8}$/su,
  err: /^err#.+$/su,
  warn: /^warn#.+$/su,
  dep: /^dep#.+$/su,
  fix: /^fix#.+#[0-9a-f]{8}$/su,
  doc: /^doc#[0-9a-f]{64}$/,
  mode: /^mode#.+$/su,
  tool: /^tool#.+$/su,
  file: /^file#.+$/su,
  concept: /^concept#.+$/su,
};

/** Entity types of the policy, with the key prefix of their names. */
export const KIND_OF_TYPE: ReadonlyMap<string, KeyKind> = new Map<string, KeyKind>(
  Object.entries({
    run: 'run',
    command: 'cmd',
    error: 'err',
    warning: 'warn',
    dependency: 'dep',
    fix: 'fix',
    doc: 'doc',
    mode: 'mode',
    tool: 'tool',
    file: 'file',
    concept: 'concept',
  } as const),
);

/** Returns why a name is not the stable key that this entity type needs; null if it is, or the type has no rule (S4-32). */
export function checkStableName({ name, entityType }: { readonly name: string; readonly entityType: string }): string | null {
  const kind = KIND_OF_TYPE.get(entityType.toLowerCase());
  if (kind === undefined || KEY_SHAPES[kind].test(name)) return null;
  return `a ${entityType} is named by a stable key of the form ${kind}#…; create it with \`roux key ${kind}\``;
}
