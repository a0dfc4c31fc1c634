import { missingMember } from './missing-member.js';

describe('missingMember', () => {
  it('returns the first member that a response lacks', () => {
    expect(
      missingMember({ id: 'a', data: { indexes: [] } }, ['id', 'data.indexes', 'data.indexes[]']),
    ).toBeUndefined();
    expect(missingMember({ id: null }, ['id'])).toBe('id');
    expect(missingMember({ data: 7 }, ['data.indexes'])).toBe('data.indexes');
    expect(missingMember({ items: 'none' }, ['items[]'])).toBe('items');
    expect(missingMember(undefined, ['id'])).toBe('id');
  });
});
