import { useEffect, useRef, useState } from 'preact/hooks';
import { listCommands, nameKey } from '../commands.ts';
import { useModal } from '../parts/dialog.tsx';
import { showFailedChange } from '../parts/failed-change.ts';
import { formatCount } from '../parts/files/count.ts';
import { Icon } from '../parts/icon.tsx';
import { MarkedText } from '../parts/marked-text.tsx';
import { describeError } from '../parts/words/error-text.ts';
import { navigate, noteAddress, searchAddress } from '../router.ts';
import { canWrite } from '../session.ts';
import { useOperation } from '../use-operation.ts';
import { listOptions } from './palette-options.ts';
import type { Option, OptionGroup } from './palette-options.ts';
import { isPaletteOpen } from './palette-state.ts';
import { listRecentNotes } from './recent-notes.ts';
import { createNote } from '../views/note/edit/new-note.tsx';

const MAX_NOTES = 12;
const MAX_QUERY_CHARACTERS = 300;

/** Finds notes by their names, and commands, over any view. */
export function Palette() {
  return isPaletteOpen.value ? <OpenPalette /> : null;
}

function close(): void {
  isPaletteOpen.value = false;
}

/** The text of the field, the lines for it, which of them is chosen, and what keys do. */
function useChoice() {
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState({ at: 0, text: '' });
  /** The text on which Enter was pressed before the notes with such a name were known. */
  const [awaited, setAwaited] = useState<string | null>(null);
  const [recent] = useState(listRecentNotes);

  const query = text.trim();
  const isForCommands = query.startsWith('>');
  const { value, error, isCurrent } = useOperation(
    'find_titles',
    isForCommands ? null : { query, limit: MAX_NOTES, ...(query === '' ? { recent: [...recent] } : {}) },
    // What is offered stays where it is while one chooses, unless it was not all.
    ({ isRead }) => isRead === true,
  );
  const isKnown = isForCommands || isCurrent;
  const groups = listOptions(text, { found: isForCommands ? null : value, commands: listCommands(), canCreate: canWrite() && isKnown });
  const options = groups.flatMap((group) => group.options);
  const active = chosen.text === text ? Math.min(chosen.at, options.length - 1) : 0;
  const choose = (option: Option | undefined): void => {
    if (option === undefined) return;
    close();
    // After the dialog has given the focus back, so that the command can move it.
    setTimeout(() => void runOption(option));
  };
  const move = (by: number): void => setChosen({ at: (active + by + options.length) % Math.max(1, options.length), text });
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.isComposing) return;
    const isToggle = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k';
    if (event.key === 'ArrowDown') move(1);
    else if (event.key === 'ArrowUp') move(-1);
    else if (event.key === 'PageDown') setChosen({ at: options.length - 1, text });
    else if (event.key === 'PageUp') setChosen({ at: 0, text });
    else if (event.key === 'Enter' && isKnown) choose(options[active]);
    else if (event.key === 'Enter') setAwaited(text);
    else if (isToggle) close();
    else return;
    event.preventDefault();
  };
  useEffect(() => {
    if (awaited === null || (awaited === text && !isKnown && error === null)) return;
    setAwaited(null);
    if (awaited === text) choose(options[0]);
  });
  return { text, setText, groups, active, error, isKnown, choose, onKeyDown };
}

function OpenPalette() {
  const dialog = useRef<HTMLDialogElement>(null);
  useModal(dialog);
  const { text, setText, groups, active, error, isKnown, choose, onKeyDown } = useChoice();
  const count = groups.reduce((sum, { options }) => sum + options.length, 0);
  useEffect(() => {
    dialog.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' });
  }, [active, text]);
  return (
    <dialog
      ref={dialog}
      class="palette"
      aria-label="Find a note or a command"
      onCancel={(event: Event) => {
        event.preventDefault();
        close();
      }}
      onClick={(event: MouseEvent) => {
        // A click on the dialog element itself is a click on the backdrop.
        if (event.target === dialog.current) close();
      }}
    >
      <div class="palette-field">
        <Icon name="search" />
        <input
          role="combobox"
          autofocus
          aria-label="Find a note or a command"
          aria-expanded={count > 0}
          aria-controls="palette-options"
          aria-autocomplete="list"
          aria-activedescendant={active >= 0 ? `palette-${active}` : undefined}
          placeholder="Find a note, or > for commands"
          enterkeyhint="go"
          autocomplete="off"
          spellcheck={false}
          dir="auto"
          maxLength={MAX_QUERY_CHARACTERS}
          value={text}
          onInput={(event: Event) => setText((event.currentTarget as HTMLInputElement).value)}
          onKeyDown={onKeyDown}
        />
        <button type="button" class="icon-button" aria-label="Close" onClick={close}>
          <Icon name="close" />
        </button>
      </div>
      {error === null ? null : (
        <p class="palette-note" role="alert">
          Notes cannot be found now. {describeError(error)}
        </p>
      )}
      <p class="visually-hidden" role="status">
        {isKnown ? formatCount(count, 'result') : ''}
      </p>
      <Options groups={groups} active={active} onChoose={choose} />
      {count === 0 && isKnown ? <p class="palette-note">No command has these words.</p> : null}
    </dialog>
  );
}

function Options(props: { readonly groups: readonly OptionGroup[]; readonly active: number; readonly onChoose: (option: Option) => void }) {
  const { groups, active, onChoose } = props;
  let at = -1;
  return (
    <div role="listbox" id="palette-options" class="palette-options" aria-label="Found" tabIndex={-1}>
      {groups.map(({ label, options }) => (
        <div role="group" aria-label={label} key={label}>
          <div class="palette-group" role="presentation">
            {label}
          </div>
          {options.map((option) => {
            at += 1;
            return <Line key={option.id} option={option} id={`palette-${at}`} isActive={at === active} onChoose={() => onChoose(option)} />;
          })}
        </div>
      ))}
    </div>
  );
}

function Line(props: { readonly option: Option; readonly id: string; readonly isActive: boolean; readonly onChoose: () => void }) {
  const { option, id, isActive, onChoose } = props;
  const { label, marks, aside, icon, keys } = option;
  return (
    // The field keeps the focus, and with it the on-screen keyboard.
    <div
      role="option"
      id={id}
      class="palette-option"
      aria-selected={isActive}
      onMouseDown={(event) => event.preventDefault()}
      onClick={onChoose}
    >
      <Icon name={icon} />
      <span class="palette-label" dir="auto">
        <MarkedText text={label} marks={marks} />
      </span>
      {aside === '' ? null : (
        <span class="palette-aside quiet">
          <bdi>{aside}</bdi>
        </span>
      )}
      {keys.length === 0 ? null : (
        <span class="palette-keys" aria-hidden="true">
          {keys.map((key, index) => (
            <kbd key={index}>{nameKey(key)}</kbd>
          ))}
        </span>
      )}
    </div>
  );
}

async function runOption({ action }: Option): Promise<void> {
  if (action.kind === 'note') return navigate(noteAddress(action.path));
  if (action.kind === 'search') return navigate(searchAddress(action.query));
  if (action.kind === 'create') return createNote(action.title).catch(showFailedChange);
  await action.command.run();
}
