import { render } from 'preact';
import { App } from './app.tsx';
import { startKeys } from './keys.ts';
import { startLive } from './live.ts';
import { startRouter } from './router.ts';
import { takeTokenFromAddress } from './session.ts';
import { startTheme } from './theme.ts';

await takeTokenFromAddress();
startTheme();
startRouter();
startKeys();
startLive();
render(<App />, document.getElementById('page') ?? document.body);
