import { VisitedObjects } from './visited-objects.js';

describe('visited objects', () => {
  it.each([3, 100])('are found with their place among %i objects', (count) => {
    const visited = new VisitedObjects();
    const objects = Array.from({ length: count }, () => ({}));
    objects.forEach((object, i) => visited.add(object, i - 1, i === 0 ? '' : `k${i}`));
    expect(objects.map((object) => visited.find(object))).toEqual(objects.map((_, i) => i));
    expect(visited.pointer(2)).toBe('/k1/k2');
    expect(visited.find({})).toBe(-1);
  });

  it('are not searched one by one among many, with pairs of a Map between them', async () => {
    const visited = new VisitedObjects();
    let found = 0;
    for (let i = 0; i < 400_000; i++) {
      const object = {};
      visited.addUnseen(-1, i);
      if (visited.find(object) !== -1) found++;
      visited.add(object, -1, i);
      // One by one it takes minutes: the test then ends by its timeout.
      if (i % 1000 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    expect(found).toBe(0);
  });

  it('are forgotten with their text, and can be visited again', () => {
    const visited = new VisitedObjects();
    const objects = Array.from({ length: 40 }, () => ({}));
    for (const object of objects) visited.add(object, -1, '');
    visited.forgetFrom(4 + 1);
    expect([visited.find(objects[4]!), visited.find(objects[5]!)]).toEqual([4, -1]);
    expect(visited.find(objects[visited.add(objects[9]!, 4, 'x') + 4]!)).toBe(5);
  });

  it('are released at the end', () => {
    const visited = new VisitedObjects();
    const object = {};
    visited.add(object, -1, '');
    visited.clear();
    expect(visited.find(object)).toBe(-1);
  });
});
