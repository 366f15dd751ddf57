/** The canonical relations with the kinds at their two ends, in the active voice (S4-26). */
const CANONICAL: Readonly<Record<string, { readonly from: readonly string[]; readonly to: readonly string[] }>> = {
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
};

export const CANONICAL_RELATIONS: readonly string[] = Object.keys(CANONICAL);

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
  const rule = CANONICAL[relationType];
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
