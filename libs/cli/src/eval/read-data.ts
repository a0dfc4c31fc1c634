import { dirname, resolve } from 'node:path';
import { nearestName } from '@dacapo/protocol';
import type {
  RecordedCalls,
  DatasetItems,
  EvalItem,
  EvalRows,
  EvaluationData,
  EvaluationItem,
} from '@dacapo/tracer';
import { readRows } from '../datasets/read-rows.js';
import { watchFile } from '../supervision/watch-eval.js';
import { PathUnreadableError, describeCause } from '../errors.js';
import { EvalFileError, NothingToEvaluateError } from './errors.js';
import type { EvalPlan } from './read-eval.js';

const CURE =
  "Write it like [{ input: 'late' }], 'rows.csv', { file: 'rows.csv', input: 'text' }, { dataset: 'tickets' } or { key: 'desk' }.";

const ROWS_FIELDS = ['file', 'input', 'expected', 'name'];
/** Bad rows that the message lists. */
const MOST_LISTED = 5;

/**
 * Reads a list, a function that returns one, or a file. `tracer.evaluate` reads datasets and stored calls.
 *
 * @param path absolute path of the eval file; data files are relative to it
 * @throws EvalFileError when the data is invalid, or a file or a row cannot be read
 * @throws NothingToEvaluateError when there is no item
 */
export async function readEvalData({ file, data: given }: EvalPlan, path: string): Promise<EvaluationData> {
  const data: unknown = typeof given === 'function' ? await given() : given;
  if (typeof data === 'string') return readList(file, await readFileRows(file, path, { file: data }));
  if (Array.isArray(data)) return readList(file, data as EvalItem[]);
  if (typeof data !== 'object' || data === null)
    throw new EvalFileError(
      file,
      `data must be a list, a file, a dataset or stored calls, not ${typeof data}`,
      CURE,
    );
  if ('file' in data) return readList(file, await readFileRows(file, path, data as EvalRows));
  if ('dataset' in data || 'key' in data) return data as DatasetItems | RecordedCalls;
  throw new EvalFileError(
    file,
    `data is an object with ${Object.keys(data).join(', ') || 'no fields'}`,
    CURE,
  );
}

function readList(file: string, items: readonly EvalItem[]): EvaluationItem[] {
  if (items.length === 0) throw new NothingToEvaluateError(file);
  return items.map((item) => {
    // The tracer reports an item that is not an object.
    if (typeof item !== 'object') return item;
    const { id, ...rest } = item;
    return { ...rest, ...(rest.name === undefined && id !== undefined && { name: id }) };
  });
}

async function readFileRows(file: string, path: string, rows: EvalRows): Promise<EvalItem[]> {
  const unknown = Object.keys(rows).find((field) => !ROWS_FIELDS.includes(field));
  if (unknown !== undefined) {
    const near = nearestName(unknown, ROWS_FIELDS);
    const cure = near === undefined ? `Use ${ROWS_FIELDS.join(', ')}.` : `Did you mean "${near}"?`;
    throw new EvalFileError(file, `unknown field "data.${unknown}"`, cure);
  }
  if (typeof rows.file !== 'string') throw new EvalFileError(file, 'data.file must be a path', CURE);
  const input = typeof rows.input === 'string' ? [rows.input] : rows.input;
  const dataPath = resolve(dirname(path), rows.file);
  watchFile(dataPath);
  const columns = {
    ...(input && { input }),
    ...(rows.expected !== undefined && { expected: rows.expected }),
  };
  const read = await readRows(dataPath, columns, "data: { file, input: 'column' }").catch(
    (error: unknown) => {
      if (!(error instanceof PathUnreadableError)) throw error;
      const problem = `${rows.file} cannot be read (${describeCause(error.cause)})`;
      throw new EvalFileError(
        file,
        problem,
        'Name a file that exists: its path is relative to the eval file.',
      );
    },
  );
  const bad = read.flatMap((row) => ('problem' in row ? [`row ${row.row} ${row.problem}`] : []));
  if (bad.length > 0) {
    const more = bad.length > MOST_LISTED ? `; and ${bad.length - MOST_LISTED} more` : '';
    const problem = `${rows.file}: ${bad.slice(0, MOST_LISTED).join('; ')}${more}`;
    throw new EvalFileError(file, problem, 'Correct the rows; the first row of a table is row 1.');
  }
  return read.flatMap((row) => {
    if ('problem' in row) return [];
    const { input: args, expected, metadata = {}, id, meta, expected_meta } = row.item;
    if (meta !== undefined || expected_meta !== undefined)
      throw new EvalFileError(
        file,
        `${rows.file}: row ${row.row} has the type notes of a recorded value`,
        "Add the file to a dataset, and evaluate that: data: { dataset: 'tickets' }.",
      );
    const named: unknown = metadata[rows.name ?? 'name'];
    return [
      {
        args,
        metadata,
        ...(expected !== undefined && { expected }),
        ...(typeof named === 'string' && named.trim() !== '' && { name: named }),
        ...(id !== undefined && { id }),
      },
    ];
  });
}
