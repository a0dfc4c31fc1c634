import { equal, type Equality, type JsonValue, readValue } from '@dacapo/protocol';
import fc from 'fast-check';
import { isDeepStrictEqual } from 'node:util';
import { Capturer } from '../../capture/capturer.js';
import type { Captured } from '../../capture/captured.js';
import { hmacSha256, sha256 } from '../../hashing.js';
import type { CaptureOptions } from '../../options/capture-options.js';
import { FieldCapture } from '../field-capture.js';
import { GatheredItems } from './gathered-items.js';

const MIB = 1024 * 1024;
const IS_RECORDED = { captureOutput: true };

interface Gathered {
  readonly json: JsonValue[];
  readonly cut: {
    readonly items: number;
    readonly kept: number;
    readonly tail?: number;
    readonly hmac?: string;
  };
  readonly output: Captured;
  readonly held: number;
}

function gathered(
  items: Iterable<unknown>,
  options: CaptureOptions = {},
  isKept: (index: number) => boolean = () => true,
): Gathered {
  const capturer = new Capturer({ redactionSecret: 'one', ...options });
  const gathering = new GatheredItems(new FieldCapture(capturer, () => undefined), IS_RECORDED);
  let held = 0;
  let index = 0;
  for (const item of items) held += gathering.add(item, isKept(index++));
  const output = gathering.output()!;
  return {
    json: JSON.parse(output.json) as JsonValue[],
    cut: output.meta?.truncated?.[''] as unknown as Gathered['cut'],
    output,
    held,
  };
}

function compared(left: Captured, right: Captured): Equality {
  const node = ({ json, meta }: Captured): ReturnType<typeof readValue> =>
    readValue({ json: JSON.parse(json) as JsonValue, meta });
  return equal(node(left), node(right), { sha256 });
}

/** Each of 1,000 characters. */
const texts = (count: number): string[] =>
  Array.from({ length: count }, (_, i) => `${i} `.padEnd(1000, 'word '));

describe('the items of a stream that are too many', () => {
  it('are its first and its last, each as it is, within one megabyte', () => {
    const items = texts(5000);
    const { json, cut, output, held } = gathered(items);
    expect(cut).toEqual({
      items: 5000,
      kept: expect.any(Number),
      tail: expect.any(Number),
      hmac: expect.any(String),
    });
    expect(json).toHaveLength(cut.kept + cut.tail!);
    expect(json.slice(0, cut.kept)).toEqual(items.slice(0, cut.kept));
    expect(json.slice(cut.kept)).toEqual(items.slice(-cut.tail!));
    expect(Math.min(cut.kept, cut.tail!)).toBeGreaterThan(450);
    expect(output.size).toBeLessThan(1.01 * MIB);
    expect(held).toBeLessThan(1.01 * MIB);
    expect(output.replayable).toBe(false);
  });

  it.each<[string, (i: number) => unknown]>([
    ['bytes', (i) => Buffer.alloc(60_000, i)],
    ['objects with dates', (i) => ({ i, at: new Date(i), text: 'word '.repeat(2000) })],
    ['texts that are cut themselves', (i) => `${i}${'word '.repeat(250_000)}`],
  ])('may be %s', (_, make) => {
    const { json, cut, held } = gathered(Array.from({ length: 300 }, (__, i) => make(i)));
    const whole = gathered([make(299)]).json[0];
    expect(json.at(-1)).toEqual(whole);
    expect(json).toHaveLength(cut.kept + cut.tail!);
    expect(cut.tail).toBeGreaterThan(0);
    expect(held).toBeLessThan(3.1 * MIB);
  });

  it('have the hash that the whole list has, keyed', () => {
    const items = texts(3000).map((text, i) =>
      i % 3 === 0 ? { b: i, a: text } : i % 50 === 1 ? undefined : text,
    );
    const form = JSON.stringify(
      items.map((item) => (typeof item === 'object' ? { a: item.a, b: item.b } : item)),
    );
    // One undefined item alone has its own word in the canonical form.
    expect(gathered(items).cut.hmac).toBe(hmacSha256('one', form.replaceAll(',null,', ',undefined,')));
  });

  it('compare by it', () => {
    const items = texts(3000);
    const { output } = gathered(items);
    expect(compared(output, gathered(items).output)).toBe('equal');
    expect(compared(output, gathered(items.with(1500, 'another')).output)).toBe('unknown');
    expect(compared(output, gathered(items.with(2999, 'another')).output)).toBe('different');
    expect(compared(output, gathered(items.with(0, 'another')).output)).toBe('different');
    expect(compared(output, gathered(items.slice(0, -1)).output)).toBe('different');
    expect(compared(output, gathered(items, { redactionSecret: 'two' }).output)).toBe('unknown');
  });

  it('have no hash when one is masked or not fully known, or they exceed 8 MiB', () => {
    const masked = texts(3000).with(1500, 'key sk-proj-abcdefghijklmnopqrst1234');
    expect(gathered(masked).cut).not.toHaveProperty('hmac');
    const unknown: unknown[] = texts(3000);
    unknown[1500] = () => 1;
    expect(gathered(unknown).cut).not.toHaveProperty('hmac');
    expect(gathered(texts(9000)).cut).not.toHaveProperty('hmac');
  });

  it('end with those that were kept at last, where there was no memory between', () => {
    const items = texts(3000);
    const { json, cut } = gathered(items, {}, (i) => i < 10 || i > 2990);
    expect(json).toEqual([...items.slice(0, 8), ...items.slice(2993)]);
    expect(cut).toEqual({ items: 3000, kept: 8, tail: 7 });
    expect(gathered(items, {}, (i) => i < 10).cut).toEqual({ items: 3000, kept: 8 });
  });

  it('make the result of captureOutput unknown', () => {
    const fields = new FieldCapture(new Capturer(), () => undefined);
    const outputs = [1, 2].map(() => {
      const items = new GatheredItems(fields, {
        captureOutput: (list: unknown) => (list as unknown[]).length,
      });
      for (const text of texts(3000)) items.add(text);
      return items.output()!;
    });
    expect(compared(outputs[0]!, outputs[1]!)).toBe('unknown');
    expect(outputs[0]!.replayable).toBe(false);
  });

  it('are never called equal when they differ, nor different when they are equal', () => {
    const item = fc.oneof(
      fc.string(),
      fc.constantFrom(undefined, null, 1, true),
      fc.dictionary(fc.string(), fc.integer()),
    );
    const filler = texts(1500);
    fc.assert(
      fc.property(
        fc.array(item, { maxLength: 20 }),
        fc.array(item, { maxLength: 20 }),
        fc.nat(1500),
        (one, other, at) => {
          const between = (items: unknown[]): unknown[] => [
            ...filler.slice(0, at),
            ...items,
            ...filler.slice(at),
          ];
          const [before, same, after] = [one, one, other].map((items) => gathered(between(items)).output);
          const verdict = compared(before!, after!);
          const isEqual = isDeepStrictEqual(one, other);
          return (
            compared(before!, same!) === 'equal' &&
            (verdict === 'unknown' || (verdict === 'equal') === isEqual)
          );
        },
      ),
      { numRuns: 12 },
    );
  });
});
