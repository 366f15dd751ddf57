import { useMemo } from 'preact/hooks';
import { callOperation } from '../api.ts';
import { Failure } from '../parts/states.tsx';
import { address, tagAddress } from '../router.ts';
import { Tree } from './tree.tsx';
import { TreeLevels } from './tree-levels.ts';
import type { LoadLevel } from './tree-levels.ts';
import { useTreeRefresh } from './use-tree-refresh.ts';

/** The tags of the vault as a tree. */
export function TagsPanel() {
  const tree = useMemo(() => new TreeLevels('tags', loadTags), []);
  useTreeRefresh(tree, () => null);
  const root = tree.levels.value.get('');
  const current = /^\/tag\/(.+)$/s.exec(address.value.path)?.[1];
  return (
    <div class="sidebar-list">
      {tree.error.value === null ? null : <Failure error={tree.error.value} reload={() => void tree.refresh(null)} />}
      {root?.total === 0 ? (
        <p class="quiet sidebar-note">No note has a tag yet. Write #like-this in a note, and the tag appears here.</p>
      ) : null}
      <Tree label="Tags" levels={tree} current={current === undefined ? null : keyOf(current)} />
    </div>
  );
}

const loadTags: LoadLevel = async (tag, at) => {
  const level = await callOperation('tag_level', { tag, offset: 'offset' in at ? at.offset : 0 });
  return {
    isThere: level.is_there,
    offset: level.offset,
    total: level.total,
    pageSize: level.page_size,
    items: level.entries.map((each) => ({
      key: keyOf(each.tag),
      label: each.name,
      isBranch: each.has_subtags,
      href: tagAddress(each.tag),
      detail: each.count.toLocaleString('en'),
    })),
  };
};

/** Tags are the same in any case. */
function keyOf(tag: string): string {
  return tag.normalize('NFC').toLowerCase();
}
