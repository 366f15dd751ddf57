/** A choice among values. `label`: for screen readers. An empty value means that nothing is chosen. */
export function Select({
  label,
  value,
  choices,
  onChoose,
}: {
  readonly label: string;
  readonly value: string;
  readonly choices: readonly (readonly [value: string, text: string])[];
  readonly onChoose: (value: string) => void;
}) {
  return (
    <select aria-label={label} value={value} data-chosen={value !== ''} onChange={(event) => onChoose(event.currentTarget.value)}>
      {choices.map(([each, text]) => (
        <option key={each} value={each}>
          {text}
        </option>
      ))}
    </select>
  );
}
