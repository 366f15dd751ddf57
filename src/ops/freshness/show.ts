import type { NoteEntry } from '../../graph/view.ts';
import { dayOf, isFuture, isStale, judgeConfirmations, readFreshness } from '../../note/freshness.ts';
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
  /** A confirmation that is dated in the future and confirms nothing. */
  readonly _misdated?: Confirmation;
  /** `since 2026-09-23`; absent if it is not stale. */
  readonly _stale?: string;
}

const DAY_MS = 86_400_000;
/** A person may have written any text as the actor. */
const MAX_ACTOR_CHARACTERS = 200;

/** Says how fresh something is. Times are in milliseconds since 1970 UTC. */
export function showFreshness(
  { verified, staleAfter }: Freshness,
  { changedMs, now }: { readonly changedMs: number; readonly now: number },
): ShownFreshness {
  const { confirmed, misdated } = judgeConfirmations({ verified }, now);
  const since = confirmed === null ? changedMs : Date.parse(confirmed.at);
  return {
    _age_days: Math.max(0, Math.floor((now - since) / DAY_MS)),
    ...(confirmed === null ? {} : { _confirmed: showConfirmation(confirmed) }),
    ...(misdated === null ? {} : { _misdated: showConfirmation(misdated) }),
    ...(isStale({ staleAfter }, dayOf(now)) ? { _stale: `since ${staleAfter ?? ''}` } : {}),
  };
}

function showConfirmation({ by, at }: Confirmation): Confirmation {
  return { by: shorten(by, MAX_ACTOR_CHARACTERS), at };
}

/** Says how fresh a note is. */
export function showNoteFreshness({ ports }: Vault, { properties, stamp }: NoteEntry): ShownFreshness {
  const now = ports.clock.now();
  const changed = Date.parse(readTime(properties, UPDATED_KEYS) ?? '');
  const changedMs = Number.isNaN(changed) || isFuture(changed, now) ? Number(stamp.mtimeNs / 1_000_000n) : changed;
  return showFreshness(readFreshness(properties), { changedMs, now });
}

/** Returns the field of a list for a note that is stale. */
export function showStale(vault: Vault, entry: NoteEntry): Pick<Partial<ShownFreshness>, '_stale'> {
  const { _stale: stale } = showNoteFreshness(vault, entry);
  return stale === undefined ? {} : { _stale: stale };
}
