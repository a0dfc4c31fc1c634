import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { type DatasetItemInput, isJsonObject, type JsonObject, type JsonValue } from '@dacapo/protocol';
import { PathUnreadableError, UsageError } from '../errors.js';
import { csvRecords } from './csv.js';

/** A row of a file as a dataset item, or why it is not one. Rows count from 1, including the header. */
export type ReadRow = { readonly row: number } & (
  { readonly item: DatasetItemInput } | { readonly problem: string }
);

export interface Columns {
  /** Columns with the arguments, in order. */
  readonly input?: readonly string[];
  /** Column with the expected value. */
  readonly expected?: string;
}

/** Fields of a JSON line without named columns. `input` is the only argument, `args` the list of all. */
const FIELDS = ['id', 'input', 'args', 'meta', 'expected', 'expected_meta', 'metadata', 'source'];

/**
 * Reads a file of items. A bad row does not affect the others.
 *
 * @param columnsOption the option that names columns, for messages
 * @throws PathUnreadableError
 * @throws UsageError when it is neither JSONL nor CSV, or lacks a column
 */
export async function readRows(
  path: string,
  columns: Columns,
  columnsOption = '--input',
): Promise<ReadRow[]> {
  const extension = extname(path).toLowerCase();
  const isCsv = extension === '.csv';
  if (!isCsv && extension !== '.jsonl' && extension !== '.ndjson')
    throw new UsageError(`${path} has an unknown extension. Name a .jsonl, .ndjson or .csv file.`);
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (cause) {
    throw new PathUnreadableError(path, { cause });
  }
  return isCsv ? readCsv(path, text, columns, columnsOption) : readLines(text, columns, columnsOption);
}

function readLines(text: string, columns: Columns, columnsOption: string): ReadRow[] {
  return text
    .replace(/^\uFEFF/, '')
    .split(/\r\n|\n/)
    .map((line, index) => ({ row: index + 1, line }))
    .filter(({ line }) => line.trim() !== '')
    .map(({ row, line }): ReadRow => {
      let value: unknown;
      try {
        value = JSON.parse(line);
      } catch {
        return { row, problem: 'is not JSON' };
      }
      if (!isJsonObject(value)) return { row, problem: 'is not a JSON object' };
      return {
        row,
        ...(columns.input === undefined
          ? readItem(value, columns, columnsOption)
          : mapColumns(value, columns)),
      };
    });
}

function readCsv(path: string, text: string, columns: Columns, columnsOption: string): ReadRow[] {
  const [header, ...records] = csvRecords(text);
  if (header === undefined || !('cells' in header))
    throw new UsageError(
      `${path} is empty or its first row is invalid. Write column names in the first row.`,
    );
  const names = header.cells;
  const { input = ['input'], expected } = columns;
  const missing = [...input, ...(expected === undefined ? [] : [expected])].find(
    (name) => !names.includes(name),
  );
  if (missing !== undefined)
    throw new UsageError(
      `${path} has no column "${missing}", only ${names.join(', ')}. Name the argument columns with ${columnsOption}.`,
    );
  const wanted = { input, expected: expected ?? (names.includes('expected') ? 'expected' : undefined) };
  return records.map((record): ReadRow => {
    const { row } = record;
    if ('problem' in record) return { row, problem: record.problem };
    const { cells } = record;
    if (cells.length !== names.length)
      return { row, problem: `has ${cells.length} cells, but the first row has ${names.length}` };
    const filled = names.map((name, index) => [name, cells[index] ?? '']).filter(([, cell]) => cell !== '');
    const empty = Object.fromEntries(input.map((name) => [name, '']));
    const { input: arguments_, expected: value } = wanted;
    const values = { ...empty, ...(Object.fromEntries(filled) as JsonObject) };
    return {
      row,
      ...mapColumns(values, { input: arguments_, ...(value !== undefined && { expected: value }) }),
    };
  });
}

type Read = { item: DatasetItemInput } | { problem: string };

/** Reads a row by its named columns; the other columns become metadata. */
function mapColumns(values: JsonObject, { input = [], expected }: Columns): Read {
  const missing = input.find((name) => values[name] === undefined);
  if (missing !== undefined) return { problem: `has no ${missing}` };
  const wanted = expected === undefined ? undefined : values[expected];
  const rest = Object.entries(values).filter(([name]) => !input.includes(name) && name !== expected);
  return {
    item: {
      input: input.map((name) => values[name] as JsonValue),
      ...(wanted !== undefined && { expected: wanted }),
      ...(rest.length > 0 && { metadata: Object.fromEntries(rest) }),
    },
  };
}

/** Reads a line with the fields of an item. The service validates their values. */
function readItem(values: JsonObject, columns: Columns, columnsOption: string): Read {
  const { input, args, ...rest } = values;
  const known = columns.expected === undefined ? FIELDS : [...FIELDS, columns.expected];
  const unknown = Object.keys(values).find((name) => !known.includes(name));
  if (unknown !== undefined)
    return {
      problem: `has the unknown field "${unknown}". Use ${FIELDS.join(', ')}, or name the arguments with ${columnsOption}`,
    };
  if (input === undefined && args === undefined) return { problem: 'has neither input nor args' };
  if (args !== undefined && !Array.isArray(args)) return { problem: 'has args that are not a list' };
  const rowArguments = args ?? [input as JsonValue];
  if (columns.expected === undefined) return { item: { ...rest, input: rowArguments } };
  const { [columns.expected]: expected, ...others } = rest;
  return { item: { ...others, input: rowArguments, ...(expected !== undefined && { expected }) } };
}
