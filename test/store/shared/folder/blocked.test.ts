import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RouxError } from '../../../../src/errors.ts';
import {
  groupRelatedChanges,
  hashesBefore,
  matchRelatedPaths,
  asFileError,
  revertBlocked,
} from '../../../../src/store/shared/incoming/blocked-change.ts';
import type { SharedChange } from '../../../../src/store/shared/shared-vault.ts';
import { failure } from '../../../support/simulated/simulated-disk.ts';

const change = (path: string, oldPath: string | null = null): SharedChange => ({
  op: oldPath === null ? 'update' : 'rename',
  path,
  oldPath,
  before: `before ${oldPath ?? path}`,
  hash: `after ${path}`,
  size: 1,
  event: [],
});
const namesOf = ({ path, oldPath }: SharedChange): readonly string[] => (oldPath === null ? [path] : [path, oldPath]);
const isNear = (a: string, b: string): boolean => a === b || a.startsWith(`${b}/`) || b.startsWith(`${a}/`);

const name = fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/'));
const changes = fc
  .uniqueArray(fc.tuple(name, fc.option(name)), { maxLength: 12, selector: ([path]) => path })
  .map((all) => all.map(([path, oldPath]) => change(path, oldPath === path ? null : oldPath)));

describe('what could not be put in place', () => {
  it('groups have no name to do with each other, and are no larger than that takes', () => {
    fc.assert(
      fc.property(changes, (all) => {
        const groups = groupRelatedChanges(all);
        expect(groups.flat().length).toBe(all.length);
        for (const [index, group] of groups.entries())
          for (const other of groups.slice(index + 1))
            for (const one of group.flatMap(namesOf)) for (const two of other.flatMap(namesOf)) expect(isNear(one, two)).toBe(false);
        // Whoever is in a group is led to by names from any other one in it.
        for (const group of groups) {
          const reached = new Set(group.slice(0, 1));
          for (let size = 0; size !== reached.size;) {
            size = reached.size;
            for (const each of group)
              if ([...reached].some((there) => namesOf(there).some((one) => namesOf(each).some((two) => isNear(one, two)))))
                reached.add(each);
          }
          expect(reached.size).toBe(group.length);
        }
      }),
    );
  });

  it('a path has to do with a name that is the same, above it or below it, whatever the case', () => {
    fc.assert(
      fc.property(changes, name, (all, path) => {
        expect(matchRelatedPaths(all)(path.toUpperCase())).toBe(all.some((each) => namesOf(each).some((own) => isNear(own, path))));
      }),
    );
  });

  it('its files are what they were', () => {
    const swapped = [change('a.md', 'b.md'), change('b.md', 'a.md'), { ...change('new.md'), before: null }];
    expect(new Map(hashesBefore(swapped))).toEqual(
      new Map([
        ['a.md', 'before a.md'],
        ['b.md', 'before b.md'],
        ['new.md', null],
      ]),
    );
    const files = new Map(swapped.map(({ path }) => [path, `after ${path}`]));
    expect(revertBlocked(files, swapped)).toEqual(
      new Map([
        ['a.md', 'before a.md'],
        ['b.md', 'before b.md'],
      ]),
    );
  });

  it('a failure is of a file where the folder refuses it, and not where the disk, the store or the program fails', () => {
    for (const code of ['EACCES', 'EPERM', 'ENOTDIR', 'EISDIR', 'ENOTEMPTY', 'ENAMETOOLONG', 'EIO', 'ELOOP'])
      expect(asFileError(failure(code, 'a.md')), code).toBeInstanceOf(RouxError);
    for (const code of ['ENOSPC', 'EDQUOT', 'EROFS', 'ESTALE']) expect(asFileError(failure(code, 'a.md')), code).toBeNull();
    for (const code of ['STORE_UNAVAILABLE', 'CANCELLED', 'LOCK_TIMEOUT', 'INVALID_CONFIG', 'FORBIDDEN'] as const)
      expect(asFileError(new RouxError(code, 'x')), code).toBeNull();
    expect(asFileError(new TypeError('x'))).toBeNull();
  });
});
