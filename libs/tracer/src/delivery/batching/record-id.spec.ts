import { recordIdOf } from './record-id.js';

describe('The id of a record', () => {
  it.each([
    ['{"span":{"id":"0123456789abcdef","trace_id":"x"}}', '0123456789abcdef'],
    ['{"trace":{"id":"01890a5d-ac96-774b-bcce-b302099a8057"}}', '01890a5d-ac96-774b-bcce-b302099a8057'],
    ['{"span":{"id":"01234567', undefined],
    ['', undefined],
  ])('is read off the start of its line: %s', (line, id) => {
    expect(recordIdOf(Buffer.from(line))).toBe(id);
  });
});
