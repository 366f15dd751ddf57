import { useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { navigate } from '../router.ts';
import { Icon } from '../parts/icon.tsx';
import { useMedia } from '../use-media.ts';
import { listRows } from './tree-levels.ts';
import type { TreeLevels, TreeRow } from './tree-levels.ts';

/** Height of a line in rem, with a mouse and under a finger. */
const ROW_REM = 1.75;
const TOUCH_ROW_REM = 2.5;
/** Lines above and below the visible ones that are drawn too. */
const OVERSCAN = 12;

/** The selected line: its item, or its place while the item is not loaded. */
interface Selected {
  readonly key: string | null;
  readonly parent: string;
  readonly index: number;
}

/**
 * A tree of which only the visible lines are in the document, however many there are. Arrow keys, Home, End and Enter work as in any tree.
 * `current`: the key of what the page shows, which is marked and scrolled to.
 */
export function Tree(props: { readonly label: string; readonly levels: TreeLevels; readonly current: string | null }) {
  const { levels: tree, current } = props;
  const levels = tree.levels.value;
  const open = tree.open.value;
  const rows = useMemo(() => listRows(levels, open), [levels, open]);
  const id = useId();
  const scroller = useRef<HTMLDivElement>(null);
  const rowRem = useMedia('(width < 50rem), (pointer: coarse)') ? TOUCH_ROW_REM : ROW_REM;
  const [from, to] = useVisible(scroller, rows, rowRem);
  const [selected, setSelected] = useState<Selected | null>(null);
  const at = findRow(rows, selected) ?? findRow(rows, current === null ? null : { key: current, parent: '', index: -1 });

  useEffect(() => void tree.ensure('', 0), [tree]);
  // Loads the lines that came into view.
  useEffect(() => {
    for (const { item, parent, index } of rows.slice(from, to)) {
      const size = levels.get(parent)?.pageSize ?? 1;
      if (item === null) void tree.ensure(parent, Math.floor(index / size));
    }
  }, [rows, from, to]);
  useReveal(tree, { current, rows, show: (index) => scrollToRow(scroller.current, index, rowRem, true) });

  const select = (index: number): void => {
    const row = rows[index];
    if (row === undefined) return;
    setSelected({ key: row.item?.key ?? null, parent: row.parent, index: row.index });
    scrollToRow(scroller.current, index, rowRem);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    const row = at === null ? undefined : rows[at];
    const page = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / pixels(rowRem)) - 1);
    const next = moveSelection(rows, at ?? -1, event.key, page);
    if (next !== null) select(next);
    else if (row?.item?.isBranch === true && ((event.key === 'ArrowRight' && !row.isOpen) || (event.key === 'ArrowLeft' && row.isOpen)))
      tree.toggle(row.item.key);
    else if (event.key === 'Enter' && row?.item?.href != null) navigate(row.item.href);
    else if ((event.key === 'Enter' || event.key === ' ') && row?.item?.isBranch === true) tree.toggle(row.item.key);
    else if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return;
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    <div class="tree-scroller" ref={scroller}>
      <div
        class="tree"
        role="tree"
        aria-label={props.label}
        tabIndex={0}
        aria-activedescendant={at !== null && at >= from && at < to ? `${id}-${at}` : undefined}
        style={{ height: `${rows.length * rowRem}rem` }}
        onKeyDown={onKeyDown}
      >
        {rows.slice(from, to).map((row, offset) => (
          <Row
            key={row.item?.key ?? `${row.parent}/ ${row.index}`}
            row={row}
            id={`${id}-${from + offset}`}
            top={(from + offset) * rowRem}
            isSelected={from + offset === at}
            isCurrent={row.item !== null && row.item.key === current}
            onPick={() => setSelected({ key: row.item?.key ?? null, parent: row.parent, index: row.index })}
            onToggle={() => row.item !== null && tree.toggle(row.item.key)}
          />
        ))}
      </div>
    </div>
  );
}

function Row(props: {
  readonly row: TreeRow;
  readonly id: string;
  readonly top: number;
  readonly isSelected: boolean;
  readonly isCurrent: boolean;
  readonly onPick: () => void;
  readonly onToggle: () => void;
}) {
  const { item, depth, index, count, isOpen } = props.row;
  const shared = {
    id: props.id,
    class: 'tree-row',
    style: { insetBlockStart: `${props.top}rem`, paddingInlineStart: `${0.25 + depth * 0.9}rem` },
    role: 'treeitem' as const,
    'aria-level': depth + 1,
    'aria-posinset': index + 1,
    'aria-setsize': count,
    'aria-selected': props.isSelected,
    tabIndex: -1,
  };
  if (item === null)
    return (
      <div {...shared} aria-label="Loading">
        <span class="tree-loading" />
      </div>
    );
  const content = (
    <>
      <span
        class="tree-twist"
        onClick={(event) => {
          if (!item.isBranch) return;
          // The chevron of a branch that leads somewhere only opens it.
          event.preventDefault();
          event.stopPropagation();
          props.onPick();
          props.onToggle();
        }}
      >
        {item.isBranch ? <Icon name="chevron" /> : null}
      </span>
      <span class="tree-label" dir="auto" title={item.label}>
        {item.label}
      </span>
      {item.detail === undefined ? null : <span class="tree-detail">{item.detail}</span>}
    </>
  );
  const expanded = item.isBranch ? { 'aria-expanded': isOpen } : {};
  if (item.href === null)
    return (
      <div
        {...shared}
        {...expanded}
        onClick={() => {
          props.onPick();
          props.onToggle();
        }}
      >
        {content}
      </div>
    );
  return (
    <a {...shared} {...expanded} href={item.href} aria-current={props.isCurrent ? 'page' : undefined} onClick={props.onPick}>
      {content}
    </a>
  );
}

/** Returns the line that a key moves to; null if the key moves nowhere. */
function moveSelection(rows: readonly TreeRow[], at: number, key: string, page: number): number | null {
  const last = rows.length - 1;
  const row = rows[at];
  switch (key) {
    case 'ArrowDown':
      return Math.min(at + 1, last);
    case 'ArrowUp':
      return Math.max(at - 1, 0);
    case 'PageDown':
      return Math.min(at + page, last);
    case 'PageUp':
      return Math.max(at - page, 0);
    case 'Home':
      return 0;
    case 'End':
      return last;
    case 'ArrowRight':
      return row?.isOpen === true && rows[at + 1]?.parent === row.item?.key ? at + 1 : null;
    case 'ArrowLeft': {
      if (row === undefined || row.isOpen || row.parent === '') return null;
      const parent = rows.findIndex(({ item }) => item?.key === row.parent);
      return parent === -1 ? null : parent;
    }
    default:
      return null;
  }
}

function findRow(rows: readonly TreeRow[], selected: Selected | null): number | null {
  if (selected === null) return null;
  const { key, parent, index } = selected;
  const at = rows.findIndex((row) => (key === null ? row.parent === parent && row.index === index : row.item?.key === key));
  return at === -1 ? null : at;
}

/** Opens the branches above the current item when it changes, and scrolls to it once it is loaded. */
function useReveal(
  tree: TreeLevels,
  { current, rows, show }: { readonly current: string | null; readonly rows: readonly TreeRow[]; readonly show: (index: number) => void },
): void {
  const shown = useRef<string | null>(null);
  useEffect(() => {
    shown.current = null;
    if (current !== null) void tree.reveal(current);
  }, [tree, current]);
  useLayoutEffect(() => {
    if (current === null || shown.current === current) return;
    const index = rows.findIndex(({ item }) => item?.key === current);
    if (index === -1) return;
    shown.current = current;
    show(index);
  }, [rows, current]);
}

/** Returns the range of lines to draw, and keeps the first visible line in its place when lines above it come or go. */
function useVisible(
  scroller: { readonly current: HTMLDivElement | null },
  rows: readonly TreeRow[],
  rowRem: number,
): readonly [from: number, to: number] {
  const [view, setView] = useState({ top: 0, height: 600 });
  const anchor = useRef<{ readonly key: string; readonly offset: number } | null>(null);
  useEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    const look = (): void => setView({ top: element.scrollTop, height: element.clientHeight });
    const observer = new ResizeObserver(look);
    observer.observe(element);
    element.addEventListener('scroll', look, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', look);
    };
  }, []);
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null || anchor.current === null) return;
    const { key, offset } = anchor.current;
    const index = rows.findIndex(({ item }) => item?.key === key);
    if (index !== -1 && element.scrollTop > 0) element.scrollTop = index * pixels(rowRem) + offset;
  }, [rows]);
  const height = pixels(rowRem);
  const first = Math.floor(view.top / height);
  useLayoutEffect(() => {
    const top = scroller.current?.scrollTop ?? 0;
    const item = rows[Math.floor(top / height)]?.item ?? null;
    anchor.current = item === null ? null : { key: item.key, offset: top % height };
  });
  return [Math.max(0, first - OVERSCAN), Math.min(rows.length, first + Math.ceil(view.height / height) + OVERSCAN)];
}

/** Scrolls a line into view: not at all if it is there, else to the middle, or as little as possible if it is near and need not be centred. */
function scrollToRow(scroller: HTMLElement | null, index: number, rowRem: number, isCentered = false): void {
  if (scroller === null) return;
  const height = pixels(rowRem);
  const top = index * height;
  if (top >= scroller.scrollTop && top + height <= scroller.scrollTop + scroller.clientHeight) return;
  const isNear = !isCentered && Math.abs(top - scroller.scrollTop) < scroller.clientHeight * 2;
  const below = top + height - scroller.clientHeight;
  scroller.scrollTop = isNear ? (top < scroller.scrollTop ? top : below) : top - scroller.clientHeight / 2;
}

function pixels(rem: number): number {
  return rem * Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
}
