import { countOpenings, endOfString, hasMoreMembers, isDeeperThan, LIMITS } from '@dacapo/protocol';
import { randomUUID } from 'node:crypto';
import { CONTAINER_BYTES, type Reservation } from './memory-budget.js';
import type { Turns } from './turns.js';

/** Characters of JSON parsed in a turn, or one string that is longer; other requests have theirs in between. */
const CHARACTERS_IN_A_TURN = 256 * 1024;

/** A piece of so many times that length is found in a turn of its own. */
const LONG_PIECES = 4;

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPENING_ARRAY = 0x5b;
const CLOSING_ARRAY = 0x5d;
const OPENING_OBJECT = 0x7b;
const CLOSING_OBJECT = 0x7d;

/** What is parsed has more of something than it may. */
export class JsonBoundError extends Error {
  constructor(readonly bound: 'depth' | 'members') {
    super(`The JSON has too many ${bound === 'depth' ? 'levels' : 'members of objects'}`);
  }
}

export interface JsonBounds {
  /** Members of all objects. */
  members: number;
  /** Whether it may nest deeper than `LIMITS.jsonDepth`. What does is parsed in one go. */
  isDeep?: boolean;
  /** Grows by what arrays and objects take in addition to their text. */
  memory: Reservation;
}

/**
 * What `JSON.parse` makes of a text, without holding up the event loop for long. A long text is cut at commas, however deep they are;
 * around each piece go the brackets that are open at its ends, and what is in the piece is added to what they belong to.
 *
 * @throws JsonBoundError when it has more than the bounds say
 * @throws SyntaxError when it is no JSON
 * @throws BusyException, PayloadTooLargeException of the reservation
 */
export async function parseInTurns(
  json: string,
  bounds: JsonBounds,
  turns: Pick<Turns, 'next'>,
): Promise<unknown> {
  if (json.length <= CHARACTERS_IN_A_TURN) return parseAtOnce(json, bounds);
  const parser = new PieceParser(json, bounds);
  while (parser.findPiece()) {
    if (parser.isLong) await turns.next();
    parser.takePiece();
    await turns.next();
  }
  if (!parser.isTooDeep) return parser.result;
  if (bounds.isDeep !== true) throw new JsonBoundError('depth');
  return parseAtOnce(json, bounds);
}

function parseAtOnce(json: string, { members, isDeep = false, memory }: JsonBounds): unknown {
  memory.grow(CONTAINER_BYTES * countOpenings(json));
  if (!isDeep && isDeeperThan(json, LIMITS.jsonDepth)) throw new JsonBoundError('depth');
  if (hasMoreMembers(json, members)) throw new JsonBoundError('members');
  return JSON.parse(json);
}

type Container = unknown[] | Record<string, unknown>;

/** An array or object that is not closed at some place of the text. */
interface Open {
  isArray: boolean;
  /** Where the last name before it is: its own, in an object. */
  name: Place;
  /** What there is of it so far, once a piece has ended in it. */
  value: Container | undefined;
}

type Place = readonly [begin: number, end: number];

class PieceParser {
  result: unknown;
  isTooDeep = false;
  /** The name of what is open in an object, in a piece that goes on inside it: no text knows it. */
  private readonly placeholder = randomUUID();
  private begin = 0;
  private end = 0;
  private openAtBegin: readonly Open[] = [];
  private readonly open: Open[] = [];
  private string: Place = [0, 0];
  private name: Place = [0, 0];
  private members = 0;
  private openings = 0;

  constructor(
    private readonly json: string,
    private readonly bounds: JsonBounds,
  ) {}

  /** Finds where the next piece ends. @returns whether there is one */
  findPiece(): boolean {
    if (this.begin > this.json.length) return false;
    this.end = this.findEnd();
    return !this.isTooDeep;
  }

  /** Whether the piece that is found is far longer than others, as one string may be. */
  get isLong(): boolean {
    return this.end - this.begin > LONG_PIECES * CHARACTERS_IN_A_TURN;
  }

  takePiece(): void {
    const { end } = this;
    if (this.members > this.bounds.members) throw new JsonBoundError('members');
    this.bounds.memory.grow(CONTAINER_BYTES * this.openings);
    this.openings = 0;
    const piece = this.json.slice(this.begin, end);
    const isLast = end === this.json.length;
    // With the brackets around it, it would be JSON.
    if (this.begin > 0 && ']}'.includes(piece.trimStart().charAt(0)))
      throw new SyntaxError('nothing is behind a comma');
    if (!isLast && '[{'.includes(piece.trimEnd().at(-1) ?? ''))
      throw new SyntaxError('nothing is before a comma');
    const closings = this.open.map(({ isArray }) => (isArray ? ']' : '}')).reverse();
    this.join(JSON.parse(this.openingsBefore() + piece + (isLast ? '' : closings.join(''))));
    this.openAtBegin = [...this.open];
    this.begin = end + 1;
  }

  /** @returns where the first comma is that is far enough, or the text ends */
  private findEnd(): number {
    const { json } = this;
    const far = this.begin + CHARACTERS_IN_A_TURN;
    for (let at = this.begin; at < json.length; at++) {
      switch (json.charCodeAt(at)) {
        case QUOTE: {
          const end = endOfString(json, at);
          this.string = [at, end + 1];
          at = end;
          break;
        }
        case COLON:
          this.name = this.string;
          this.members++;
          break;
        case OPENING_ARRAY:
        case OPENING_OBJECT:
          this.openings++;
          this.open.push({
            isArray: json.charCodeAt(at) === OPENING_ARRAY,
            name: this.name,
            value: undefined,
          });
          if (this.open.length > LIMITS.jsonDepth) this.isTooDeep = true;
          if (this.isTooDeep) return at;
          break;
        case CLOSING_ARRAY:
        case CLOSING_OBJECT:
          this.open.pop();
          break;
        case COMMA:
          if (at >= far && this.open.length > 0) return at;
      }
    }
    return json.length;
  }

  private openingsBefore(): string {
    const openings = this.openAtBegin.map(({ isArray }, depth) => {
      const isMember = this.openAtBegin[depth - 1]?.isArray === false;
      return `${isMember ? `"${this.placeholder}":` : ''}${isArray ? '[' : '{'}`;
    });
    return openings.join('');
  }

  /** @param value what was open before the piece, with nothing in it but what the piece has */
  private join(value: unknown): void {
    if (this.openAtBegin.length === 0) this.result = value;
    let added = value;
    for (const [depth, { value: container }] of this.openAtBegin.entries()) {
      const isInnermost = depth === this.openAtBegin.length - 1;
      added = this.add(added as Container, container as Container, isInnermost);
    }
    let around: Container | undefined;
    for (const open of this.open) {
      open.value ??= (around === undefined ? value : this.lastOf(around, open)) as Container;
      around = open.value;
    }
  }

  /** @returns what goes on in it, unless it is the innermost that does */
  private add(added: Container, to: Container, isInnermost: boolean): unknown {
    if (Array.isArray(added)) {
      for (let index = isInnermost ? 0 : 1; index < added.length; index++)
        (to as unknown[]).push(added[index]);
      return added[0];
    }
    for (const name of Object.keys(added)) {
      if (name === this.placeholder) continue;
      const value = added[name];
      if (name !== '__proto__') (to as Record<string, unknown>)[name] = value;
      else Object.defineProperty(to, name, { value, configurable: true, enumerable: true, writable: true });
    }
    return added[this.placeholder];
  }

  private lastOf(around: Container, { name }: Open): unknown {
    if (Array.isArray(around)) return around.at(-1);
    return around[JSON.parse(this.json.slice(...name)) as string];
  }
}
