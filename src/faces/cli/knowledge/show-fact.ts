import { visibleLine } from '../../../terminal-text.ts';

/** Of a fact what a line about it needs. */
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

/** A time as people read it: a day where it is the beginning of one, else to the minute; UTC. */
export function shortTime(iso: string): string {
  return iso.endsWith('T00:00:00.000Z') ? iso.slice(0, 10) : `${iso.slice(0, 10)} ${iso.slice(11, 16)}`;
}

/** `2020-01-01 to 2023-01-01`, `since 2023-01-01`, `until …`, or nothing where a fact names no time. */
export function validTime({ valid_at: from, invalid_at: to }: Pick<ShownFact, 'valid_at' | 'invalid_at'>): string {
  if (from !== undefined && to !== undefined) return `${shortTime(from)} to ${shortTime(to)}`;
  if (from !== undefined) return `since ${shortTime(from)}`;
  return to === undefined ? '' : `until ${shortTime(to)}`;
}

/** `Alice WORKS_AT Acme`; `not` stands before a relation that is denied. */
export function relationOf({ source_node_name: source, name, target_node_name: target, negated }: ShownFact): string {
  return visibleLine(`${source} ${negated === true ? 'not ' : ''}${name} ${target}`);
}

/** `known since 2026-04-02`, and until when. */
export function systemTime({ created_at: from, expired_at: to }: Pick<ShownFact, 'created_at' | 'expired_at'>): string {
  return to === undefined ? `known since ${shortTime(from)}` : `known ${shortTime(from)} to ${shortTime(to)}`;
}
