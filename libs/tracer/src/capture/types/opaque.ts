import { classTraits, type ClassTraits, dataProperty, platformReason } from '@dacapo/protocol';
import { types } from 'node:util';
import { platformProperty } from '../walk/own-data.js';
import type { Walk } from '../walk/walk.js';

type Has = (...members: PropertyKey[]) => boolean;

/** Objects with behaviour instead of data, by the capabilities of their classes. They are only named; never read, awaited or subscribed to. */
const KINDS: readonly [label: string, is: (has: Has, traits: ClassTraits) => boolean][] = [
  ['Promise', (has) => has('then')],
  ['Stream', (has) => has('pipe', 'on') || has('getReader') || has('getWriter')],
  ['Observable', (has) => has('subscribe') && (has('pipe') || has(Symbol.for('observable')))],
  ['Iterator', (has) => has('next', Symbol.iterator) || has('next', Symbol.asyncIterator)],
  ['AsyncIterable', (has) => has(Symbol.asyncIterator)],
  ['Blob', (has) => has('arrayBuffer', 'stream')],
  ['Body', (has) => has('arrayBuffer', 'clone')],
  ['Headers', (has) => has('append', 'delete', 'get', 'set', 'has')],
  ['EventEmitter', (has) => has('on', 'emit')],
  ['EventTarget', (has) => has('addEventListener', 'dispatchEvent')],
  ['Port', (has) => has('postMessage')],
  ['Timer', (has) => has('hasRef', 'ref', 'unref')],
];

/** Writes a label for promises, streams, iterators, Observables, requests and similar objects; for requests with method and path. */
export function writeOpaque(value: object, node: number, walk: Walk): boolean {
  if (types.isProxy(value)) return false;
  if (isAbortSignal(value)) return writeAbortSignal(value, node, walk);
  const label = opaqueLabel(value);
  if (label === undefined) return false;
  const summary = exchangeSummary(value);
  walk.note(node, { type: 'opaque', class: label });
  walk.lost();
  if (summary === undefined) walk.label(label);
  else walk.record(summary, undefined, node);
  return true;
}

function opaqueLabel(value: object): string | undefined {
  if (types.isPromise(value)) return 'Promise';
  if (types.isWeakMap(value)) return 'WeakMap';
  if (types.isWeakSet(value)) return 'WeakSet';
  if (types.isGeneratorObject(value)) return 'Generator';
  if (types.isExternal(value)) return 'External';
  if (types.isModuleNamespaceObject(value)) return 'Module';
  if (types.isKeyObject(value) || types.isCryptoKey(value)) return 'Key';
  const prototype = Object.getPrototypeOf(value) as object;
  const traits = classTraits(prototype);
  if (dataProperty(prototype, Symbol.toStringTag) === 'WeakRef') return 'WeakRef';
  if (wrapsExchange(value)) return traits.name || 'Request';
  if (!traits.behaves) return undefined;
  const has: Has = (...members) => members.every((member) => traits.members.has(member));
  const kind = KINDS.find(([, is]) => is(has, traits));
  if (kind === undefined) return undefined;
  return traits.name === '' || traits.name === 'Object' ? kind[0] : traits.name;
}

function isAbortSignal(value: object): boolean {
  const { members } = classTraits(Object.getPrototypeOf(value) as object);
  return members.has('throwIfAborted') && members.has('aborted');
}

/** Writes an AbortSignal by its state. A replayed call gets a signal that never fires, or one that is already aborted. */
function writeAbortSignal(value: object, node: number, walk: Walk): boolean {
  const aborted = platformProperty(value, 'aborted') === true;
  const reason = aborted ? platformReason(platformProperty(value, 'reason')) : undefined;
  const hidden = Object.keys(value).length > 0;
  if (hidden) walk.lost();
  walk.note(node, {
    type: 'AbortSignal',
    aborted,
    ...(reason !== undefined && { reason }),
    ...(hidden && { hidden }),
  });
  walk.json(aborted ? '"[AbortSignal aborted]"' : '"[AbortSignal]"');
  return true;
}

/** Fastify's Request and Reply wrap those of the platform. */
function wrapsExchange(value: object): boolean {
  const raw: unknown = Object.getOwnPropertyDescriptor(value, 'raw')?.value;
  return typeof raw === 'object' && raw !== null && exchangeSummary(raw) !== undefined;
}

/** Returns the recorded facts of a request or a response, without headers and body. */
function exchangeSummary(value: object): [string, unknown][] | undefined {
  const raw: unknown = Object.getOwnPropertyDescriptor(value, 'raw')?.value;
  if (typeof raw === 'object' && raw !== null) return exchangeSummary(raw);
  const prototype = Object.getPrototypeOf(value) as object | null;
  if (prototype === null) return undefined;
  const { members } = classTraits(prototype);
  if (members.has('writeHead') || (members.has('json') && members.has('clone') && 'status' in value)) {
    return [['status', platformProperty(value, 'statusCode') ?? platformProperty(value, 'status')]];
  }
  const isRequest = (members.has('pipe') && Object.hasOwn(value, 'method')) || members.has('clone');
  if (!isRequest) return undefined;
  return [
    ['method', platformProperty(value, 'method')],
    ['path', readPath(firstText(value, ['originalUrl', 'url', 'path']))],
  ];
}

function firstText(value: object, keys: readonly string[]): string {
  const texts = keys.map((key) => platformProperty(value, key));
  return texts.find((text) => typeof text === 'string') ?? '';
}

/** Returns only the path, because a query may contain secrets. */
function readPath(url: string): string {
  const withoutQuery = url.split(/[?#]/, 1)[0] ?? '';
  return withoutQuery.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/]*/i, '').slice(0, 2048) || '/';
}
