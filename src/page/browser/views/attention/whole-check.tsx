import { useState } from 'preact/hooks';
import { callOperation } from '../../api.ts';
import { useOperation } from '../../use-operation.ts';
import type { Arguments, Result } from '../../operations.ts';
import { formatCount } from '../../parts/files/count.ts';
import { NoteLink } from '../../parts/note-link.tsx';
import { showToast } from '../../parts/toast.tsx';
import { describeError } from '../../parts/words/error-text.ts';
import { Failure } from '../../parts/states.tsx';
import { addressOfFile } from '../../router.ts';

/** Findings of an answer. */
const MAX_FINDINGS = 200;

type FindingKind = NonNullable<Arguments<'vault_health'>['kinds']>[number];

/** What a check of all notes finds besides the lists above, in order. */
const TITLES: ReadonlyMap<FindingKind, string> = new Map([
  ['vault', 'The vault as a whole'],
  ['journal', 'Unfinished writes'],
  ['index', 'Index'],
  ['conflict-copy', 'Conflict copies'],
  ['conflict-marker', 'Unfinished merges'],
  ['duplicate-id', 'Notes with the same id'],
  ['name-twin', 'Names that differ only by case'],
  ['missing-heading', 'Links to headings that are not there'],
  ['dead-anchor', 'Notes about code that is gone'],
  ['moved-anchor', 'Notes about code that was renamed'],
  ['unconfirmed', 'Notes not confirmed since their code changed'],
  ['duplicate', 'Notes with the same or similar text'],
  ['duplicate-singleton', 'More than one note of a type that may have one'],
  ['tags', 'Tags'],
  ['unreadable-line', 'Lines that could not be read'],
  ['task-cycle', 'Tasks that wait for each other'],
  ['ontology', 'Types of notes'],
  ['unknown-type', 'Unknown types'],
  ['fact', 'Facts'],
  ['episode', 'Episodes'],
  ['orders', 'Text that gives orders to an agent'],
  ['unused-attachment', 'Files that no note uses'],
]);

/** Checks all notes once, when it is first shown. */
export function WholeCheck() {
  const { value, error, isLoading, reload } = useOperation('vault_health', { kinds: [...TITLES.keys()], limit: MAX_FINDINGS }, () => false);
  if (error !== null) return <Failure error={error} reload={reload} />;
  if (value === null || isLoading) return <p role="status">Checking all notes…</p>;
  const kinds = [...TITLES].filter(([kind]) => (value.counts[kind] ?? 0) > 0);
  return (
    <>
      <p role="status">{kinds.length === 0 ? 'Nothing else was found.' : null}</p>
      {kinds.map(([kind, title]) => (
        <FoundKind
          key={kind}
          kind={kind}
          title={title}
          count={value.counts[kind] ?? 0}
          findings={value.findings.filter((finding) => finding.kind === kind)}
        />
      ))}
      <p>
        <button type="button" onClick={reload}>
          Check again
        </button>
      </p>
    </>
  );
}

function FoundKind(props: {
  readonly kind: FindingKind;
  readonly title: string;
  readonly count: number;
  readonly findings: Result<'vault_health'>['findings'];
}) {
  const { kind, title, count } = props;
  const [more, setMore] = useState<typeof props.findings>([]);
  const [isLoading, setLoading] = useState(false);
  const findings = [...props.findings, ...more];
  const showMore = async (): Promise<void> => {
    setLoading(true);
    try {
      const next = await callOperation('vault_health', { kinds: [kind], offset: findings.length, limit: MAX_FINDINGS });
      setMore([...more, ...next.findings]);
    } catch (error) {
      showToast({ text: describeError(error), isBad: true });
    } finally {
      setLoading(false);
    }
  };
  return (
    <details class="found-kind">
      <summary>
        {title} <span class="quiet">{count.toLocaleString('en')}</span>
      </summary>
      <ul class="attention-list">
        {findings.map(({ paths, message, fix }, index) => (
          <li key={index}>
            <p class="attention-text" dir="auto">
              {message}
            </p>
            <p class="attention-notes">
              {paths
                .filter((path) => !path.startsWith('.'))
                .map((path) =>
                  path.endsWith('.md') ? (
                    <NoteLink key={path} path={path} />
                  ) : (
                    <a key={path} href={addressOfFile(path)} dir="auto">
                      {path}
                    </a>
                  ),
                )}
              {fix === undefined ? null : (
                <span class="quiet">
                  <code>roux doctor --fix</code> repairs it: {fix}
                </span>
              )}
            </p>
          </li>
        ))}
      </ul>
      {count > findings.length ? (
        <p>
          <button type="button" disabled={isLoading} onClick={() => void showMore()}>
            {isLoading ? 'Checking…' : `Show ${formatCount(count - findings.length, 'more', 'more')}`}
          </button>
        </p>
      ) : null}
    </details>
  );
}
