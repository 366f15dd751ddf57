import { formatCount } from '../../../parts/files/count.ts';
import { NoteLink } from '../../../parts/note-link.tsx';
import { FileLink } from '../file-link.tsx';
import type { CanvasNode, ShownCanvas } from './shapes.ts';

const KINDS: Readonly<Record<CanvasNode['kind'], string>> = { text: 'Text', file: 'File', link: 'Web page', group: 'Group' };

/** All nodes of a canvas with their connections as a list, for keyboards and screen readers. */
export function CanvasList({ canvas, show }: { readonly canvas: ShownCanvas; readonly show: (node: CanvasNode) => void }) {
  const { nodes, edges } = canvas;
  const outgoing = groupByStart(edges);
  return (
    <details class="canvas-list">
      <summary>{formatCount(nodes.length, 'item')} as a list</summary>
      <ol>
        {nodes.map((node, index) => (
          <li key={node.id}>
            <span class="quiet">{node.kind === 'file' && node.shows === 'note' ? 'Note' : KINDS[node.kind]}</span> <NodeName node={node} />{' '}
            <button type="button" class="quiet-button" onClick={() => show(node)} aria-label={`Show ${nameOf(node)} on the canvas`}>
              Show
            </button>
            {(outgoing.get(index) ?? []).map(({ to, label }, at) => {
              const target = nodes[to];
              return target === undefined ? null : (
                <div class="quiet" key={at} dir="auto">
                  {label === '' ? '' : `${label} `}→ {nameOf(target)}
                </div>
              );
            })}
          </li>
        ))}
      </ol>
    </details>
  );
}

function NodeName({ node }: { readonly node: CanvasNode }) {
  if (node.kind === 'file' && node.shows === 'note') return <NoteLink path={node.file}>{node.name}</NoteLink>;
  if (node.kind === 'file' && node.shows === 'file') return <FileLink path={node.file} label={node.name} />;
  if (node.kind === 'link' && node.is_web) {
    return (
      <a class="external" href={node.url} target="_blank" rel="noopener noreferrer">
        {node.name}
      </a>
    );
  }
  return <bdi>{nameOf(node)}</bdi>;
}

function nameOf({ name }: CanvasNode): string {
  return name === '' ? 'without a name' : name;
}

function groupByStart(edges: ShownCanvas['edges']): ReadonlyMap<number, ShownCanvas['edges']> {
  const groups = new Map<number, ShownCanvas['edges'][number][]>();
  for (const edge of edges) {
    const group = groups.get(edge.from);
    if (group === undefined) groups.set(edge.from, [edge]);
    else group.push(edge);
  }
  return groups;
}
