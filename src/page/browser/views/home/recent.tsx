import type { OperationState } from '../../use-operation.ts';
import type { Result } from '../../operations.ts';
import { Agent } from '../../parts/agent.tsx';
import { Failure, Loading } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { ChangedFile, ChangeSummary } from '../../parts/words/change-text.tsx';

/** Entries of `activity` that are asked for. */
export const MAX_ENTRIES = 12;
const MAX_FILES_PER_ENTRY = 3;
const DAY_MS = 24 * 60 * 60 * 1000;

/** Lists the changes since yesterday, or the latest ones if there are none. */
export function Recent({ activity: { value, error, reload } }: { readonly activity: OperationState<Result<'activity'>> }) {
  return (
    <section aria-labelledby="recent">
      <h2 id="recent">Since yesterday</h2>
      {value === null ? (
        error === null ? (
          <Loading what="what changed" />
        ) : (
          <Failure error={error} reload={reload} />
        )
      ) : (
        <Entries activity={value} />
      )}
      <p>
        <a href="/activity">All activity</a>
      </p>
    </section>
  );
}

function Entries({ activity: { entries, now } }: { readonly activity: Result<'activity'> }) {
  const since = Date.parse(now) - DAY_MS;
  const recent = entries.filter(({ timestamp }) => Date.parse(timestamp) >= since);
  const shown = recent.length > 0 ? recent : entries.slice(0, 3);
  return (
    <>
      {recent.length > 0 ? null : <p class="quiet">No changes since yesterday. The latest:</p>}
      <ol class="recent">
        {shown.map((entry) => (
          <li key={entry.id}>
            <span class="recent-head">
              <Agent name={entry.agent} /> <ChangeSummary entry={entry} />{' '}
              <span class="quiet">
                <Time at={entry.timestamp} />
              </span>
            </span>
            {entry.file_count === 1 ? null : (
              <ul>
                {entry.files.slice(0, MAX_FILES_PER_ENTRY).map((file) => (
                  <li key={file.path}>
                    <ChangedFile file={file} />
                  </li>
                ))}
                {entry.file_count > MAX_FILES_PER_ENTRY ? <li class="quiet">and {entry.file_count - MAX_FILES_PER_ENTRY} more</li> : null}
              </ul>
            )}
          </li>
        ))}
      </ol>
    </>
  );
}
