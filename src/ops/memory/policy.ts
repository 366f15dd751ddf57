import { RouxError } from '../../errors.ts';
import type { ErrorCode } from '../../errors.ts';
import type { OperationContext } from '../operation.ts';
import { checkEnvelope, readEnvelope, redactSecrets, trimEnvelope } from './envelope.ts';
import type { Entity, Relation } from './shapes.ts';
import { checkStableName, KIND_OF_TYPE } from './stable-keys.ts';

interface EndTypes {
  readonly from: readonly string[];
  readonly to: readonly string[];
}

/** The canonical relations with the entity types of their ends, in the active voice (S4-26). */
const CANONICAL: ReadonlyMap<string, EndTypes> = new Map(
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

/** Returns the problems of a relation by the vocabulary, one short sentence each (S4-26, S4-27). */
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

/** Limit of an observation in `enforce`; whole logs do not belong into a note (S4-32). */
const MAX_OBSERVATION_BYTES = 64 * 1024;

/** Problems that are listed; the rest is counted. */
const MAX_LISTED_PROBLEMS = 5;

type Context = Pick<OperationContext, 'config' | 'warn'>;

/** Returns observations as they are stored: truncated, and with secrets redacted if the settings say so. */
export function prepareObservations(observations: readonly string[], { config }: Pick<Context, 'config'>): readonly string[] {
  return observations.map((observation) => {
    const trimmed = trimEnvelope(observation);
    return config.memory.redactSecrets ? redactSecrets(trimmed) : trimmed;
  });
}

/** Checks the names and observations of entities against the policy (S4-27, S4-32). */
export function checkEntities(entities: readonly Entity[], context: Context): void {
  const names = entities.flatMap((entity, index) => {
    const problem = checkStableName(entity);
    return problem === null ? [] : [`entities[${index}].name: ${problem}`];
  });
  refuseOrWarn(context, context.config.memory.envelope, 'INVALID_ENVELOPE', names);
  entities.forEach((entity, index) => checkObservations(entity.observations, `entities[${index}].observations`, context));
}

/** Checks the format of observations. In the mode `warn`, plain text is accepted and only texts that look like envelopes are checked. */
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
 * Checks relations against the vocabulary (S4-26, S4-27). The mode `warn` reports missing ends, and checks the vocabulary only if an end has
 * a type of the policy, because other graphs have their own vocabulary.
 */
export function checkRelations(relations: readonly Relation[], typeOf: (name: string) => string | null, context: Context): void {
  const mode = context.config.memory.relations;
  if (mode === 'off') return;
  const problems = relations.flatMap((relation, index) => {
    const ends = { relationType: relation.relationType, fromType: typeOf(relation.from), toType: typeOf(relation.to) };
    const hasPolicyType = [ends.fromType, ends.toType].some((type) => type !== null && KIND_OF_TYPE.has(type.toLowerCase()));
    const isForeign = mode === 'warn' && !hasPolicyType && !CANONICAL_RELATIONS.includes(relation.relationType);
    const found = checkRelation(ends).filter((problem) => !isForeign || problem.includes('does not exist'));
    return found.map((problem) => `relations[${index}]: ${problem}`);
  });
  refuseOrWarn(context, mode, 'INVALID_RELATION', problems);
}

function refuseOrWarn(context: Context, mode: 'off' | 'warn' | 'enforce', code: ErrorCode, problems: readonly string[]): void {
  if (problems.length === 0 || mode === 'off') return;
  const listed = problems.slice(0, MAX_LISTED_PROBLEMS);
  const rest = problems.length - listed.length;
  const text = listed.join('; ') + (rest === 0 ? '' : `; and ${rest} more`);
  if (mode === 'enforce') throw new RouxError(code, `Refused by the memory policy, nothing was saved: ${text}.`, { problems: listed });
  context.warn(`Memory policy: ${text}.`);
}
