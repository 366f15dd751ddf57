import { Agent } from '../../parts/agent.tsx';
import { Time } from '../../parts/time.tsx';
import type { Detail } from './board.ts';

/** Shows what has to be true when a task is done, and what shows it. */
export function Criteria({ criteria }: { readonly criteria: NonNullable<Detail['criteria']> }) {
  const met = criteria.filter((each) => each.met).length;
  return (
    <section>
      <h3>
        Acceptance criteria ({met} of {criteria.length} met)
      </h3>
      <ul class="detail-criteria">
        {criteria.map(({ text, met: isMet, evidence }, at) => (
          <li key={at} data-met={isMet}>
            <span role="img" aria-label={isMet ? 'Met' : 'Open'}>
              {isMet ? '✓' : '○'}
            </span>{' '}
            <span dir="auto">{text}</span>
            {evidence === undefined ? null : (
              <div class="quiet" dir="auto">
                {evidence}
              </div>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

const TITLES = { left: 'Still to do', done: 'Done', decisions: 'Decisions', pitfalls: 'Pitfalls', evidence: 'Evidence' } as const;

/** Shows what the last holder of a task told the next one. */
export function Handoff({ handoff }: { readonly handoff: NonNullable<Detail['handoff']> }) {
  const { from, at, taken_by: taker, taken_at: takenAt, omitted } = handoff;
  return (
    <section class="detail-handoff">
      <h3>Handoff</h3>
      <p class="quiet">
        From <Agent name={from} /> {at === '' ? null : <Time at={at} />}
        {taker === undefined ? (
          '. Nobody has taken it yet.'
        ) : (
          <>
            , taken by <Agent name={taker} /> {takenAt === undefined || takenAt === '' ? null : <Time at={takenAt} />}
          </>
        )}
      </p>
      {Object.entries(TITLES).map(([name, title]) => {
        const lines = handoff[name as keyof typeof TITLES] ?? [];
        if (lines.length === 0) return null;
        return (
          <div key={name}>
            <h4>{title}</h4>
            <ul>
              {lines.map((line, index) => (
                <li key={index} dir="auto">
                  {line}
                </li>
              ))}
            </ul>
          </div>
        );
      })}
      {omitted === undefined ? null : <p class="quiet">The note has {omitted} more.</p>}
    </section>
  );
}
