import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, relative } from 'node:path';
import { expect } from 'vitest';
import type { Site } from '../../support/browser/with-browser.ts';
import { cliProcess } from '../../support/program/cli.ts';
import { useOnce } from '../../support/program/use-once.ts';
import { withVault } from '../../support/vault.ts';
import type { TestVault, VaultSource } from '../../support/vault.ts';

/** A published site, and the vault that it is made of. */
export interface PublishedSite {
  readonly vault: TestVault;
  /** The folder of the site. */
  readonly out: string;
  /** All files of the site, from its root on, sorted. */
  files(): readonly string[];
  read(file: string): string;
  /** Runs `roux publish` again. */
  publish(...args: readonly string[]): Promise<{ readonly status: number | null; readonly stdout: string; readonly stderr: string }>;
}

/** Runs with a site that the built program made of a copy of a vault. */
export function withPublished<T>(source: VaultSource, args: readonly string[], run: (site: PublishedSite) => Promise<T>): Promise<T> {
  return withVault(source, (vault) =>
    withVault({}, async (folder) => {
      const out = folder.path('site');
      const publish: PublishedSite['publish'] = (...words) =>
        cliProcess(['publish', ...words, '--vault', vault.root, '--out', out], { cwd: vault.root });
      const { status, stderr } = await publish(...args);
      expect(stderr).toBe('');
      expect(status).toBe(0);
      return run({
        vault,
        out,
        publish,
        read: (file) => readFileSync(join(out, file), 'utf8'),
        files: () =>
          readdirSync(out, { recursive: true, withFileTypes: true })
            .filter((entry) => entry.isFile())
            .map((entry) => relative(out, join(entry.parentPath, entry.name)))
            .sort(),
      });
    }),
  );
}

/** A published site at the path `/notes` of a plain host, for those tests of a file that change nothing in it. */
export function useHosted(
  source: VaultSource,
  args: readonly string[],
): () => Promise<PublishedSite & { readonly server: Site['server'] }> {
  return useOnce((use) =>
    withPublished(source, args, (site) => withHost(site.out, '/notes', (url) => use({ ...site, server: { url } as Site['server'] }))),
  );
}

const TYPES: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  json: 'application/json',
  png: 'image/png',
  svg: 'image/svg+xml',
  woff2: 'font/woff2',
};

/** Runs with a plain host that has a folder below a path, as GitHub Pages has a project's: `/notes/index.html`. */
export async function withHost<T>(folder: string, path: string, run: (url: string) => Promise<T>): Promise<T> {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    const file = join(folder, decodeURIComponent(pathname).slice(path.length));
    const found = existsSync(file) && statSync(file).isDirectory() ? join(file, 'index.html') : file;
    const isThere = pathname.startsWith(`${path}/`) && existsSync(found);
    response.writeHead(isThere ? 200 : 404, {
      'Content-Type': TYPES[found.slice(found.lastIndexOf('.') + 1)] ?? 'application/octet-stream',
    });
    response.end(isThere ? readFileSync(found) : readFileSync(join(folder, '404.html')));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    return await run(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}
