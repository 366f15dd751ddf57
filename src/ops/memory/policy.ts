import { RouxError } from '../../errors.ts';
import type { ErrorCode } from '../../errors.ts';
import type { OperationContext } from '../operation.ts';
import { checkEnvelope, readEnvelope, redactSecrets, trimEnvelope } from './envelope.ts';
import type { Entity, Relation } from './shapes.ts';
import { checkStableName, KIND_OF_TYPE } from './stable-keys.ts';

interface Ends {
  readonly from: readonly string[];
  readonly to: readonly string[];
}

/** The canonical relations with the kinds at their two ends, in the active voice (S4-26). */
const CANONICAL: ReadonlyMap<string, Ends> = new Map(
  Object.entries({
    EXECUTES: { from: ['run'], to: ['command'] },
    EMITS: { from: ['command'], to: ['error', 'warning'] },
    CAUSED_BY: { from: ['error'], to: ['dependency'] },
    RESOLVES: { from: ['fix'], to: ['error'] },
    MITIGATES: { from: ['fix'], to: ['warning'] },
    DERIVED_FROM: { from: ['fix'], to: ['doc'] },
    REFERENCES: { from: ['doc'], to: ['concept'] },
    ABOUT: { from: ['error'], to: ['concept'] },
    PERFORMED_BY: { from: ['run'], to: ['mode'] },
    USES: { from: ['run'], to: ['tool'] },
    TOUCHES: { from: ['run'], to: ['file'] },
  }),
);

export const CANONICAL_RELATIONS: readonly string[] = [...CANONICAL.keys()];

export interface RelationEnds {
  readonly relationType: string;
  /** Entity type of each end, or null when there is no such entity. */
  readonly fromType: string | null;
  readonly toType: string | null;
}

/** What is wrong with a relation by the vocabulary, as short sentences; empty when nothing is (S4-26, S4-27). */
export function checkRelation({ relationType, fromType, toType }: RelationEnds): readonly string[] {
  const problems: string[] = [];
  if (fromType === null) problems.push('its "from" entity does not exist');
  if (toType === null) problems.push('its "to" entity does not exist');
  const rule = CANONICAL.get(relationType);
  if (rule === undefined) {
    problems.push(`"${relationType}" is not a canonical relation; those are ${CANONICAL_RELATIONS.join(', ')}`);
    return problems;
  }
  if (fromType !== null && !rule.from.includes(fromType.toLowerCase()))
    problems.push(`${relationType} starts at ${rule.from.join(' or ')}, not at ${fromType}`);
  if (toType !== null && !rule.to.includes(toType.toLowerCase()))
    problems.push(`${relationType} leads to ${rule.to.join(' or ')}, not to ${toType}`);
  return problems;
}

/** Most bytes of one observation in `enforce`: whole logs do not belong into a note (S4-32). */
const MAX_OBSERVATION_BYTES = 64 * 1024;

/** How many remarks of one call are told; the rest is counted. */
const MAX_REMARKS = 5;

type Context = Pick<OperationContext, 'config' | 'warn'>;

/** Observations as they are stored: heads cut, secrets redacted where that is asked for. */
export function prepareObservations(observations: readonly string[], { config }: Pick<Context, 'config'>): readonly string[] {
  return observations.map((observation) => {
    const trimmed = trimEnvelope(observation);
    return config.memory.redactSecrets ? redactSecrets(trimmed) : trimmed;
  });
}

/** Holds entities against the policy: stable names and envelopes (S4-27, S4-32). */
export function checkEntities(entities: readonly Entity[], context: Context): void {
  const names = entities.flatMap((entity, index) => {
    const problem = checkStableName(entity);
    return problem === null ? [] : [`entities[${index}].name: ${problem}`];
  });
  refuseOrWarn(context, context.config.memory.envelope, 'INVALID_ENVELOPE', names);
  entities.forEach((entity, index) => checkObservations(entity.observations, `entities[${index}].observations`, context));
}

/** Holds observations against the envelope's shape. `warn` speaks only of those that mean to be envelopes; plain text is fine there. */
export function checkObservations(observations: readonly string[], field: string, context: Context): void {
  const mode = context.config.memory.envelope;
  if (mode === 'off') return;
  const problems = observations.flatMap((observation, index) => {
    if (mode === 'warn' && readEnvelope(observation) === null && !observation.trimStart().startsWith('{"type"')) return [];
    const found = [...checkEnvelope(observation)];
    if (Buffer.byteLength(observation) > MAX_OBSERVATION_BYTES)
      found.push(`is longer than ${MAX_OBSERVATION_BYTES} bytes; keep the head and name the file`);
    return found.map((problem) => `${field}[${index}] ${problem}`);
  });
  refuseOrWarn(context, mode, 'INVALID_ENVELOPE', problems);
}

/**
 * Holds relations against the vocabulary (S4-26, S4-27).
 * `warn` speaks of missing ends, and of the vocabulary only where an end is of one of the policy's kinds: other graphs have words of their own.
 */
export function checkRelations(relations: readonly Relation[], typeOf: (name: string) => string | null, context: Context): void {
  const mode = context.config.memory.relations;
  if (mode === 'off') return;
  const problems = relations.flatMap((relation, index) => {
    const ends = { relationType: relation.relationType, fromType: typeOf(relation.from), toType: typeOf(relation.to) };
    const isOfPolicy = [ends.fromType, ends.toType].some((type) => type !== null && KIND_OF_TYPE.has(type.toLowerCase()));
    const isForeign = mode === 'warn' && !isOfPolicy && !CANONICAL_RELATIONS.includes(relation.relationType);
    const found = checkRelation(ends).filter((problem) => !isForeign || problem.includes('does not exist'));
    return found.map((problem) => `relations[${index}]: ${problem}`);
  });
  refuseOrWarn(context, mode, 'INVALID_RELATION', problems);
}

function refuseOrWarn(context: Context, mode: 'off' | 'warn' | 'enforce', code: ErrorCode, problems: readonly string[]): void {
  if (problems.length === 0 || mode === 'off') return;
  const told = problems.slice(0, MAX_REMARKS);
  const rest = problems.length - told.length;
  const text = told.join('; ') + (rest === 0 ? '' : `; and ${rest} more`);
  if (mode === 'enforce') throw new RouxError(code, `Refused by the memory policy, nothing was saved: ${text}.`, { problems: told });
  context.warn(`Memory policy: ${text}.`);
}
