import { isDatasetName } from '@dacapo/protocol';
import { InvalidOptionError } from '../errors.js';
import { resolveOptions } from '../options/check-options.js';
import { DATA_CURE, type DatasetItems, type ResolvedEvaluateOptions } from '../options/evaluate-options.js';
import { isRecord } from '../options/option.js';
import { SELECTION_OPTIONS } from '../options/selection-options.js';
import type { RunData } from './source/run-source.js';

const ITEM_FIELDS = ['input', 'args', 'expected', 'name', 'metadata'];

/** Options that need recorded calls, or the service's own items. */
type RecordingOptions = Pick<
  ResolvedEvaluateOptions,
  'mock' | 'normalize' | 'clock' | 'adaptArgs' | 'baseline'
>;

/**
 * Reads the data of an evaluation.
 *
 * @throws InvalidOptionError when it is missing or cannot be read, or an option needs recorded calls and there are none
 */
export function readData(data: ResolvedEvaluateOptions['data'], options: RecordingOptions): RunData {
  if (data === undefined) throw new InvalidOptionError('evaluate.data', 'is missing', DATA_CURE);
  if (isList(data)) {
    refuseForList(options);
    data.forEach(checkItem);
    return { kind: 'list', items: data };
  }
  if ('dataset' in data) return readDataset(data);
  const { key, ...selection } = data;
  if (typeof key !== 'string' || key.trim() === '')
    throw new InvalidOptionError(
      'evaluate.data.key',
      'must be a string that is not blank',
      'Pass the trace function key of the calls.',
    );
  return { kind: 'calls', key, selection: resolveOptions('evaluate.data.', SELECTION_OPTIONS, selection) };
}

function readDataset(data: DatasetItems): RunData {
  const { dataset, version, ...others } = data;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined)
    throw new InvalidOptionError(`evaluate.data.${unknown}`, 'is unknown', DATA_CURE);
  if (typeof dataset !== 'string' || !isDatasetName(dataset))
    throw new InvalidOptionError('evaluate.data.dataset', 'must be the name of a dataset', DATA_CURE);
  if (version !== undefined && !(Number.isSafeInteger(version) && version > 0))
    throw new InvalidOptionError(
      'evaluate.data.version',
      'must be a whole number of at least 1',
      'Omit it for the latest.',
    );
  return { kind: 'dataset', name: dataset, version };
}

/** Options that need items of the service. */
function refuseForList({ mock, normalize, clock, adaptArgs, baseline }: RecordingOptions): void {
  if (mock !== 'none')
    throw new InvalidOptionError(
      'evaluate.mock',
      `is ${JSON.stringify(mock)}, but the items of a list have no recording`,
      "Remove it, or evaluate recorded calls: data: { key: 'desk' }.",
    );
  if (normalize !== undefined)
    throw new InvalidOptionError(
      'evaluate.normalize',
      'compares recorded arguments, but the items of a list have no recording',
      "Remove it, or evaluate recorded calls: data: { key: 'desk' }.",
    );
  if (clock === 'recorded')
    throw new InvalidOptionError(
      'evaluate.clock',
      'is "recorded", but the items of a list have no recorded time',
      "Remove it, or evaluate recorded calls: data: { key: 'desk' }.",
    );
  if (adaptArgs !== undefined)
    throw new InvalidOptionError(
      'evaluate.adaptArgs',
      'adapts recorded arguments, but a list has your own arguments',
      'Remove it, and write the arguments as the function expects them.',
    );
  if (baseline === 'accepted' || (typeof baseline === 'object' && 'testRunId' in baseline))
    throw new InvalidOptionError(
      'evaluate.baseline',
      'needs earlier outcomes, but the items of a list have none',
      "Add the list to a dataset, and evaluate that: data: { dataset: 'tickets' }.",
    );
}

function isList(
  data: NonNullable<ResolvedEvaluateOptions['data']>,
): data is Extract<typeof data, readonly unknown[]> {
  return Array.isArray(data);
}

function checkItem(item: unknown, index: number): void {
  const name = `evaluate.data[${index}]`;
  const cure =
    "Write it like { input: 'late', expected: 'delivery' }, or { args: ['late', 2] } for several arguments.";
  if (!isRecord(item)) throw new InvalidOptionError(name, `must be an object, not ${typeof item}`, cure);
  const unknown = Object.keys(item).find((field) => !ITEM_FIELDS.includes(field));
  if (unknown !== undefined) throw new InvalidOptionError(`${name}.${unknown}`, 'is unknown', cure);
  if (item['name'] !== undefined && (typeof item['name'] !== 'string' || item['name'].trim() === ''))
    throw new InvalidOptionError(
      `${name}.name`,
      'must be a text that is not blank',
      'Omit it for a hash of the arguments.',
    );
  if (item['args'] !== undefined && !Array.isArray(item['args']))
    throw new InvalidOptionError(`${name}.args`, 'must be the list of arguments', cure);
  if ('input' in item === (item['args'] !== undefined))
    throw new InvalidOptionError(name, 'must have either input or args', cure);
}
