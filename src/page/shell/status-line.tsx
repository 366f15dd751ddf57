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
  if (connection.value === 'gone') return 'The server cannot be reached. What you see may be out of date. The page reconnects by itself.';
  const state = vaultState.value;
  if (state === null) return null;
  const notes = state.notes.toLocaleString('en');
  if (!state.isReady) return state.notes === 0 ? 'Reading the vault…' : `Reading the vault: ${notes} notes so far.`;
  if (state.search === 'building') return 'The search index is being built. Until it is ready, search may miss notes.';
  return state.warnings[0] ?? null;
}
