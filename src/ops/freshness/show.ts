import type { NoteEntry } from '../../graph/view.ts';
import { dayOf, isStale, readFreshness } from '../../note/freshness.ts';
import type { Confirmation, Freshness } from '../../note/freshness.ts';
import { UPDATED_KEYS } from '../../note/frontmatter/reserved-keys.ts';
import type { Vault } from '../../vault/vault.ts';
import { readTime } from '../node-properties.ts';
import { shorten } from '../shorten.ts';

/** What an answer says of the freshness of something, beside its documented fields. */
export interface ShownFreshness {
  /** Days since the last confirmation, else since the last change. */
  readonly _age_days: number;
  readonly _confirmed?: Confirmation;
  /** `since 2026-09-23`; absent if it is not stale. */
  readonly _stale?: string;
}

const DAY_MS = 86_400_000;
/** A person may have written any text as the actor. */
const MAX_ACTOR_CHARACTERS = 200;

/** Says how fresh something is. Times are in milliseconds since 1970 UTC. */
export function showFreshness(
  { confirmed, staleAfter }: Freshness,
  { changedMs, now }: { readonly changedMs: number; readonly now: number },
): ShownFreshness {
  const since = confirmed === null ? changedMs : Date.parse(confirmed.at);
  return {
    _age_days: Math.max(0, Math.floor((now - since) / DAY_MS)),
    ...(confirmed === null ? {} : { _confirmed: { by: shorten(confirmed.by, MAX_ACTOR_CHARACTERS), at: confirmed.at } }),
    ...(isStale({ staleAfter }, dayOf(now)) ? { _stale: `since ${staleAfter ?? ''}` } : {}),
  };
}

/** Says how fresh a note is. */
export function showNoteFreshness({ ports }: Vault, { properties, stamp }: NoteEntry): ShownFreshness {
  const changed = readTime(properties, UPDATED_KEYS);
  const changedMs = changed === null ? Number(stamp.mtimeNs / 1_000_000n) : Date.parse(changed);
  return showFreshness(readFreshness(properties), { changedMs, now: ports.clock.now() });
}

/** Returns the field of a list for a note that is stale. */
export function showStale(vault: Vault, entry: NoteEntry): Pick<Partial<ShownFreshness>, '_stale'> {
  const { _stale: stale } = showNoteFreshness(vault, entry);
  return stale === undefined ? {} : { _stale: stale };
}
