import { render } from 'preact';
import { startBase } from './shell/vault-path.ts';
import { startKeys } from './keys.ts';
import { Palette } from './palette/palette.tsx';
import { startRecentNotes } from './palette/recent-notes.ts';
import { connection, startLive } from './live.ts';
import { startRouter } from './router.ts';
import { access, findToken } from './session.ts';
import { startTheme } from './theme.ts';
import { Dialogs } from './parts/dialog.tsx';
import { provideLiveBlocks } from './parts/live-blocks.ts';
import { provideDiagrams } from './parts/media/diagrams.ts';
import { KeyHelp } from './shell/key-help.tsx';
import { Navigation } from './shell/navigation.tsx';
import { Previews } from './parts/preview.tsx';
import { SignIn } from './shell/sign-in.tsx';
import { Loading } from './parts/states.tsx';
import { Toasts } from './parts/toast.tsx';
import { NewNoteDialog, startNewNotes } from './views/note/edit/new-note.tsx';
import { startPageCommands } from './shell/page-commands.ts';
import { StatusLine } from './shell/status-line.tsx';
import { CurrentView } from './shell/current-view.tsx';

await findToken();
startBase();
startTheme();
startRouter();
startPageCommands();
startKeys();
startNewNotes();
startRecentNotes();
startLive();
provideDiagrams(async () => (await import('./parts/media/draw-diagram.ts')).drawDiagram);
provideLiveBlocks(async () => (await import('./views/files/show-block.tsx')).showBlock);
render(<App />, document.getElementById('page') ?? document.body);

/** The whole page: navigation, the current view, previews and dialogs. */
function App() {
  const state = access.value;
  if (state === 'needed' || state === 'refused') return <SignIn />;
  return (
    <>
      <a class="skip" href="#main">
        Skip to content
      </a>
      <Navigation />
      <StatusLine />
      <main id="main" tabIndex={-1}>
        {state === 'granted' ? <CurrentView /> : connection.value === 'gone' ? null : <Loading what="roux" />}
      </main>
      <Previews />
      <Palette />
      <KeyHelp />
      <Dialogs />
      <NewNoteDialog />
      <Toasts />
    </>
  );
}
