import { SCOPES } from '../../../ops/call/access.ts';
import type { Access } from '../../../ports.ts';

export type Scope = Access['scope'];

/** Returns a scope as clients see it, which includes the lesser ones. */
export function scopeText(scope: Scope): string {
  return SCOPES.slice(0, SCOPES.indexOf(scope) + 1).join(' ');
}

/** Whether the first scope allows at most as much as the second. */
export function isWithin(scope: Scope, most: Scope): boolean {
  return SCOPES.indexOf(scope) <= SCOPES.indexOf(most);
}

/** Returns the most that a client asks for; null if it names no scope of roux. Others, such as `offline_access`, are ignored. */
export function readScope(text: string | undefined): Scope | null {
  const asked = new Set(text?.split(' '));
  return SCOPES.findLast((scope) => asked.has(scope)) ?? null;
}
