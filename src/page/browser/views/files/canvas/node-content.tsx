import { useEffect, useRef, useState } from 'preact/hooks';
import type { RefObject } from 'preact';
import { mediumOf } from '../../../parts/media/medium.ts';
import { whenNear } from '../../../parts/media/near-screen.ts';
import { NoteLink } from '../../../parts/note-link.tsx';
import { beginsWithTitle } from '../../../parts/preview.tsx';
import { ServerHtml } from '../../../parts/server-html.tsx';
import { useOperation } from '../../../use-operation.ts';
import { BasesBlock } from '../bases/bases-block.tsx';
import { FileLink } from '../file-link.tsx';
import { VaultPicture } from '../vault-picture.tsx';
import type { CanvasNode, NodeOfKind } from './shapes.ts';

/** Notes and bases of a canvas that are loaded; the others are links. */
const MAX_LOADED = 100;

/** Counts what is loaded, so that a canvas of thousands of notes does not ask for all of them. */
export interface LoadBudget {
  left: number;
}

export function createLoadBudget(): LoadBudget {
  return { left: MAX_LOADED };
}

interface NodeProps {
  readonly node: CanvasNode;
  /** The path of the canvas. */
  readonly canvas: string;
  readonly budget: LoadBudget;
}

/** What is inside the frame of a node. */
export function NodeContent({ node, canvas, budget }: NodeProps) {
  switch (node.kind) {
    case 'text':
      if (node.html === null) return <pre class="canvas-plain">{node.text}</pre>;
      return <ServerHtml isExcerpt html={node.html} class="prose prose-small" />;
    case 'link':
      return (
        <p class="canvas-link">
          {node.is_web ? (
            <a class="external" href={node.url} target="_blank" rel="noopener noreferrer">
              {node.name}
            </a>
          ) : (
            <span class="refused-link">{node.name}</span>
          )}
        </p>
      );
    case 'group':
      return null;
    case 'file':
      return <FileNode node={node} canvas={canvas} budget={budget} />;
  }
}

function FileNode({ node, canvas, budget }: { readonly node: NodeOfKind<'file'> } & Omit<NodeProps, 'node'>) {
  const frame = useRef<HTMLDivElement>(null);
  const { file, name, shows, heading } = node;
  const isBase = /\.base$/i.test(file);
  const isLoaded = useNearScreen(frame, shows === 'note' || isBase ? budget : null);
  return (
    <div ref={frame} class="canvas-file">
      <p class="canvas-file-title" hidden={isBase && isLoaded}>
        {shows === 'note' ? (
          <NoteLink path={file} heading={heading.replace(/^.*#/, '')}>
            {heading === '' ? name : `${name} > ${heading}`}
          </NoteLink>
        ) : shows === 'file' ? (
          <FileLink path={file} label={name} />
        ) : (
          <span class="quiet">{name === '' ? 'No file is named here.' : `${name} is not in the vault.`}</span>
        )}
      </p>
      {shows === 'file' && mediumOf(file) === 'image' ? <VaultPicture path={file} label={name} class="canvas-picture" /> : null}
      {shows === 'note' && isLoaded ? <NoteExcerpt path={file} heading={heading} /> : null}
      {shows === 'file' && isBase && isLoaded ? (
        <BasesBlock block={{ kind: 'base', path: file, source: '', view: heading === '' ? null : heading, context: canvas }} />
      ) : null}
    </div>
  );
}

function NoteExcerpt({ path, heading }: { readonly path: string; readonly heading: string }) {
  const { value } = useOperation(
    'preview_page',
    { path, ...(heading === '' ? {} : { heading }) },
    ({ paths }) => paths === null || paths.includes(path),
  );
  if (value === null) return null;
  return (
    <>
      <ServerHtml isExcerpt html={value.html} class={`prose prose-small${beginsWithTitle(value) ? ' without-title' : ''}`} />
      {value.is_whole ? null : <p class="quiet">Open the note to read the rest.</p>}
    </>
  );
}

/** Returns true once an element has come near the screen and the budget allowed it to load. Null: nothing is to be loaded. */
function useNearScreen(element: RefObject<HTMLElement | null>, budget: LoadBudget | null): boolean {
  const [isNear, setNear] = useState(false);
  useEffect(() => {
    const target = element.current;
    if (target === null || budget === null || isNear) return;
    return whenNear(target, () => {
      if (budget.left <= 0) return;
      budget.left -= 1;
      setNear(true);
    });
  }, [budget, isNear]);
  return isNear;
}
