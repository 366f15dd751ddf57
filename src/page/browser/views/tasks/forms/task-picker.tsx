import { useId, useRef, useState } from 'preact/hooks';
import { STATES } from '../board.ts';
import type { BoardTask, TaskRef } from '../board.ts';

/** Tasks that are offered at once. */
const MAX_OFFERED = 8;

/** Chooses tasks by typing a part of their summaries. `isSingle`: choosing another replaces the chosen one. */
export function TaskPicker({
  label,
  hint,
  tasks,
  chosen,
  onChange,
  isSingle = false,
}: {
  readonly label: string;
  readonly hint: string;
  readonly tasks: readonly BoardTask[];
  readonly chosen: readonly TaskRef[];
  readonly onChange: (chosen: readonly TaskRef[]) => void;
  readonly isSingle?: boolean;
}) {
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  const [text, setText] = useState('');
  const [isOpen, setOpen] = useState(false);
  const [at, setAt] = useState(0);
  const offered = isOpen ? findTasks(tasks, text, chosen) : [];
  const active = offered[Math.min(at, offered.length - 1)];
  const choose = (task: TaskRef): void => {
    onChange(isSingle ? [task] : [...chosen, task]);
    setText('');
    setOpen(false);
    setAt(0);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      if (isOpen)
        setAt((Math.min(at, offered.length - 1) + (event.key === 'ArrowDown' ? 1 : -1) + offered.length) % Math.max(1, offered.length));
      else setOpen(true);
    } else if (event.key === 'Enter' && active !== undefined) choose(active);
    else if (event.key === 'Escape' && isOpen) setOpen(false);
    else if (event.key === 'Backspace' && text === '' && chosen.length > 0) onChange(chosen.slice(0, -1));
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div class="field picker">
      <label for={id}>{label}</label>
      <Chosen
        tasks={chosen}
        onRemove={(task) => {
          onChange(chosen.filter(({ id: other }) => other !== task.id));
          field.current?.focus();
        }}
      />
      <input
        id={id}
        ref={field}
        dir="auto"
        role="combobox"
        autocomplete="off"
        aria-autocomplete="list"
        aria-expanded={offered.length > 0}
        aria-controls={`${id}-list`}
        aria-activedescendant={active === undefined ? undefined : `${id}-${active.id}`}
        aria-describedby={`${id}-hint`}
        placeholder="Type a part of its summary"
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value);
          setOpen(true);
          setAt(0);
        }}
        onKeyDown={onKeyDown}
        onBlur={() => setOpen(false)}
      />
      <Offered id={id} label={label} tasks={offered} active={active} onChoose={choose} />
      <span id={`${id}-hint`} class="quiet">
        {hint}
      </span>
    </div>
  );
}

function Chosen({ tasks, onRemove }: { readonly tasks: readonly TaskRef[]; readonly onRemove: (task: TaskRef) => void }) {
  if (tasks.length === 0) return null;
  return (
    <ul class="picker-chosen">
      {tasks.map((task) => (
        <li key={task.id}>
          <span dir="auto">{task.summary}</span>
          <button type="button" class="quiet-button" aria-label={`Remove ${task.summary}`} onClick={() => onRemove(task)}>
            ✕
          </button>
        </li>
      ))}
    </ul>
  );
}

function Offered({
  id,
  label,
  tasks,
  active,
  onChoose,
}: {
  readonly id: string;
  readonly label: string;
  readonly tasks: readonly BoardTask[];
  readonly active: BoardTask | undefined;
  readonly onChoose: (task: BoardTask) => void;
}) {
  return (
    <ul id={`${id}-list`} class="picker-offered" role="listbox" aria-label={label} hidden={tasks.length === 0}>
      {tasks.map((task) => (
        <li
          key={task.id}
          id={`${id}-${task.id}`}
          role="option"
          dir="auto"
          aria-selected={task === active}
          // The field would lose the focus, and the list would be closed before the click.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onChoose(task)}
        >
          {task.summary} <span class="quiet">{STATES[task.state].word}</span>
        </li>
      ))}
    </ul>
  );
}

function findTasks(tasks: readonly BoardTask[], text: string, chosen: readonly TaskRef[]): readonly BoardTask[] {
  const words = text.trim().toLowerCase().split(/\s+/);
  const found: BoardTask[] = [];
  for (const task of tasks) {
    if (task.depth === 0 || chosen.some(({ id }) => id === task.id)) continue;
    const summary = task.summary.toLowerCase();
    if (words.every((word) => summary.includes(word)) && found.push(task) === MAX_OFFERED) break;
  }
  return found;
}
