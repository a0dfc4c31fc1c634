import { Connection } from './connection.js';
import { TextBlock } from './text-block.js';

describe('TextBlock', () => {
  let connection: Connection;

  beforeAll(async () => {
    connection = await Connection.open({ path: ':memory:', pragmas: [] });
    await connection.write([
      { sql: 'CREATE TABLE texts(n INTEGER PRIMARY KEY, text TEXT) STRICT', rows: [[]] },
    ]);
  });

  afterAll(() => connection.close());

  it('brings texts of any length and characters to the database as they are', async () => {
    const texts = [
      '',
      'short',
      'é€😀',
      'x'.repeat(255),
      ...['x', 'é', '€', '😀'].map((one) => one.repeat(1000)),
    ];
    const block = new TextBlock(texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0));
    const rows = texts.map((text) => [block.add(text)]);
    const insert = { sql: 'INSERT INTO texts(text) VALUES (CAST(? AS TEXT))', rows };
    await connection.write([insert], undefined, block.transfer);
    const stored = await connection.all<{ text: string }>('SELECT text FROM texts ORDER BY n');
    expect(stored.map(({ text }) => text)).toEqual(texts);
  });

  it('refuses a text that exceeds it, and never cuts one', () => {
    const block = new TextBlock(1999);
    expect(() => block.add('é'.repeat(1000))).toThrow(RangeError);
  });
});
