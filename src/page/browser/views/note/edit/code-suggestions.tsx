import { useOperation } from '../../../use-operation.ts';

/** Suggestions that are shown. */
const MAX_SHOWN = 8;
/** Longest text that is looked up. */
const MAX_TYPED_CHARACTERS = 200;

/** Offers the paths of the repository that go on from the last line of `applies_to`. */
export function CodeSuggestions({
  path,
  text,
  setText,
}: {
  /** Of the note. */
  readonly path: string;
  readonly text: string;
  readonly setText: (text: string) => void;
}) {
  const start = text.lastIndexOf('\n') + 1;
  const typed = text.slice(start).trim();
  const args = typed.length > MAX_TYPED_CHARACTERS ? null : ({ path, kind: 'value', of: 'applies_to', typed } as const);
  const { value } = useOperation('complete_text', args, () => false);
  const labels = (value?.completions ?? []).map(({ label }) => label).filter((label) => label !== typed);
  if (labels.length === 0) return null;
  return (
    <ul class="code-suggestions" aria-label="Paths of the repository">
      {labels.slice(0, MAX_SHOWN).map((label) => (
        <li key={label}>
          <button
            type="button"
            class="quiet-button"
            onClick={(event) => {
              setText(text.slice(0, start) + label);
              event.currentTarget.form?.querySelector<HTMLElement>('textarea, input[type="text"]:last-of-type')?.focus();
            }}
          >
            <bdi>{label}</bdi>
          </button>
        </li>
      ))}
    </ul>
  );
}
