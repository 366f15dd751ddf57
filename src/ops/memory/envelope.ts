import { isRecord } from '../../is-record.ts';
import { firstBytes } from '../../note/text.ts';
import { firstCharacters } from '../../note/text.ts';

/** Patterns of well-known secrets. */
const SECRETS: readonly RegExp[] = [
  /\bgh[pousr]_[A-Za-z0-9]{36,}\b/g,
  /\bgithub_pat_[A-Za-z0-9_]{40,}\b/g,
  /\bsk-[A-Za-z0-9_-]{20,}\b/g,
  /\bAKIA[0-9A-Z]{16}\b/g,
  /\bxox[abprs]-[A-Za-z0-9-]{10,}\b/g,
  /\beyJ(?:(?!\beyJ)[A-Za-z0-9_-]){10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\b/g,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
];

/** Replaces secrets of known formats by `[redacted]` (S4-31, `memory.redactSecrets`). */
export function redactSecrets(text: string): string {
  return SECRETS.reduce((redacted, shape) => redacted.replace(shape, '[redacted]'), text);
}

/** Observation types of the policy (S4-22). */
export const ENVELOPE_TYPES = [
  'command.exec',
  'error.capture',
  'warning.capture',
  'fix.apply',
  'fix.outcome',
  'doc.note',
  'run.summary',
] as const;

/** Limit of `stdoutHead` and `stderrHead` (S4-23). */
export const MAX_HEAD_BYTES = 8192;
/** Limit of `excerpt`. */
const MAX_EXCERPT_CHARACTERS = 500;

/** An observation that is a JSON object: `{type, ts, mode, repo, branch, fingerprint, data}`. */
export interface Envelope {
  readonly type: string;
  readonly fingerprint: string | null;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Parses the envelope of an observation; returns null for plain text. */
export function readEnvelope(observation: string): Envelope | null {
  if (!observation.trimStart().startsWith('{')) return null;
  let value: unknown;
  try {
    value = JSON.parse(observation);
  } catch {
    return null;
  }
  if (!isRecord(value)) return null;
  const fields = value as Readonly<Record<string, unknown>>;
  if (typeof fields['type'] !== 'string') return null;
  const fingerprint = fields['fingerprint'];
  return { type: fields['type'], fingerprint: typeof fingerprint === 'string' && fingerprint !== '' ? fingerprint : null, fields };
}

/** Returns the problems of an observation as an envelope, one short sentence each (S4-27). */
export function checkEnvelope(observation: string): readonly string[] {
  const trimmed = observation.trim();
  if (!trimmed.startsWith('{')) return ['is plain text, not a JSON envelope'];
  let value: unknown;
  try {
    value = JSON.parse(trimmed);
  } catch {
    return ['starts like JSON but does not parse'];
  }
  const fields = value as Readonly<Record<string, unknown>>;
  const problems: string[] = [];
  const type = fields['type'];
  if (typeof type !== 'string') problems.push('has no "type"');
  else if (!(ENVELOPE_TYPES as readonly string[]).includes(type))
    problems.push(`has the unknown type "${type}"; known are ${ENVELOPE_TYPES.join(', ')}`);
  const ts = fields['ts'];
  if (typeof ts !== 'string' || Number.isNaN(Date.parse(ts))) problems.push('has no ISO 8601 "ts"');
  if (fields['fingerprint'] !== undefined && typeof fields['fingerprint'] !== 'string')
    problems.push('has a "fingerprint" that is not a string');
  const data = fields['data'];
  if (data !== undefined && !isRecord(data)) problems.push('has "data" that is not an object');
  return problems;
}

/** Truncates the heads in `data` to 8 KiB and the excerpt to 500 characters; returns other texts unchanged. */
export function trimEnvelope(observation: string): string {
  const envelope = readEnvelope(observation);
  const data = envelope?.fields['data'];
  if (envelope === null || !isRecord(data)) return observation;
  const cut: Record<string, unknown> = { ...data };
  let isCut = false;
  for (const key of ['stdoutHead', 'stderrHead']) {
    const head = cut[key];
    if (typeof head !== 'string') continue;
    const trimmed = firstBytes(head, MAX_HEAD_BYTES);
    isCut ||= trimmed !== head;
    cut[key] = trimmed;
  }
  const excerpt = cut['excerpt'];
  if (typeof excerpt === 'string' && firstCharacters(excerpt, MAX_EXCERPT_CHARACTERS) !== excerpt) {
    cut['excerpt'] = firstCharacters(excerpt, MAX_EXCERPT_CHARACTERS);
    isCut = true;
  }
  return isCut ? JSON.stringify({ ...envelope.fields, data: cut }) : observation;
}

/** Returns whether an observation is already present: the same text, or an envelope with the same fingerprint (S4-24). */
export function isRepeated(
  observation: string,
  present: { readonly texts: ReadonlySet<string>; readonly fingerprints: ReadonlySet<string> },
): boolean {
  if (present.texts.has(observation)) return true;
  const fingerprint = readEnvelope(observation)?.fingerprint ?? null;
  return fingerprint !== null && present.fingerprints.has(fingerprint);
}

/** Collects the texts and fingerprints of observations for `isRepeated`. */
export function collectPresent(observations: Iterable<string>): { readonly texts: Set<string>; readonly fingerprints: Set<string> } {
  const texts = new Set<string>();
  const fingerprints = new Set<string>();
  for (const observation of observations) {
    texts.add(observation);
    const fingerprint = readEnvelope(observation)?.fingerprint ?? null;
    if (fingerprint !== null) fingerprints.add(fingerprint);
  }
  return { texts, fingerprints };
}
