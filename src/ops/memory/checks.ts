import type { Vault } from '../../vault/vault.ts';
import type { ToolsetFinding } from '../operation.ts';
import { memoryOf } from './memory-index.ts';

/** Finds entities with equal names, made by a restore or by hand; tools serve only the oldest (H-19). */
export function findSameNames(vault: Vault): readonly ToolsetFinding[] {
  const index = memoryOf(vault);
  return index.entities().flatMap((entity): ToolsetFinding[] => {
    const others = index.namesakesOf(entity);
    if (others.length === 0) return [];
    const paths = [entity.path, ...others];
    const message = `${paths.join(' and ')} are entities with the same name ${JSON.stringify(entity.name)}; tools read and change ${entity.path}. Merge them into one, or give the others another title`;
    return [{ kind: 'duplicate-id', paths, message }];
  });
}
