import { Agent } from '../../parts/agent.tsx';
import { Time } from '../../parts/time.tsx';
import type { Detail } from './board.ts';

type Change = Detail['history']['events'][number]['changes'][number];

/** What people call the fields of a task. */
const FIELD_NAMES: Readonly<Record<string, string>> = {
  blocked: 'waits for',
  context_links: 'links',
  decision_context: 'why',
  depends_on: 'depends on',
  parent: 'part of',
  state: 'progress',
  'properties._claimed_by': 'in progress by',
  handoff_taken: 'took over from',
};

/** Lists the changes of a task, newest first. */
export function TaskHistory({ history: { events, has_more } }: Pick<Detail, 'history'>) {
  return (
    <section>
      <h3>History</h3>
      {events.length === 0 ? <p class="quiet">No changes to this task are recorded yet.</p> : null}
      <ol class="detail-history">
        {events.map(({ agent, action, timestamp, changes }, at) => {
          // The action says it already.
          const shown = action === 'created' ? [] : changes.filter(({ field }) => field !== 'resolved');
          return (
            <li key={at}>
              <Agent name={agent} /> {nameAction(action, changes)} <Time at={timestamp} />
              {shown.length === 0 ? null : (
                <ul>
                  {shown.map((change, place) => (
                    <li key={place} dir="auto">
                      {FIELD_NAMES[change.field] ?? change.field.replace(/^properties\./, '')}:{' '}
                      {change.before === null ? null : <del>{toWords(change.before)}</del>}{' '}
                      {change.after === null ? null : <ins>{toWords(change.after)}</ins>}
                    </li>
                  ))}
                </ul>
              )}
            </li>
          );
        })}
      </ol>
      {has_more ? <p class="quiet">For older changes, see the history of its note.</p> : null}
    </section>
  );
}

function nameAction(action: string, changes: readonly Change[]): string {
  if (changes.some(({ field }) => field === 'handoff')) return 'handed over';
  const claim = action === 'updated' ? changes.find(({ field }) => field === 'properties._claimed_by') : undefined;
  if (claim === undefined) return action;
  return claim.after === null ? 'released' : 'started';
}

/** Returns a value in words: of evidence what it names, of criteria and a handoff their lines. */
function toWords(text: string): string {
  if (!/^\[?\{/.test(text)) return text;
  try {
    const value = JSON.parse(text) as readonly { readonly ref?: unknown }[] | Readonly<Record<string, unknown>>;
    if (Array.isArray(value)) return value.map(({ ref }: { readonly ref?: unknown }) => (typeof ref === 'string' ? ref : text)).join(', ');
    return Object.entries(value)
      .map(([key, lines]) => (lines === null ? key : `${key}: ${joinLines(lines)}`))
      .join('; ');
  } catch {
    // A shortened value is no JSON any more.
    return text;
  }
}

function joinLines(lines: unknown): string {
  return [lines]
    .flat()
    .map((line) => (typeof line === 'string' ? line : JSON.stringify(line)))
    .join(', ');
}
