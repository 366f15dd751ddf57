import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { brotliDecompressSync } from 'node:zlib';
import { RouxError } from '../../../errors.ts';
import type { publishNotes } from '../../../ops/notes/publish/publish-notes.ts';
import type { ArgumentsOf } from '../../../ops/operation.ts';
import { pageFolder } from '../page-folder.ts';

/** The program of a site, as the build made it. */
export interface SiteAssets {
  readonly names: NonNullable<ArgumentsOf<typeof publishNotes.input>['assets']>;
  /** The files of every site by name. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  /** Those of a site with diagrams. */
  readonly diagramFiles: () => ReadonlyMap<string, string | Uint8Array>;
}

const DIAGRAMS = /^diagrams-[^.]+\.js$/;
const FRAME_SCRIPT = /^diagram-frame-([^.]+)\.js\.br$/;

/** Reads the program of a site. Throws `IO_ERROR` if it was not built. */
export function readSiteAssets(): SiteAssets {
  const [folder, pageAssets] = [new URL('publish/', pageFolder()), new URL('assets/', pageFolder())];
  const files = new Map(namesIn(folder).map((name) => [name, new Uint8Array(readFileSync(new URL(name, folder)))]));
  const find = (names: Iterable<string>, pattern: RegExp): string => {
    const found = [...names].find((name) => pattern.test(name));
    if (found === undefined) throw new RouxError('IO_ERROR', 'The page was not built, and a site needs it. Run "npm run build".');
    return found;
  };
  const named = (pattern: RegExp): string => find(files.keys(), pattern);
  const diagrams = named(DIAGRAMS);
  const frameScript = find(namesIn(pageAssets), FRAME_SCRIPT);
  const diagramFrame = frameScript.replace(FRAME_SCRIPT, 'diagram-frame-$1.html');
  return {
    names: {
      early: named(/^early-[^.]+\.js$/),
      script: named(/^site-[^.]+\.js$/),
      style: named(/^site-[^.]+\.css$/),
      icon: named(/^icon-[^.]+\.svg$/),
      diagrams,
      diagramFrame,
    },
    files: new Map([...files].filter(([name]) => name !== diagrams)),
    diagramFiles: () =>
      new Map<string, string | Uint8Array>([
        [diagrams, files.get(diagrams) ?? ''],
        [diagramFrame, frameDocument(brotliDecompressSync(readFileSync(new URL(frameScript, pageAssets))).toString())],
      ]),
  };
}

/**
 * Returns the frame that draws diagrams, as one file. A static host sends no headers for it, so the document has its policy itself: one
 * program, known by its hash, which may write styles, as mermaid does, and reaches nothing. It runs only where the page gives the frame an
 * origin of its own.
 */
function frameDocument(program: string): string {
  // In a document, these characters could hide the end of the script.
  const script = program.replaceAll('<!--', '\\x3C!--');
  const hash = createHash('sha256').update(script).digest('base64');
  const policy = `default-src 'none'; script-src 'sha256-${hash}'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8" />
<meta http-equiv="Content-Security-Policy" content="${policy}" />
<title>Diagrams</title>
</head>
<body><script>${script}</script></body>
</html>
`;
}

function namesIn(folder: URL): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
