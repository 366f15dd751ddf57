/** The priority of a task, as text. */
export function PriorityField({ value, onChange }: { readonly value: string; readonly onChange: (value: string) => void }) {
  return (
    <label class="field field-short">
      Priority
      <input type="number" step="any" value={value} onInput={(event) => onChange(event.currentTarget.value)} />
      <span class="quiet">A higher number is taken first; empty is 0.</span>
    </label>
  );
}
