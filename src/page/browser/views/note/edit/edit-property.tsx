import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { ApiError, callOperation } from '../../../api.ts';
import { describeFailedChange } from '../../../parts/failed-change.ts';
import { useDraft } from '../../../parts/fields/drafts.ts';
import { showToast } from '../../../parts/toast.tsx';
import type { Result } from '../../../operations.ts';
import { CodeSuggestions } from './code-suggestions.tsx';

type Source = Result<'page_properties'>;
type Kind = Source['properties'][number]['kind'];
type Value = Source['properties'][number]['value'];

const KIND_NAMES: readonly (readonly [Kind, string])[] = [
  ['text', 'Text'],
  ['list', 'List'],
  ['number', 'Number'],
  ['checkbox', 'Checkbox'],
  ['date', 'Date'],
  ['datetime', 'Date and time'],
];

/** Edits a property in its place, or a new one if `name` is null. */
export function EditProperty({
  path,
  source,
  name,
  onDone: close,
}: {
  /** Where the note is now. */
  readonly path: string;
  /** The properties as they were when this was opened. */
  readonly source: Source;
  readonly name: string | null;
  readonly onDone: () => void;
}) {
  const { before, key, setKey, kind, setKind, text, setText, forget } = usePropertyDraft(source, name);
  const [failure, setFailure] = useState<string | null>(null);
  const form = useRef<HTMLFormElement>(null);
  useLayoutEffect(() => form.current?.querySelector<HTMLElement>('input, textarea')?.focus(), []);
  const onDone = (): void => {
    forget();
    close();
  };
  const write = async (value: Value): Promise<void> => {
    try {
      await writeProperty({ path, source, key: name ?? key.trim(), value });
      onDone();
    } catch (error) {
      setFailure(error instanceof PropertyError ? error.message : describeFailedChange(error, true));
    }
  };
  const save = (): void => {
    if (key.trim() === '') return setFailure('Give the property a name.');
    if (name === null && source.properties.some((each) => each.key === key.trim()))
      return setFailure('The note has this property already.');
    // What nobody changed stays as it is written: `0123`, `1.10`.
    if (before !== undefined && text === toText(before.value)) return onDone();
    const value = toValue(kind, text, before?.value ?? null);
    if (value === undefined) return setFailure('This is no number that can be kept to its last digit.');
    void write(value);
  };
  return (
    <form
      ref={form}
      class="edit-property"
      onSubmit={(event: Event) => {
        event.preventDefault();
        save();
      }}
      onKeyDown={(event: KeyboardEvent) => {
        if (event.key !== 'Escape') return;
        event.preventDefault();
        onDone();
      }}
    >
      {name !== null ? null : (
        <>
          <input
            type="text"
            dir="auto"
            aria-label="Name of the property"
            placeholder="Name"
            value={key}
            onInput={(event) => {
              setKey(event.currentTarget.value);
              setKind(source.types[event.currentTarget.value.trim()] ?? kind);
            }}
          />
          <select aria-label="Kind of property" value={kind} onChange={(event) => setKind(event.currentTarget.value)}>
            {KIND_NAMES.map(([each, label]) => (
              <option key={each} value={each}>
                {label}
              </option>
            ))}
          </select>
        </>
      )}
      <ValueField kind={kind} label={name === null ? 'Value' : `Value of ${name}`} text={text} setText={setText} />
      {(name ?? key.trim()) === 'applies_to' ? <CodeSuggestions path={path} text={text} setText={setText} /> : null}
      <div class="edit-property-buttons">
        <button type="submit" class="primary">
          Save
        </button>
        <button type="button" onClick={onDone}>
          Cancel
        </button>
        {name === null ? null : (
          <button type="button" class="quiet-button" onClick={() => void write(null)}>
            Remove
          </button>
        )}
      </div>
      {failure === null ? null : (
        <p class="failure" role="alert">
          {failure}
        </p>
      )}
    </form>
  );
}

/** What is typed for a property, which stays until it is saved or cancelled. */
function usePropertyDraft(source: Source, name: string | null) {
  const before = source.properties.find(({ key }) => key === name);
  const form = `property ${source.path} ${name ?? ''}`;
  const [key, setKey, forgetKey] = useDraft(form, 'name', name ?? '');
  const [kind, setKind, forgetKind] = useDraft(form, 'kind', before?.kind ?? 'text');
  const [text, setText, forgetText] = useDraft(form, 'value', toText(before?.value ?? null));
  const forget = (): void => {
    for (const each of [forgetKey, forgetKind, forgetText]) each();
  };
  return { before, key, setKey, kind: kind as Kind, setKind, text, setText, forget };
}

function ValueField({
  kind,
  label,
  text,
  setText,
}: {
  readonly kind: Kind;
  readonly label: string;
  readonly text: string;
  readonly setText: (text: string) => void;
}) {
  const field = { dir: 'auto' as const, 'aria-label': label, value: text };
  if (kind === 'list') {
    const rows = Math.min(8, text.split('\n').length + 1);
    return <textarea {...field} rows={rows} placeholder="One item on each line" onInput={(event) => setText(event.currentTarget.value)} />;
  }
  if (kind === 'checkbox') {
    return (
      <label>
        <input
          type="checkbox"
          aria-label={label}
          checked={text === 'true'}
          onChange={(event) => setText(String(event.currentTarget.checked))}
        />{' '}
        Yes
      </label>
    );
  }
  if (kind === 'number')
    return <input {...field} type="text" inputMode="decimal" onInput={(event) => setText(event.currentTarget.value)} />;
  const onInput = (event: { readonly currentTarget: HTMLInputElement }): void => setText(event.currentTarget.value);
  if (text.includes('\n'))
    return <textarea {...field} rows={Math.min(8, text.split('\n').length + 1)} onInput={(event) => setText(event.currentTarget.value)} />;
  if (kind === 'date') return <input {...field} type="date" onInput={onInput} />;
  if (kind === 'datetime') return <input {...field} type="datetime-local" onInput={onInput} />;
  return <input {...field} type="text" placeholder="Value" onInput={onInput} />;
}

function toText(value: Value): string {
  return value === null ? '' : Array.isArray(value) ? value.map(String).join('\n') : String(value);
}

/** Returns the value for what was typed; undefined if it is none of its kind. */
function toValue(kind: Kind, text: string, before: Value): Exclude<Value, null> | undefined {
  switch (kind) {
    case 'number':
      return toNumber(text);
    case 'checkbox':
      return text === 'true';
    case 'list':
      return text
        .split('\n')
        .map((item) => item.trim())
        .filter((item) => item !== '')
        .map((item) => toItem(item, Array.isArray(before) ? before : []));
    default:
      return text;
  }
}

/** Returns the number of a text; undefined if it is none, or one with more digits than are kept. */
function toNumber(text: string): number | undefined {
  const number = Number(text);
  const isKept = Number.isFinite(number) && (!Number.isInteger(number) || Number.isSafeInteger(number));
  return text.trim() === '' || !isKept ? undefined : number;
}

/** Returns an item of a list, which is a number in a list of numbers, and what it was where it was there before. */
function toItem(item: string, before: readonly (string | number | boolean)[]): string | number | boolean {
  const known = before.find((each) => String(each).trim() === item);
  const isOfNumbers = before.length > 0 && before.every((each) => typeof each === 'number');
  return known ?? (isOfNumbers ? toNumber(item) : undefined) ?? item;
}

/** Why a property was not written, in words. */
class PropertyError extends Error {}

/** Writes a property, or removes it if `value` is null. Made again on a note that changed meanwhile, if this property did not. */
async function writeProperty({
  path,
  source,
  key,
  value,
}: {
  readonly path: string;
  readonly source: Source;
  readonly key: string;
  readonly value: Value;
}): Promise<void> {
  let { etag } = source;
  const valueIn = ({ properties }: Source): Value => properties.find((each) => each.key === key)?.value ?? null;
  for (let attempts = 0; ; attempts += 1) {
    try {
      const answer = await callOperation('update_node', { id: path, properties: { [key]: value }, if_match: etag });
      const [warning] = '_warnings' in answer ? (answer._warnings ?? []) : [];
      if (warning !== undefined && value !== null) showToast({ text: warning });
      return;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.code === 'INVALID_PARAMS') throw new PropertyError(error.message.replace(/^properties\.\S+: /, ''));
      if (error.code !== 'CONFLICT' || attempts === 3) throw error;
      const now = await callOperation('page_properties', { path });
      const theirs = valueIn(now);
      if (JSON.stringify(theirs) !== JSON.stringify(valueIn(source))) throw new PropertyError(describeOther(theirs));
      etag = now.etag;
    }
  }
}

/** Says what somebody else made of a property meanwhile. */
function describeOther(value: Value): string {
  const change = value === null ? 'removed this property meanwhile' : `changed this property meanwhile, to ${JSON.stringify(value)}`;
  return `Someone else ${change}. Close this and look at it again.`;
}
