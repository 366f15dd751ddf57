import { effect } from '@preact/signals';
import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiError } from '../../../api.ts';
import { nameKey } from '../../../commands.ts';
import { lastChange } from '../../../live.ts';
import { Dialog } from '../../../parts/dialog.tsx';
import { usePageTitle } from '../../../parts/page-title.ts';
import { Failure, Loading } from '../../../parts/states.tsx';
import { Time } from '../../../parts/time.tsx';
import type { CodeEditor } from './code/code-editor.ts';
import { DiskNotice } from './disk-notice.tsx';
import { EditSession } from './edit-session.ts';
import { closeEditor, openEditor } from './open-editor.ts';

/** Time without typing after which the draft is stored. */
const STORE_MS = 300;

/** Edits a note, or the section with an anchor, as Markdown. */
export function EditView({ path, anchor }: { readonly path: string; readonly anchor: string }) {
  const { session, host, state, reload } = useSession(path, anchor);
  const [isAsking, setAsking] = useState(false);
  usePageTitle(`Edit ${session.title === '' ? path.replace(/^.*\//, '') : session.title}`);
  const close = (): void => closeEditor(session.path, anchor);
  const save = async (isFinal: boolean): Promise<void> => {
    if ((await session.save()) && isFinal) close();
  };
  const leave = (): void => {
    session.store();
    if (session.isDirty.value) setAsking(true);
    else close();
  };
  actions.current = { save: (isFinal) => void save(isFinal), leave };
  if (state.kind === 'failed') {
    return (
      <section class="empty">
        <h1 dir="auto">{path.replace(/^.*\//, '')}</h1>
        <Failure error={state.error} reload={reload} />
        <button type="button" onClick={close}>
          Back to the note
        </button>
      </section>
    );
  }
  return (
    <section class="edit-view">
      <Toolbar session={session} isOpen={state.kind === 'open'} save={() => void save(true)} leave={leave} />
      <DraftNotice session={session} close={close} />
      <DiskNotice session={session} />
      {state.kind === 'loading' ? <Loading what="the editor" /> : null}
      <div ref={host} class="edit-text" />
      <p class="quiet edit-keys">
        <kbd>{nameKey('Mod')}</kbd> <kbd>S</kbd> saves, <kbd>{nameKey('Mod')}</kbd> <kbd>Enter</kbd> saves and closes, <kbd>Esc</kbd>{' '}
        closes. <kbd>Tab</kbd> indents in lists and leaves the text elsewhere.
      </p>
      {isAsking ? (
        <LeaveDialog
          onStay={() => {
            setAsking(false);
            session.editor.focus();
          }}
          onDiscard={() => {
            session.discard();
            close();
          }}
          onSave={() => {
            setAsking(false);
            void save(true);
          }}
        />
      ) : null}
    </section>
  );
}

/** What the keys of the open editor do. Only one editor is open at a time. */
const actions: { current: { readonly save: (isFinal: boolean) => void; readonly leave: () => void } | null } = { current: null };

type ViewState = { readonly kind: 'loading' } | { readonly kind: 'open' } | { readonly kind: 'failed'; readonly error: ApiError };

/** Opens a session with its editor, follows the vault, and stores what was typed. */
function useSession(path: string, anchor: string) {
  const [session, setSession] = useState(() => new EditSession(path));
  const [state, setState] = useState<ViewState>({ kind: 'loading' });
  const host = useRef<HTMLDivElement>(null);
  useEffect(() => {
    let editor: CodeEditor | null = null;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isClosed = false;
    const store = (): void => {
      clearTimeout(timer);
      session.store();
    };
    openInto(session, { anchor, host, isClosed: () => isClosed })
      .then(({ openCodeEditor, element }) => {
        if (element === null) return;
        editor = openCodeEditor({
          host: element,
          path: session.path,
          label: `Text of ${session.heading ?? session.title}`,
          text: session.initialText,
          onChange() {
            session.typed();
            clearTimeout(timer);
            timer = setTimeout(store, STORE_MS);
          },
          onSave: (isFinal) => actions.current?.save(isFinal),
          onEscape: () => actions.current?.leave(),
        });
        session.editor = editor;
        setState({ kind: 'open' });
        editor.focus();
        if (session.draftAt.value !== null) void session.compare().catch(() => undefined);
      })
      .catch((error: unknown) => {
        const failure = error instanceof ApiError ? error : new ApiError(String(error), { code: 'ERROR', status: 0 });
        if (!isClosed) setState({ kind: 'failed', error: failure });
      });
    const stopFollowing = followChanges(session);
    // Also where the focus is not in the text.
    const onKey = (event: KeyboardEvent): void => {
      const isSave = (event.ctrlKey || event.metaKey) && !event.altKey && (event.key === 's' || event.key === 'Enter');
      if (!isSave || event.defaultPrevented || document.querySelector('dialog[open]') !== null) return;
      event.preventDefault();
      actions.current?.save(event.key === 'Enter');
    };
    document.addEventListener('keydown', onKey);
    const warn = (event: BeforeUnloadEvent): void => {
      store();
      if (session.isDirty.value) event.preventDefault();
    };
    addEventListener('beforeunload', warn);
    addEventListener('pagehide', store);
    return () => {
      isClosed = true;
      document.removeEventListener('keydown', onKey);
      removeEventListener('beforeunload', warn);
      removeEventListener('pagehide', store);
      stopFollowing();
      store();
      editor?.close();
    };
  }, [session]);
  const reload = (): void => {
    setState({ kind: 'loading' });
    setSession(new EditSession(path));
  };
  return { session, host, state, reload };
}

/** Fetches the text, and the code of the editor, which is loaded only when it is needed. */
async function openInto(
  session: EditSession,
  {
    anchor,
    host,
    isClosed,
  }: { readonly anchor: string; readonly host: RefObject<HTMLDivElement | null>; readonly isClosed: () => boolean },
) {
  const [{ openCodeEditor }] = await Promise.all([import('./code/code-editor.ts'), session.open(anchor)]);
  return { openCodeEditor, element: isClosed() ? null : host.current };
}

/** Compares when the note may have changed on disk. Returns a function that ends this. */
function followChanges(session: EditSession): () => void {
  let seen = lastChange.peek();
  return effect(() => {
    const change = lastChange.value;
    if (change === null || change === seen) return;
    seen = change;
    // A note that was moved is gone from the path that is known.
    if (change.paths !== null && !change.isListChanged && !change.paths.includes(session.path)) return;
    if (!session.isSaving.peek()) void session.compare().catch(() => undefined);
  });
}

function Toolbar({
  session,
  isOpen,
  save,
  leave,
}: {
  readonly session: EditSession;
  readonly isOpen: boolean;
  readonly save: () => void;
  readonly leave: () => void;
}) {
  const [isDirty, isSaving, outcome] = [session.isDirty.value, session.isSaving.value, session.outcome.value];
  const isBad = outcome?.isBad === true || (isDirty && !session.isStored.value);
  const said = isSaving
    ? 'Saving…'
    : (outcome?.text ??
      (isDirty ? (session.isStored.value ? 'Not saved yet' : 'Not saved yet, and too long to be kept over a reload') : ''));
  return (
    <header class="edit-bar">
      <h1 dir="auto">{session.heading === null ? session.title : `${session.title} › ${session.heading}`}</h1>
      <span role="status" class={isBad ? 'edit-state bad' : 'edit-state quiet'}>
        {said}
      </span>
      {session.heading === null || isDirty ? null : (
        <button type="button" class="quiet-button" onClick={() => openEditor(session.path)}>
          Whole note
        </button>
      )}
      <button type="button" onClick={leave}>
        {isDirty ? 'Cancel' : 'Close'}
      </button>
      <button type="button" class="primary" disabled={!isOpen || isSaving} onClick={save}>
        Save
      </button>
    </header>
  );
}

function DraftNotice({ session, close }: { readonly session: EditSession; readonly close: () => void }) {
  const at = session.draftAt.value;
  if (at === null) return null;
  return (
    <div class="notice edit-notice" role="status">
      <p>
        This is what you typed <Time at={new Date(at).toISOString()} /> and did not save.
      </p>
      <button
        type="button"
        onClick={() => {
          session.discard();
          close();
        }}
      >
        Discard it
      </button>
      <button type="button" class="quiet-button" onClick={() => (session.draftAt.value = null)}>
        Go on with it
      </button>
    </div>
  );
}

function LeaveDialog({
  onStay,
  onDiscard,
  onSave,
}: {
  readonly onStay: () => void;
  readonly onDiscard: () => void;
  readonly onSave: () => void;
}) {
  return (
    <Dialog title="Save your changes?" onClose={onStay}>
      <p>What you typed is not in the note yet.</p>
      <div class="dialog-buttons">
        <button type="button" class="danger" onClick={onDiscard}>
          Discard
        </button>
        <button type="button" autoFocus onClick={onStay}>
          Keep editing
        </button>
        <button type="button" class="primary" onClick={onSave}>
          Save
        </button>
      </div>
    </Dialog>
  );
}
