import { once, withoutHashes } from './derived-node.js';
import type { ContainerNode, Entry, ValueNode } from './value-node.js';

/**
 * Properties of errors that change with every request or process, whatever failed. Lower case, letters only.
 */
const OF_THE_MOMENT = new Set([
  'stack',
  'timestamp',
  'duration',
  'durationms',
  'elapsed',
  'elapsedms',
  'timings',
  'requestid',
  'xrequestid',
  'traceid',
  'spanid',
  'correlationid',
  'headers',
  'responseheaders',
  'rawheaders',
  'trailers',
  'localport',
  'byteswritten',
  'bytesread',
]);

/** Properties that hold the client or connection of a failed call, unless they hold data. */
const HANDLES = new Set(['request', 'req', 'socket', 'agent', 'client', 'httpAgent', 'httpsAgent']);

/** Class of the agent run that errors refer to. Its content is recorded as calls. */
export const AGENT_RUN = 'RunState';

/** Whether a property may hold the client or connection of a failed call. Its value is compared if it is data. */
export function isHandleName(property: string): boolean {
  return HANDLES.has(property);
}

/**
 * The entries of a container that are compared. Those of an error exclude per-request properties at any depth, functions, and
 * the client of the call.
 */
export function comparedEntries(node: WithEntries): readonly Entry[] {
  return node.kind === 'error' ? comparedErrorEntries(node.entries()) : node.entries();
}

type WithEntries = Extract<ContainerNode, { kind: 'object' | 'error' | 'class' }>;

/** Like `comparedEntries`, for the entries of an error. */
export function comparedErrorEntries(entries: readonly Entry[]): Entry[] {
  return entries.flatMap(([key, value]): Entry[] =>
    isLeftOut(key, value, entries) ? [] : [[key, comparedPart(value)]],
  );
}

function isLeftOut(key: string, value: ValueNode, siblings: readonly Entry[]): boolean {
  if (value.kind === 'opaque' && value.className === 'Function') return true;
  if (OF_THE_MOMENT.has(key.replace(/[^A-Za-z]/g, '').toLowerCase())) return true;
  if (isHandleName(key)) return isHandle(value);
  // Axios and clients that imitate it.
  if (key === 'config') return siblings.some(([name]) => name === 'request' || name === 'isAxiosError');
  // A failed process.
  if (key === 'pid') return siblings.some(([name]) => name === 'signal');
  return key === 'state' && 'className' in value && value.className === AGENT_RUN;
}

function isHandle(node: ValueNode): boolean {
  return node.kind === 'opaque' || node.kind === 'toJSON' || (node.kind === 'class' && node.hasMethods);
}

/** Maps each node to one node, which preserves cycles. */
const parts = new WeakMap<ValueNode, ValueNode>();

function comparedPart(node: ValueNode): ValueNode {
  const known = parts.get(node);
  if (known !== undefined) return known;
  const part = comparedContainer(node);
  parts.set(node, part);
  return part;
}

function comparedContainer(node: ValueNode): ValueNode {
  switch (node.kind) {
    case 'object':
    case 'class':
      return { ...node, ...withoutHashes(node), entries: once(() => comparedErrorEntries(node.entries())) };
    case 'array':
    case 'set':
      return { ...node, ...withoutHashes(node), items: once(() => node.items().map(comparedPart)) };
    case 'map':
      return {
        ...node,
        ...withoutHashes(node),
        pairs: once(() => node.pairs().map(([key, value]) => [key, comparedPart(value)] as const)),
      };
    case 'codec':
    case 'toJSON':
    case 'masked':
      return { ...node, of: comparedPart(node.of) };
    default:
      // Nested errors are filtered when they are compared.
      return node;
  }
}
