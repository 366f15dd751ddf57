import { useMemo } from 'preact/hooks';
import type { Chart } from './chart.ts';
import { COLOURS } from './choices.ts';
import type { Choices } from './choices.ts';
import type { Group } from './groups.ts';

/** More folders or tags than this are not offered: the search narrows further. */
const MAX_OFFERED = 300;

/** What a person may choose of the graph. `choose` takes values of the address; null is what most want. */
export function GraphPanel(props: {
  readonly chart: Chart;
  readonly choices: Choices;
  readonly groups: readonly Group[];
  readonly choose: (values: Readonly<Record<string, string | null>>) => void;
}) {
  const { chart, choices, groups, choose } = props;
  const offered = useMemo(() => offeredOf(chart), [chart]);
  const isBy = (name: keyof Choices) => choices[name] === true;
  return (
    <>
      <fieldset class="graph-choices">
        <legend>Show</legend>
        <Select label="Folder" value={choices.folder} values={offered.folders} onChoose={(folder) => choose({ folder })} />
        <Select label="Tag" value={choices.tag} values={offered.tags} onChoose={(tag) => choose({ tag })} />
        <Select label="Type" value={choices.type} values={offered.types} onChoose={(type) => choose({ type })} />
        <Check label="Notes without links" isOn={isBy('orphans')} onChange={(isOn) => choose({ orphans: isOn ? null : '0' })} />
        <Check label="What is not written yet" isOn={isBy('unresolved')} onChange={(isOn) => choose({ unresolved: isOn ? '1' : null })} />
        <Check label="Attachments" isOn={isBy('attachments')} onChange={(isOn) => choose({ attachments: isOn ? '1' : null })} />
        <Check label="Arrows" isOn={isBy('arrows')} onChange={(isOn) => choose({ arrows: isOn ? '1' : null })} />
      </fieldset>
      <fieldset class="graph-choices">
        <legend>Colours</legend>
        <label class="graph-field">
          <span>Tell</span>
          <select
            aria-label="Tell"
            value={choices.colour}
            onChange={(event) => choose({ colour: event.currentTarget.value === 'community' ? null : event.currentTarget.value })}
          >
            {COLOURS.map(([value, label]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
        </label>
        <ul class="graph-legend">
          {groups.map(({ label, count, colour }) => (
            <li key={`${colour} ${label}`}>
              <span class={`graph-dot graph-dot-${colour < 0 ? 'plain' : colour}`} />
              <bdi class="graph-legend-label">{label}</bdi>
              <span class="quiet">{count.toLocaleString('en')}</span>
            </li>
          ))}
        </ul>
      </fieldset>
    </>
  );
}

function Select(props: {
  readonly label: string;
  readonly value: string;
  readonly values: readonly string[];
  readonly onChoose: (value: string | null) => void;
}) {
  const { label, value, values } = props;
  if (values.length === 0 && value === '') return null;
  const listed = value === '' || values.includes(value) ? values : [value, ...values];
  return (
    <label class="graph-field">
      <span>{label}</span>
      <select
        aria-label={label}
        value={value}
        onChange={(event) => props.onChoose(event.currentTarget.value === '' ? null : event.currentTarget.value)}
      >
        <option value="">All</option>
        {listed.map((each) => (
          <option key={each} value={each}>
            {each}
          </option>
        ))}
      </select>
    </label>
  );
}

function Check({ label, isOn, onChange }: { readonly label: string; readonly isOn: boolean; readonly onChange: (isOn: boolean) => void }) {
  return (
    <label class="graph-check">
      <input type="checkbox" checked={isOn} onChange={(event) => onChange(event.currentTarget.checked)} />
      {label}
    </label>
  );
}

/** Folders, tags and types of the notes; the most used ones where there are too many, in order of their names. */
function offeredOf({ nodes }: Chart): {
  readonly folders: readonly string[];
  readonly tags: readonly string[];
  readonly types: readonly string[];
} {
  const [folders, tags, types] = [new Map<string, number>(), new Map<string, number>(), new Map<string, number>()];
  const count = (counts: Map<string, number>, key: string): void => void counts.set(key, (counts.get(key) ?? 0) + 1);
  for (const { kind, folder, tags: own, type } of nodes) {
    if (kind !== 'note') continue;
    const parts = folder === '' ? [] : folder.split('/');
    for (let depth = 1; depth <= parts.length; depth += 1) count(folders, parts.slice(0, depth).join('/'));
    for (const tag of own) count(tags, tag);
    if (type !== null) count(types, type);
  }
  const listed = (counts: ReadonlyMap<string, number>): readonly string[] =>
    [...counts]
      .sort(([, a], [, b]) => b - a)
      .slice(0, MAX_OFFERED)
      .map(([key]) => key)
      .sort((a, b) => a.localeCompare(b));
  return { folders: listed(folders), tags: listed(tags), types: listed(types) };
}
