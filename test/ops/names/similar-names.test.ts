import { describe, expect, it } from 'vitest';
import { findSimilar, NameList } from '../../../src/ops/names/similar-names.ts';

const near = (query: string, names: readonly string[]): readonly string[] =>
  findSimilar(query, names, { names: (name) => [name], limit: 3 });

describe('similar names', () => {
  it.each([
    ['well being', 'Well-being'],
    ['wellbeing', 'Well-being'],
    ['snake_case_name', 'Snake case name'],
    ['meetings', 'Meeting'],
    ['Andys notes', "Andy's note"],
    ['creme brulee', 'Crème brûlée'],
    ['Crème brûlée', 'Creme brulee'],
    ['ΚΑΦΕΣ', 'Καφές'],
    ['проекты', 'Проект'],
    ['Obisdain', 'Obsidian'],
    ['kubernets', 'Kubernetes'],
    ['Gril', 'Girl'],
    ['Plugin API', 'The plugin API in one page'],
    ['API plugin', 'The plugin API in one page'],
    ['Evergren notes', 'Evergreen notes turn ideas into objects'],
    ['Meeting with Nora Quist', 'Nora Quist'],
    ['读书', '我的读书笔记'],
    ['ひらがな', 'ひらかな'],
    ['회의록', '회의록 2024'],
  ])('%s is near to %s', (query, name) => {
    expect(near(query, ['Something else', name, 'Zebra crossing'])).toEqual([name]);
  });

  it.each([
    ['cat', 'dog'],
    ['note', 'Kettle'],
    ['meeting', 'setting'],
    ['a', 'A day'],
    ['in', 'Printing'],
    ['art', 'Smart start'],
    ['!!!', '???'],
    ['', 'a'],
    ['x'.repeat(1_000), 'x'.repeat(1_000)],
  ])('%s is not near to %s', (query, name) => {
    expect(near(query, [name])).toEqual([]);
  });

  it('the same name comes first, then typos, then names that it is a part of, then parts of it', () => {
    expect(
      findSimilar('garden tool', ['garden', 'garden tools and sheds', 'garden tol', 'Garden-Tools'], { names: (name) => [name], limit: 9 }),
    ).toEqual(['Garden-Tools', 'garden tol', 'garden tools and sheds', 'garden']);
  });

  it('an item counts once, by its nearest name', () => {
    const [a, b] = [{ names: ['Zebra', 'Nora', 'Norah'] }, { names: ['Noora'] }];
    expect(findSimilar('nora', [b, a], { names: (item) => item.names, limit: 3 })).toEqual([a, b]);
  });

  it('compares few of a hundred thousand names, whatever they are, and still finds the nearest', () => {
    const list = new NameList<string>();
    for (let number = 0; number < 100_000; number += 1) list.add(`The long note of number ${number}`, String(number));
    for (const query of ['the long note of number 77o77', 'long note', 'The long note of numebr 5']) {
      let compared = 0;
      const found = list.search(query, 3, () => {
        compared += 1;
        return false;
      });
      expect(found).toHaveLength(3);
      expect(compared).toBeLessThan(3_000);
    }
    list.add('Needle', 'needle');
    expect(list.search('neelde', 3)).toEqual(['needle']);
  });
});
