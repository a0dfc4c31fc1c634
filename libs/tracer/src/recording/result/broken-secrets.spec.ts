import type { JsonValue } from '@dacapo/protocol';
import fc from 'fast-check';
import { Capturer } from '../../capture/capturer.js';
import type { Captured } from '../../capture/captured.js';
import { FieldCapture } from '../field-capture.js';
import { expandChunks } from './expand-chunks.js';
import { GatheredItems } from './gathered-items.js';
import { StreamChunks } from './stream-chunks.js';

const SECRET = 'sk-proj-abcdefghijklmnopqrst1234';
/** Of which no record may have a part that is longer than the head of all such keys. */
const PARTS = Array.from({ length: 10 }, (_, at) => SECRET.slice(8 + at * 2, 14 + at * 2));
/** More than a stream may hold. */
const CHARACTERS = 1_500_000;

const newFields = (redact?: (value: unknown) => unknown): FieldCapture =>
  new FieldCapture(new Capturer({ redactionSecret: 'one', ...(redact && { redact }) }), (_, cause) => {
    throw cause;
  });

/** Words, with a whole secret after so many characters each. No two parts are the same. */
function makeText(between: number, characters = CHARACTERS): string {
  const words = 'word '.repeat(between).slice(0, between);
  const count = Math.ceil(characters / (words.length + SECRET.length));
  return Array.from({ length: count }, (_, n) => `${words} ${n} key ${SECRET} `).join('');
}

function pieces(text: string, size: number): string[] {
  return Array.from({ length: Math.ceil(text.length / size) }, (_, i) =>
    text.slice(i * size, (i + 1) * size),
  );
}

const findParts = (text: string): string[] => PARTS.filter((part) => text.includes(part));

/** What the items of a recorded stream say, one after the other. */
function readText({ json, meta }: Captured): string {
  return (JSON.parse(json) as JsonValue[])
    .map((item, index) => {
      const text = JSON.stringify(item);
      return meta?.types?.[`/${index}`] === undefined
        ? text.replace(/^(?:\{"delta":\{"text":)?"|"(?:\}\})?$/g, '')
        : Buffer.from(text, 'base64').toString('latin1');
    })
    .join('');
}

function gather(items: Iterable<unknown>): Captured {
  const gathered = new GatheredItems(newFields(), { captureOutput: true });
  for (const item of items) gathered.add(item);
  return gathered.output()!;
}

/** Bytes with a whole secret are masked by themselves, so theirs are shorter. */
const FORMS: readonly [string, mostCharacters: number, form: (piece: string) => unknown][] = [
  ['texts', 3000, (piece) => piece],
  ['objects', 3000, (text) => ({ delta: { text } })],
  ['bytes', 40, (piece) => Buffer.from(piece)],
];
const RUNS = { numRuns: 2, endOnFailure: true };
const between = fc.integer({ min: 20, max: 200 });

describe('a secret that the gap in a stream breaks', () => {
  it.each(FORMS)('leaves no part in %s', (_, most, form) => {
    fc.assert(
      fc.property(between, fc.integer({ min: Math.min(100, most / 2), max: most }), (characters, size) => {
        const output = gather(pieces(makeText(characters), size).map(form));
        expect(findParts(readText(output))).toEqual([]);
        return output.meta?.truncated?.[''] !== undefined || most === 40;
      }),
      RUNS,
    );
  });

  it.each(FORMS.filter(([name]) => name !== 'objects'))('leaves no part in events of %s', (_, most, form) => {
    fc.assert(
      fc.property(
        between,
        fc.integer({ min: 3, max: most === 40 ? 12 : 40 }),
        fc.integer({ min: 200, max: 5000 }),
        (characters, said, size) => {
          const events = pieces(makeText(characters, (CHARACTERS * said) / (said + 28)), said);
          const body = events.map((text) => `data: ${JSON.stringify({ delta: { text } })}\n\n`).join('');
          const recorded = readText(gather(pieces(body, size).map(form)));
          const text = [...recorded.matchAll(/text\\?":\\?"((?:[^"\\])*)/g)].map(([, one]) => one).join('');
          expect(text.length).toBeGreaterThan(10_000);
          expect(findParts(text)).toEqual([]);
        },
      ),
      RUNS,
    );
  });

  it.each<[string, ((value: unknown) => unknown) | undefined]>([
    ['short form', undefined],
    ['a list, where a hook sees them', (value) => value],
  ])('leaves no part in the chunks of a model in %s', (_, redact) => {
    fc.assert(
      fc.property(between, fc.integer({ min: 40, max: 3000 }), (characters, size) => {
        const chunks = new StreamChunks();
        for (const text of pieces(makeText(characters), size))
          chunks.add({ id: 'one', delta: { text } }, true);
        const { json } = chunks.capture(newFields(redact))!;
        const recorded = JSON.parse(json) as JsonValue;
        const list = (redact ? recorded : expandChunks(recorded)) as { delta: { text: string } }[];
        expect(chunks.kept).toMatchObject({ head: expect.any(Number) });
        expect(findParts(list.map(({ delta: { text } }) => text).join(''))).toEqual([]);
      }),
      RUNS,
    );
  });

  it('leaves nothing of a private key of which only the lines after the gap are held', () => {
    const lines = Array.from({ length: 60 }, (_, i) =>
      Buffer.from(`line ${i} of it`.padEnd(48, '.')).toString('base64'),
    );
    const pem = `-----BEGIN PRIVATE KEY-----\n${lines.join('\n')}\n-----END PRIVATE KEY-----\n`;
    const recorded = readText(gather(pieces(pem.repeat(400), 100)));
    expect(lines.filter((line) => recorded.includes(line.slice(20, 40)))).toEqual([]);
  });
});
