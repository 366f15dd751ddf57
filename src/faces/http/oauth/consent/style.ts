/**
 * The style of the consent page: colours, type and controls of the page (`src/page/browser/style`), in the theme of the system, as the page
 * runs no script that could know another choice.
 */
export const STYLE = `
:root {
  color-scheme: light dark;
  --paper: #fcfbf8; --surface: #fff; --sunken: #f3f1ec; --ink: #24221f; --ink-soft: #5b5750; --line: #dedad1; --line-strong: #938c7f;
  --accent: #8a4b1d; --accent-strong: #6f3a13; --accent-soft: #f6e9dd; --on-accent: #fff; --warn: #7d5700; --warn-soft: #fbefcf;
  --bad: #a3262a; --bad-soft: #fae4e3;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #1a1918; --surface: #232120; --sunken: #141312; --ink: #e4dfd6; --ink-soft: #aaa399; --line: #393633; --line-strong: #7c756b;
    --accent: #e0a070; --accent-strong: #efb88d; --accent-soft: #3a2a1e; --on-accent: #201307; --warn: #e6c067; --warn-soft: #39300f;
    --bad: #f0928e; --bad-soft: #412021;
  }
}
*, *::before, *::after { box-sizing: border-box; }
html { font: 0.9375rem/1.5 system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', 'Noto Sans', 'Liberation Sans', Arial, sans-serif; }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 1.5rem 1rem; background: var(--paper); color: var(--ink); }
main { width: min(30rem, 100%); overflow-wrap: anywhere; }
.brand { margin: 0 0 1.5rem; color: var(--ink-soft); font-weight: 600; }
h1 { margin: 0 0 1rem; font-size: 1.375rem; line-height: 1.3; }
p { margin: 0 0 1rem; }
.quiet { display: block; color: var(--ink-soft); font-size: 0.8125rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0.5rem 1rem; margin: 0 0 1rem; padding: 0.75rem 1rem;
  border: 1px solid var(--line); border-radius: 10px; background: var(--surface); }
dt { color: var(--ink-soft); }
dd { margin: 0; }
form { display: flex; flex-direction: column; gap: 1.25rem; }
fieldset { margin: 0; padding: 0; border: 0; min-width: 0; }
input + .quiet { margin-top: 0.375rem; }
legend, label.title { padding: 0; margin-bottom: 0.25rem; font-weight: 600; display: block; }
.choice { display: flex; gap: 0.5rem; align-items: flex-start; padding: 0.35rem 0; cursor: pointer; }
.choice input { flex: none; width: 1.125rem; height: 1.125rem; margin: 0.15em 0 0; accent-color: var(--accent); }
input[type='text'], input[type='password'] { width: 100%; min-height: 2.5rem; padding: 0.35rem 0.7rem; border: 1px solid var(--line-strong);
  border-radius: 6px; background: var(--surface); color: inherit; font: inherit; }
.buttons { display: flex; flex-wrap: wrap; gap: 0.75rem; }
button { flex: 1 1 8rem; min-height: 2.75rem; padding: 0.5rem 1rem; border: 1px solid var(--line-strong); border-radius: 6px;
  background: var(--surface); color: var(--ink); font: inherit; text-align: center; cursor: pointer; }
button:hover { background: var(--sunken); }
button.primary { border-color: var(--accent); background: var(--accent); color: var(--on-accent); }
button.primary:hover { background: var(--accent-strong); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
a { color: var(--accent); }
.failure, .care { padding: 0.75rem 1rem; border: 1px solid; border-radius: 6px; margin: 0 0 1rem; }
.failure { border-color: var(--bad); background: var(--bad-soft); color: var(--bad); }
.care { border-color: var(--warn); background: var(--warn-soft); color: var(--warn); }
@media (width < 26rem) {
  dl { grid-template-columns: 1fr; gap: 0; }
  dd + dt { margin-top: 0.5rem; }
}
`;
