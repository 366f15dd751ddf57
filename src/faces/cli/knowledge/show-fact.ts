import { visibleLine } from '../../../terminal-text.ts';

/** The option that names a group. */
export const GROUP = { argument: 'group_id', short: 'g', value: 'G', help: 'the group; default: the only one there is' } as const;

/** The fields of a fact that a line about it needs. */
export interface ShownFact {
  readonly name: string;
  readonly source_node_name: string;
  readonly target_node_name: string;
  readonly valid_at?: string;
  readonly invalid_at?: string;
  readonly created_at: string;
  readonly expired_at?: string;
  readonly negated?: true;
}

/** Formats a time in UTC: as a date at midnight, else to the minute. */
export function shortTime(iso: string): string {
  return iso.endsWith('T00:00:00.000Z') ? iso.slice(0, 10) : `${iso.slice(0, 10)} ${iso.slice(11, 16)}`;
}

/** Formats when a fact holds: `2020-01-01 to 2023-01-01`, `since 2023-01-01`, `until …`; empty if the fact names no time. */
export function validTime({ valid_at: from, invalid_at: to }: Pick<ShownFact, 'valid_at' | 'invalid_at'>): string {
  if (from !== undefined && to !== undefined) return `${shortTime(from)} to ${shortTime(to)}`;
  if (from !== undefined) return `since ${shortTime(from)}`;
  return to === undefined ? '' : `until ${shortTime(to)}`;
}

/** Formats the relation: `Alice WORKS_AT Acme`, with `not` before a negated one. */
export function relationOf({ source_node_name: source, name, target_node_name: target, negated }: ShownFact): string {
  return visibleLine(`${source} ${negated === true ? 'not ' : ''}${name} ${target}`);
}

/** Formats who said a statement, when, and where: `said by Nora 2026-03-02 17:40, in 2026-03-02-chat`. */
export function saying({ source_node_name: speaker, target_node_name: episode, valid_at: at }: ShownFact): string {
  const by = speaker === episode ? '' : ` by ${speaker}`;
  return visibleLine(`said${by}${at === undefined ? '' : ` ${shortTime(at)}`}, in ${episode}`);
}

/** Formats when a fact was known: `known since 2026-04-02`, or from when to when. */
export function systemTime({ created_at: from, expired_at: to }: Pick<ShownFact, 'created_at' | 'expired_at'>): string {
  return to === undefined ? `known since ${shortTime(from)}` : `known ${shortTime(from)} to ${shortTime(to)}`;
}
