import { createHash } from 'node:crypto';
import { inputSchema } from '../../../ops/arguments.ts';
import type { Operation } from '../../../ops/operation.ts';
import type { Host } from '../../host.ts';
import type { HttpContext } from '../env.ts';
import { answerJson } from './answer.ts';
import { describeApi } from './openapi.ts';
import { isSafe, listOffered } from './operations.ts';

/** A vault, and the path below which it is served: '' or `/notes`. */
interface Server {
  readonly host: Host;
  readonly base: string;
}

const STYLE = `:root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:48rem;margin:2rem auto;padding:0 1rem}
h1{font-size:1.4rem}h2{font-size:1.1rem;margin:2rem 0 .5rem;text-transform:capitalize}
details{border-top:1px solid color-mix(in srgb,currentColor 20%,transparent);padding:.4rem 0}summary{cursor:pointer}
code,pre{font:.9em ui-monospace,monospace}summary code{font-weight:600}table{border-collapse:collapse;width:100%}
td,th{text-align:start;vertical-align:top;padding:.15rem .8rem .15rem 0;font-size:.92em}.kind{opacity:.7;font-size:.85em}`;

/** The Content-Security-Policy of the page, which needs nothing but its own style. */
const INDEX_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** `GET /api`: lists the operations, as HTML for a browser, else as the OpenAPI document. */
export async function answerIndex(server: Server, context: HttpContext): Promise<Response> {
  if (!(context.req.header('accept') ?? '').includes('text/html')) return answerDocument(server, context);
  const page = indexPage(await listOffered(server.host), server.base, originOf(context));
  return context.body(page, 200, {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': INDEX_POLICY,
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'Cache-Control': 'no-store',
    Vary: 'Accept, Origin',
  });
}

/** `GET /api/openapi.json`. */
export async function answerDocument({ host, base }: Server, context: HttpContext): Promise<Response> {
  return answerJson(context, describeApi(await listOffered(host), { url: originOf(context) + base, version: host.version }));
}

/** Returns the origin under which the caller reached the server. Its `Host` header has been checked. */
function originOf(context: HttpContext): string {
  return new URL(context.req.url).origin;
}

/** Renders the operations at `/api` for people: what each one does and takes. It contains nothing from a vault. */
function indexPage(operations: readonly Operation[], base: string, origin: string): string {
  const groups = [...new Set(operations.map(({ toolset }) => toolset ?? 'page'))];
  const sections = groups.map(
    (group) =>
      `<h2>${escape(group)}</h2>${operations
        .filter(({ toolset }) => (toolset ?? 'page') === group)
        .map(describe)
        .join('')}`,
  );
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>roux: operations</title><style>${STYLE}</style></head><body>
<h1>Operations</h1>
<p>Call each with <code>POST ${escape(base)}/api/&lt;operation&gt;</code>, its arguments as a JSON object, and the token: <code>Authorization: Bearer …</code>. What only reads answers <code>GET</code> with the arguments in the query too. Answers are <code>{"result": …, "warnings": […]}</code> or <code>{"error": {"code", "message"}}</code>. For programs: <a href="${escape(base)}/api/openapi.json">openapi.json</a> (OpenAPI 3.1).</p>
<pre>curl -H "Authorization: Bearer $ROUX_HTTP_TOKEN" "${escape(origin + base)}/api/search?query=hello"</pre>
${sections.join('\n')}
</body></html>`;
}

function describe(operation: Operation): string {
  const { properties = {}, required = [] } = inputSchema(operation);
  const rows = Object.entries(properties).map(([name, property]) => {
    const schema = typeof property === 'object' ? property : {};
    const kind = schema.enum === undefined ? (schema.type ?? 'any') : schema.enum.map((each) => JSON.stringify(each)).join(' | ');
    const isRequired = required.includes(name) ? ', required' : '';
    return `<tr><td><code>${escape(name)}</code></td><td class="kind">${escape(String(kind))}${isRequired}</td><td>${escape(schema.description ?? '')}</td></tr>`;
  });
  const how = isSafe(operation) ? 'reads' : operation.effect === 'destroy' ? 'removes' : 'writes';
  return `<details id="${escape(operation.name)}"><summary><code>${escape(operation.name)}</code> <span class="kind">${how}</span> ${escape(operation.summary)}</summary><table><tbody>${rows.join('')}</tbody></table></details>`;
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
