import { countOpenings, findStringEnd, hasMoreMembers, isDeeperThan, LIMITS } from '@dacapo/protocol';
import { randomUUID } from 'node:crypto';
import { CONTAINER_BYTES, type Reservation } from './memory-budget.js';
import type { Turns } from './turns.js';

/** A longer string is parsed in one turn. */
const CHARACTERS_IN_A_TURN = 256 * 1024;

/** Finding a piece of so many times that length takes a turn of its own. */
const LONG_PIECES = 4;

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPENING_ARRAY = 0x5b;
const CLOSING_ARRAY = 0x5d;
const OPENING_OBJECT = 0x7b;
const CLOSING_OBJECT = 0x7d;

export class JsonBoundError extends Error {
  constructor(readonly bound: 'depth' | 'members') {
    super(`The JSON has too many ${bound === 'depth' ? 'levels' : 'members of objects'}`);
  }
}

export interface JsonBounds {
  /** Maximum for all objects together. */
  members: number;
  /** Whether the JSON may nest deeper than `LIMITS.jsonDepth`. Such JSON is parsed at once. */
  isDeep?: boolean;
  /** Grows by the memory of arrays and objects. */
  memory: Reservation;
}

/**
 * Parses like `JSON.parse`, without blocking the event loop for long. It cuts a long text at commas, adds to each piece the brackets
 * that are open at its ends, parses the piece, and adds the content to the open arrays and objects.
 *
 * @throws JsonBoundError when the JSON exceeds the bounds
 * @throws SyntaxError when the text is not JSON
 * @throws BusyException, PayloadTooLargeException from the reservation
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

/** An array or object that is not closed yet. */
interface Open {
  isArray: boolean;
  /** The place of the last name before it, which is its own name if it is in an object. */
  name: Place;
  /** The content so far, once a piece has ended inside. */
  value: Container | undefined;
}

type Place = readonly [begin: number, end: number];

class PieceParser {
  result: unknown;
  isTooDeep = false;
  /** Stands for the name of an open value in the next piece. Random, so that it is in no text. */
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

  /** Finds the end of the next piece; false if there is none. */
  findPiece(): boolean {
    if (this.begin > this.json.length) return false;
    this.end = this.findEnd();
    return !this.isTooDeep;
  }

  /** Whether the piece is far longer than others because of a long string. */
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
    // The added brackets would turn these two mistakes into JSON.
    if (this.begin > 0 && ']}'.includes(piece.trimStart().charAt(0))) {
      throw new SyntaxError('no value follows a comma');
    }
    if (!isLast && '[{'.includes(piece.trimEnd().at(-1) ?? '')) {
      throw new SyntaxError('no value precedes a comma');
    }
    const closings = this.open.map(({ isArray }) => (isArray ? ']' : '}')).reverse();
    this.join(JSON.parse(this.openingsBefore() + piece + (isLast ? '' : closings.join(''))));
    this.openAtBegin = [...this.open];
    this.begin = end + 1;
  }

  /** Returns the place of the first comma after a turn's length, or the end of the text. */
  private findEnd(): number {
    const { json } = this;
    const far = this.begin + CHARACTERS_IN_A_TURN;
    for (let at = this.begin; at < json.length; at++) {
      switch (json.charCodeAt(at)) {
        case QUOTE: {
          const end = findStringEnd(json, at);
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

  /** @param value the parsed piece, inside the arrays and objects that were open before it */
  private join(value: unknown): void {
    if (this.openAtBegin.length === 0) this.result = value;
    let added = value;
    for (const [depth, { value: container }] of this.openAtBegin.entries()) {
      const isInnermost = depth === this.openAtBegin.length - 1;
      added = this.add(added as Container, container as Container, isInnermost);
    }
    let around: Container | undefined;
    for (const open of this.open) {
      open.value ??= (around === undefined ? value : this.findOpen(around, open)) as Container;
      around = open.value;
    }
  }

  /** Adds a piece's content to an open container. @returns the next inner one, unless this is the innermost */
  private add(added: Container, to: Container, isInnermost: boolean): unknown {
    if (Array.isArray(added)) {
      for (let index = isInnermost ? 0 : 1; index < added.length; index++) {
        (to as unknown[]).push(added[index]);
      }
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

  private findOpen(around: Container, { name }: Open): unknown {
    if (Array.isArray(around)) return around.at(-1);
    return around[JSON.parse(this.json.slice(...name)) as string];
  }
}
