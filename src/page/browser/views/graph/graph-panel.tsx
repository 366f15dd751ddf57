import { useMemo } from 'preact/hooks';
import { session } from '../../session.ts';
import type { GraphData } from './graph-model.ts';
import { COLOR_BY_OPTIONS } from './options.ts';
import type { GraphOptions } from './options.ts';
import type { Group } from './groups.ts';

/** Vaults with more folders, tags or types than this get only the most used ones as filters. */
const MAX_OFFERED = 300;

/** The options of the graph. `setOptions` takes parameters of the query string; null removes one, so that its default applies. */
export function GraphPanel(props: {
  readonly graph: GraphData;
  readonly options: GraphOptions;
  readonly groups: readonly Group[];
  readonly setOptions: (values: Readonly<Record<string, string | null>>) => void;
}) {
  const { graph, options, groups, setOptions } = props;
  const filters = useMemo(() => listFilters(graph), [graph]);
  const isOn = (name: keyof GraphOptions) => options[name] === true;
  return (
    <>
      <fieldset class="graph-choices">
        <legend>Show</legend>
        <Select label="Folder" value={options.folder} values={filters.folders} onChoose={(folder) => setOptions({ folder })} />
        <Select label="Tag" value={options.tag} values={filters.tags} onChoose={(tag) => setOptions({ tag })} />
        <Select label="Type" value={options.type} values={filters.types} onChoose={(type) => setOptions({ type })} />
        <Check label="Notes without links" isOn={isOn('orphans')} onChange={(on) => setOptions({ orphans: on ? null : '0' })} />
        {/* A published site, which has no session, has notes alone. */}
        {session.value === null ? null : (
          <>
            <Check label="Unresolved links" isOn={isOn('unresolved')} onChange={(on) => setOptions({ unresolved: on ? '1' : null })} />
            <Check label="Attachments" isOn={isOn('attachments')} onChange={(on) => setOptions({ attachments: on ? '1' : null })} />
          </>
        )}
        <Check label="Arrows" isOn={isOn('arrows')} onChange={(on) => setOptions({ arrows: on ? '1' : null })} />
      </fieldset>
      <fieldset class="graph-choices">
        <legend>Colors</legend>
        <label class="graph-field">
          <span>Color by</span>
          <select
            aria-label="Color by"
            value={options.color}
            onChange={(event) => setOptions({ colour: event.currentTarget.value === 'community' ? null : event.currentTarget.value })}
          >
            {COLOR_BY_OPTIONS.map(([value, label]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
        </label>
        <ul class="graph-legend">
          {groups.map(({ label, count, color }) => (
            <li key={`${color} ${label}`}>
              <span class={`graph-dot graph-dot-${color < 0 ? 'plain' : color}`} />
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

/** Lists the folders, tags and types of the notes by name. If there are too many, only the most used ones. */
function listFilters({ nodes }: GraphData): {
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
