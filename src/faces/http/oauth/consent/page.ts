import { createHash } from 'node:crypto';
import { html, raw } from 'hono/html';
import type { HtmlEscapedString } from 'hono/utils/html';
import { visibleLine } from '../../../../terminal-text.ts';
import type { Client } from '../clients.ts';
import { describeTarget } from '../redirects.ts';
import type { Scope } from '../scopes.ts';
import { STYLE } from './style.ts';

type Html = HtmlEscapedString | Promise<HtmlEscapedString>;

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');
/** Made apart from the document, whose layout must not change what is hashed. */
const STYLE_ELEMENT = raw(`<style>${STYLE}</style>`);

/** Nothing of the page runs or is fetched, its form goes back to the server alone, and no page can hold it in a frame. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${STYLE_HASH}'`,
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/**
 * The headers of all pages of OAuth. There is no `Cross-Origin-Opener-Policy`: clients open the page in a window of their own and wait for
 * what comes back to it. With the referrer policy `no-referrer`, browsers would send `Origin: null` with the form.
 */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'Content-Security-Policy': CONTENT_SECURITY_POLICY,
  'Content-Type': 'text/html; charset=utf-8',
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
};

/** What the owner is asked. */
export interface Question {
  /** The id of the request, which the form sends back. */
  readonly id: string;
  /** Where the form goes: a path. */
  readonly action: string;
  /** The public address of this server, without the scheme. */
  readonly server: string;
  readonly client: Client;
  readonly redirectUri: string;
  /** What may be allowed, from the least to the most, and what is chosen. */
  readonly scopes: readonly Scope[];
  readonly scope: Scope;
  /** What the server itself does not allow, as a sentence; null: nothing. */
  readonly limit: string | null;
  readonly folders: string;
  /** Why the last answer was not taken; null for the first time. */
  readonly problem: { readonly field: 'password' | 'folders'; readonly text: string } | null;
}

const MEANINGS: Readonly<Record<Scope, { readonly title: string; readonly text: string }>> = {
  read: { title: 'Read', text: 'Search and read notes and tasks.' },
  write: { title: 'Read and write', text: 'Also create, change, move and delete notes and tasks. You can undo what it does.' },
  admin: { title: 'Everything', text: 'Also empty and repair the vault.' },
};

/** Returns the page that asks the owner. All text of the client is untrusted. */
export function consentPage(question: Question): Html {
  const { id, action, server, client, redirectUri, scopes, scope, limit, folders, problem } = question;
  const name = shownName(client);
  const target = describeTarget(redirectUri);
  const describe = (field: 'password' | 'folders', hint: string) =>
    problem?.field === field
      ? raw(`aria-invalid="true" aria-describedby="problem${hint}"`)
      : raw(hint === '' ? '' : `aria-describedby="${hint.trim()}"`);
  return frame(
    `Give access to ${name}`,
    html`<h1>Let ${name} work with your notes?</h1>
      <dl>
        <dt>Program</dt>
        <dd>
          ${name}
          <span class="quiet"
            >${client.host === null ? 'It chose this name itself; nobody has checked it.' : html`Described by ${client.host}.`}</span
          >
        </dd>
        <dt>Access goes to</dt>
        <dd>
          <strong>${visibleLine(target.name)}</strong>
          <span class="quiet">${target.isOnMachine ? 'A program on the computer that shows this page.' : 'A server on the internet.'}</span>
        </dd>
        <dt>Your server</dt>
        <dd>${server}</dd>
      </dl>
      <p class="care">Go on only if you have just asked this program to connect.</p>
      ${problem === null ? '' : html`<p class="failure" role="alert" id="problem">${problem.text}</p>`}
      <form method="post" action="${action}">
        <input type="hidden" name="request" value="${id}" />
        <fieldset>
          <legend>What it may do</legend>
          ${scopes.map(
            (choice) =>
              html`<label class="choice">
                <input type="radio" name="scope" value="${choice}" ${choice === scope ? raw('checked') : ''} />
                <span>${MEANINGS[choice].title}<span class="quiet">${MEANINGS[choice].text}</span></span>
              </label>`,
          )}
          ${limit === null ? '' : html`<span class="quiet">${visibleLine(limit)}</span>`}
        </fieldset>
        <div>
          <label class="title" for="folders">Only in these folders</label>
          <input
            type="text"
            id="folders"
            name="folders"
            value="${folders}"
            autocomplete="off"
            spellcheck="false"
            ${describe('folders', ' folders-hint')}
          />
          <span class="quiet" id="folders-hint"
            >Leave it empty for the whole vault. Separate several with commas: projects, journal/2026</span
          >
        </div>
        <div>
          <label class="title" for="password">Your password</label>
          <input
            type="password"
            id="password"
            name="password"
            autocomplete="current-password"
            required
            autofocus
            ${describe('password', ' password-hint')}
          />
          <span class="quiet" id="password-hint">The one that you set with “roux token owner”.</span>
        </div>
        <div class="buttons">
          <button type="submit" name="answer" value="allow" class="primary">Allow</button>
          <button type="submit" name="answer" value="deny" formnovalidate>Deny</button>
        </div>
      </form>`,
  );
}

/**
 * Returns the page that leads back to the client. It is no redirect, since browsers hold every hop of a redirect that follows a form against
 * the form's policy, and claude.ai passes the answer on to `claude://`.
 */
export function returnPage(address: string, client: Client): Html {
  const name = shownName(client);
  return frame(
    `Back to ${name}`,
    html`<h1>Back to ${name}</h1>
      <p>Your answer is on its way. If nothing happens, <a href="${address}">go on yourself</a>.</p>`,
    html`<meta http-equiv="refresh" content="0;url=${address}" />`,
  );
}

/** Returns the page for a request that is refused. `back`: an address that tells the client so, if one may be told. */
export function refusalPage(message: string, back: { readonly address: string; readonly redirectUri: string } | null): Html {
  return frame(
    'This request was refused',
    html`<h1>This request was refused</h1>
      <p class="failure" role="alert">${visibleLine(message)}</p>
      <p>No access was given. Remove the connection in the program that sent you here, and add it again.</p>
      ${back === null ? '' : html`<p><a href="${back.address}">Tell ${visibleLine(describeTarget(back.redirectUri).name)}</a></p>`}`,
  );
}

function frame(title: string, body: Html, head: Html | '' = ''): Html {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title} · roux</title>
        ${head} ${STYLE_ELEMENT}
      </head>
      <body>
        <main>
          <p class="brand">roux</p>
          ${body}
        </main>
      </body>
    </html>`;
}

function shownName({ name, id }: Client): string {
  return visibleLine(name.trim() === '' ? `The program ${id}` : name);
}
