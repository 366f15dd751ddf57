import { connection, vaultState } from '../live.ts';
import { session } from '../session.ts';

/** Shows a problem with the connection or the vault; empty if there is none. */
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
  if (state === null) return describeOtherServer();
  if ('error' in state) return state.error;
  const notes = state.notes.toLocaleString('en');
  if (!state.isReady) return state.notes === 0 ? 'Reading the vault…' : `Reading the vault: ${notes} notes so far.`;
  if (state.search === 'building') return 'The search index is being built. Until it is ready, search may miss notes.';
  return state.warnings[0] ?? describeOtherServer();
}

/** Two servers see the same notes, but two pages in two tabs are easily taken for two vaults. */
function describeOtherServer(): string | null {
  const other = session.value?.otherServer ?? null;
  return other === null ? null : `This vault is also served at ${other}. Both show the same notes; one of them can be stopped.`;
}
