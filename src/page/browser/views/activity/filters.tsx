import { useState } from 'preact/hooks';
import { agentLabel, hueOf } from '../../parts/agent.tsx';
import { CHANGE_WORDS } from '../../parts/words/change-text.tsx';
import { TypedField } from '../../parts/fields/typed-field.tsx';
import { navigate, withQuery } from '../../router.ts';
import type { ActivityPage } from './entries.ts';

/** Number of agents that are listed before the user asks for all. */
const MAX_LISTED_AGENTS = 12;

/** Filters of the list, which are stored in the address. */
export function Filters({ filter, page }: { readonly filter: Readonly<Record<string, string>>; readonly page: ActivityPage }) {
  const [isWhole, setWhole] = useState(false);
  const { agent, kind = '' } = filter;
  const shown = isWhole ? page.agents : page.agents.slice(0, MAX_LISTED_AGENTS);
  return (
    <search class="filters">
      <nav class="kinds" aria-label="Who wrote">
        <a href={withQuery({ agent: null })} aria-current={agent === undefined ? 'true' : undefined}>
          Everyone
        </a>
        {shown.map((each) => (
          <a
            key={each.agent}
            class={`agent-${hueOf(each.agent)}`}
            href={withQuery({ agent: each.agent })}
            aria-current={agent === each.agent ? 'true' : undefined}
          >
            <bdi>{agentLabel(each.agent)}</bdi> <span class="quiet">{formatWrites(each)}</span>
          </a>
        ))}
        {shown.length < page.agents.length ? (
          <button type="button" class="quiet-button" onClick={() => setWhole(true)}>
            {page.agents.length - shown.length} more
          </button>
        ) : null}
      </nav>
      <div class="filter-fields">
        <label>
          <span>Path contains</span>
          <TypedField name="path" label="Path contains" value={filter['path'] ?? ''} />
        </label>
        <label>
          <span>What</span>
          <select value={kind} onChange={(event) => navigate(withQuery({ kind: event.currentTarget.value }), { replace: true })}>
            <option value="">any change</option>
            {Object.entries(CHANGE_WORDS).map(([each, words]) => (
              <option key={each} value={each}>
                {words}
              </option>
            ))}
          </select>
        </label>
        <label>
          <span>Since</span>
          <TypedField name="since" label="Since" value={filter['since'] ?? ''} type="date" />
        </label>
      </div>
    </search>
  );
}

/** Returns `3`, `3 + 2 not written here` or `2 not written here`. */
function formatWrites({ writes, foreign = 0 }: ActivityPage['agents'][number]): string {
  const [own, others] = [writes.toLocaleString('en'), `${foreign.toLocaleString('en')} not written here`];
  return foreign === 0 ? own : writes === 0 ? others : `${own} + ${others}`;
}
