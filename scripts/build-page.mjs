// Builds the page of `roux serve` from src/page/browser/ into a folder: index.html, and under assets/ files whose names change with what is in them.
import { copyFileSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';

/** Gives the files that went in. Throws where esbuild fails; it has said why. */
export function buildPage(root, folder) {
  const { buildSync } = createRequire(import.meta.url)('esbuild');
  const assets = join(folder, 'assets');
  mkdirSync(assets, { recursive: true });
  const source = join(root, 'src/page/browser');
  const bundle = (entries, outdir) =>
    buildSync({
      ...sharedOptions(root),
      entryPoints: entries.map((entry) => join(source, entry)),
      outdir,
      entryNames: '[name]-[hash]',
      chunkNames: '[name]-[hash]',
      assetNames: '[name]-[hash]',
      loader: { '.woff2': 'file' },
      splitting: true,
      metafile: true,
      format: 'esm',
      jsx: 'automatic',
      jsxImportSource: 'preact',
    });
  const { metafile } = bundle(['main.tsx', 'style/page.css'], assets);
  const outputOf = (entry) => {
    const found = Object.entries(metafile.outputs).find(([, output]) => output.entryPoint === entry);
    return `/assets/${found[0].split('/').at(-1)}`;
  };
  const appInputs = buildApp({ buildSync, root, folder });
  const frameInputs = buildFrame({ buildSync, root, folder });
  const icon = readFileSync(join(source, 'icon.svg'));
  const site = join(folder, 'publish');
  const siteInputs = [
    ...Object.keys(bundle(['site/site.tsx', 'site/site.css', 'site/early.ts'], site).metafile.inputs),
    ...buildSiteDiagrams({ buildSync, root, site }),
  ];
  followSystemTheme(site);
  const iconName = `icon-${createHash('sha256').update(icon).digest('hex').slice(0, 8).toUpperCase()}.svg`;
  for (const target of [assets, site]) copyFileSync(join(source, 'icon.svg'), join(target, iconName));
  const html = readFileSync(join(source, 'index.html'), 'utf8')
    .replace('{{script}}', outputOf('src/page/browser/main.tsx'))
    .replace('{{style}}', outputOf('src/page/browser/style/page.css'))
    .replace('{{icon}}', `/assets/${iconName}`);
  writeFileSync(join(folder, 'index.html'), html);
  // Compressed once, here, as well as it can be: the server only hands it out.
  // A font is compressed already.
  for (const name of readdirSync(assets).filter((each) => !each.endsWith('.woff2'))) {
    const bytes = readFileSync(join(assets, name));
    // The best compression of megabytes takes half a minute.
    const quality = bytes.length > 1_000_000 ? 9 : 11;
    writeFileSync(join(assets, `${name}.br`), brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: quality } }));
    // The server unpacks it for the few who cannot read it: twice would be a sixth of the package.
    if (bytes.length > 1_000_000) rmSync(join(assets, name));
  }
  return [...Object.keys(metafile.inputs), ...appInputs, ...frameInputs, ...siteInputs];
}

function sharedOptions(root) {
  return {
    absWorkingDir: root,
    bundle: true,
    minify: true,
    platform: 'browser',
    target: ['chrome120', 'firefox121', 'safari17.2'],
    tsconfig: join(root, 'src/page/tsconfig.json'),
    // An explanation in prose stays in the sources.
    legalComments: 'none',
    logLevel: 'error',
  };
}

/** The frame that draws diagrams: a document with a policy of its own, and one script. Gives the files that went in. */
function buildFrame({ buildSync, root, folder }) {
  const source = join(root, 'src/page/browser/parts/media/frame');
  const { metafile } = buildSync({
    ...sharedOptions(root),
    entryPoints: [join(source, 'frame.ts')],
    outdir: join(folder, 'assets'),
    entryNames: 'diagram-frame-[hash]',
    metafile: true,
    format: 'iife',
  });
  const script = `/assets/${Object.keys(metafile.outputs)[0].split('/').at(-1)}`;
  const html = readFileSync(join(source, 'frame.html'), 'utf8').replace('{{script}}', script);
  writeFileSync(join(folder, 'diagram-frame.html'), html);
  return Object.keys(metafile.inputs);
}

/** What draws the diagrams of a published site: no module, since browsers load none from a folder. Gives the files that went in. */
function buildSiteDiagrams({ buildSync, root, site }) {
  const { metafile } = buildSync({
    ...sharedOptions(root),
    entryPoints: [join(root, 'src/page/browser/site/diagrams.ts')],
    outdir: site,
    entryNames: '[name]-[hash]',
    metafile: true,
    format: 'iife',
  });
  return Object.keys(metafile.inputs);
}

/** Gives the pages of a published site the dark colors of the system's theme also where no script sets one. */
function followSystemTheme(site) {
  for (const name of readdirSync(site).filter((each) => each.endsWith('.css'))) {
    const style = readFileSync(join(site, name), 'utf8');
    const [dark] = /:root\[data-theme=dark\]\{[^}]*\}/.exec(style) ?? [];
    if (dark === undefined) throw new Error('The style of the site has no dark colors.');
    const system = dark.replace('[data-theme=dark]', ':not([data-theme])');
    writeFileSync(join(site, name), `${style}@media screen and (prefers-color-scheme:dark){${system}}\n`);
  }
}

/** The graph inside a conversation: one file, since the host that shows it lets it ask for nothing. Gives the files that went in. */
function buildApp({ buildSync, root, folder }) {
  const source = join(root, 'src/page/browser/mcp-app');
  const inputs = [];
  const bundle = (entry) => {
    const { outputFiles, metafile } = buildSync({
      ...sharedOptions(root),
      entryPoints: [join(source, entry)],
      write: false,
      metafile: true,
      format: 'iife',
    });
    inputs.push(...Object.keys(metafile.inputs));
    return outputFiles[0].text.trim();
  };
  const html = readFileSync(join(source, 'app.html'), 'utf8')
    .replaceAll(/^\s+/gm, '')
    .replace('<!-- style -->', () => `<style>${bundle('app.css')}</style>`)
    .replace('<!-- script -->', () => `<script>${bundle('main.ts')}</script>`);
  writeFileSync(join(folder, 'graph-app.html'), html);
  return inputs;
}
