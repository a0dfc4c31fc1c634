import { inspect } from 'node:util';
import { meanScore, type NamedScore, stripControlCharacters, type VariantScores } from '@dacapo/evaluation';
import type { MaskedItem } from '@dacapo/tracer/internal';

/** The result of one variant for one item and repetition. */
export interface GridCell {
  readonly repetition: number;
  /** The output or error as text for people. */
  readonly text: string;
  readonly isError: boolean;
  readonly scores: readonly NamedScore[];
  readonly durationMs: number | undefined;
  /** The output as JSON; set only when the grid keeps values. */
  readonly output?: unknown;
}

/** One item with the results of each variant. */
export interface GridRow {
  readonly itemNo: number;
  readonly name: string | undefined;
  readonly input: string;
  /** By variant, in the order of completion. */
  readonly cells: ReadonlyMap<string, readonly GridCell[]>;
}

interface OpenRow extends GridRow {
  readonly cells: Map<string, GridCell[]>;
  readonly sessionId: string | undefined;
}

/** Longer texts are cut: a table shows less, and there may be many items. */
const LONGEST_TEXT = 300;

export interface EvalGridParts {
  /** Names by item number. */
  readonly names: readonly (string | undefined)[];
  /** Whether whole outputs are kept, for `--json`. */
  readonly keepsValues: boolean;
  /** Items with the same identity share a row. */
  readonly identify: (item: MaskedItem) => string;
}

/** Results of an evaluation: rows are items, columns are variants. */
export class EvalGrid {
  private readonly byItem = new Map<string, OpenRow>();
  /** In order of appearance. */
  readonly scoreNames = new Set<string>();

  constructor(
    readonly variants: readonly string[],
    private readonly parts: EvalGridParts,
  ) {}

  add(variant: string, item: MaskedItem): void {
    const identity = this.parts.identify(item);
    const row = this.byItem.get(identity) ?? this.open(identity, item);
    const isError = 'error' in item;
    const cell: GridCell = {
      repetition: item.repetition ?? 0,
      text: isError ? describeError(item.error) : describeValue(item.result),
      isError,
      scores: item.scores,
      durationMs: item.durationMs,
      ...(this.parts.keepsValues && !isError && { output: toJson(item.result) }),
    };
    row.cells.set(variant, [...(row.cells.get(variant) ?? []), cell]);
    for (const { name } of item.scores) this.scoreNames.add(name);
  }

  /** Sorted by item number. */
  rows(): GridRow[] {
    return [...this.byItem.values()].sort((a, b) => a.itemNo - b.itemNo);
  }

  /** Session ids by row index, for rows that have one. */
  sessions(): Map<number, string> {
    const known = [...this.byItem.values()].flatMap(({ sessionId }, place) =>
      sessionId === undefined ? [] : [[place, sessionId] as const],
    );
    return new Map(known);
  }

  /** Scores of each variant by row index. An item counts only if each of its repetitions has the score. */
  scores(): VariantScores[] {
    return this.variants.map((name) => ({
      name,
      scores: new Map(Array.from(this.scoreNames, (score) => [score, this.numbers(name, score)])),
    }));
  }

  private numbers(variant: string, score: string): Map<number, number> {
    const numbers = new Map<number, number>();
    for (const [place, { cells }] of [...this.byItem.values()].entries()) {
      const mean = meanScore(cells.get(variant) ?? [], score);
      if (mean !== undefined) numbers.set(place, mean);
    }
    return numbers;
  }

  private open(identity: string, { itemNo, input, sessionId }: MaskedItem): OpenRow {
    const [only, ...others] = input;
    const row: OpenRow = {
      itemNo,
      name: this.parts.names[itemNo],
      input: describeValue(others.length === 0 ? only : input),
      cells: new Map(),
      sessionId,
    };
    this.byItem.set(identity, row);
    return row;
  }
}

/** One line: strings as they are, anything else as JSON. */
function describeValue(value: unknown): string {
  const json = toJson(value);
  const text = typeof json === 'string' ? json : JSON.stringify(json);
  return stripControlCharacters(text.slice(0, LONGEST_TEXT));
}

function describeError(error: unknown): string {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : `Thrown: ${describeValue(error)}`;
  return stripControlCharacters(text.slice(0, LONGEST_TEXT));
}

/** Values that JSON cannot hold become text. */
function toJson(value: unknown): unknown {
  try {
    const text = JSON.stringify(value) as string | undefined;
    return text === undefined ? inspect(value) : (JSON.parse(text) as unknown);
  } catch {
    return inspect(value);
  }
}
