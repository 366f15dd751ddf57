import { useAnswer } from '../../answer.ts';
import { Agent } from '../../parts/agent.tsx';
import { NoteLink } from '../../parts/note-link.tsx';
import { Failure, Loading } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { sayActions } from '../activity/entries.ts';

/** What `activity` answers, as far as it is shown here. */
interface Activity {
  readonly entries: readonly Entry[];
  readonly now: string;
}

interface Entry {
  readonly id: string;
  readonly agent: string;
  readonly timestamp: string;
  readonly actions: readonly { readonly action: string; readonly count: number }[];
  readonly files: readonly { readonly path: string; readonly title?: string; readonly action: string; readonly is_gone: boolean }[];
  readonly file_count: number;
}

const SHOWN = 12;
const FILES = 3;
const DAY_MS = 24 * 60 * 60 * 1000;

/** What was written since yesterday, and by whom; where that is nothing, what was last. */
export function Recent() {
  const { value, error, again } = useAnswer<Activity>('activity', { limit: SHOWN });
  return (
    <section aria-labelledby="recent">
      <h2 id="recent">Since yesterday</h2>
      {value === null ? (
        error === null ? (
          <Loading what="what changed" />
        ) : (
          <Failure error={error} again={again} />
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

function Entries({ activity: { entries, now } }: { readonly activity: Activity }) {
  if (entries.length === 0) return <p class="quiet">Nothing was changed yet since roux looks after this vault.</p>;
  const since = Date.parse(now) - DAY_MS;
  const recent = entries.filter(({ timestamp }) => Date.parse(timestamp) >= since);
  const shown = recent.length > 0 ? recent : entries.slice(0, 3);
  return (
    <>
      {recent.length > 0 ? null : <p class="quiet">Nothing was changed since yesterday. What was last:</p>}
      <ol class="recent">
        {shown.map((entry) => (
          <li key={entry.id}>
            <span class="recent-head">
              <Agent name={entry.agent} /> {sayActions(entry)}{' '}
              <span class="quiet">
                <Time at={entry.timestamp} />
              </span>
            </span>
            <ul>
              {entry.files.slice(0, FILES).map(({ path, title, is_gone: isGone }) => (
                <li key={path}>
                  {isGone ? (
                    <s dir="auto">{nameOf(path)}</s>
                  ) : path.endsWith('.md') ? (
                    <NoteLink path={path} title={title} />
                  ) : (
                    <span>{path}</span>
                  )}
                </li>
              ))}
              {entry.file_count > FILES ? <li class="quiet">and {entry.file_count - FILES} more</li> : null}
            </ul>
          </li>
        ))}
      </ol>
    </>
  );
}

function nameOf(path: string): string {
  return path.replace(/^.*\//, '').replace(/\.md$/, '');
}
