import { connection, vaultState } from '../live.ts';

/** Says plainly what is not as it should be; nothing while all is well. */
export function StatusLine() {
  const text = statusText();
  return (
    <div class="status-line" role="status" aria-live="polite" data-shown={text !== null}>
      {text}
    </div>
  );
}

function statusText(): string | null {
  if (connection.value === 'gone')
    return 'The server cannot be reached. What you see may be old; the page goes on by itself when it is back.';
  const state = vaultState.value;
  if (state === null) return null;
  const notes = state.notes.toLocaleString('en');
  if (!state.isReady) return state.notes === 0 ? 'The vault is being read…' : `The vault is being read: ${notes} notes so far.`;
  if (state.search === 'building') return 'The search index is being built. Until then, search may find less.';
  return state.warnings[0] ?? null;
}
