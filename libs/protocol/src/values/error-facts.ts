import { once, withoutProof } from './derived-node.js';
import type { ContainerNode, Entry, ValueNode } from './value-node.js';

/**
 * Properties of errors that are of the moment or of the process: other ones each time, whatever failed. Without signs and in
 * lower case.
 */
const OF_THE_MOMENT = new Set([
  ...['stack', 'timestamp', 'duration', 'durationms', 'elapsed', 'elapsedms', 'timings'],
  ...['requestid', 'xrequestid', 'traceid', 'spanid', 'correlationid'],
  ...['headers', 'responseheaders', 'rawheaders', 'trailers'],
  ...['localport', 'byteswritten', 'bytesread'],
]);

/** Properties that hold what made the call, where they hold no data. */
const HANDLES = new Set(['request', 'req', 'socket', 'agent', 'client', 'httpAgent', 'httpsAgent']);

/** The run of an agent, which its errors lead to: it was recorded as calls. */
export const AGENT_RUN = 'RunState';

/** Whether a property is one of what made the call; it counts where what it holds is data. */
export function namesHandle(property: string): boolean {
  return HANDLES.has(property);
}

/**
 * What is compared of a container's entries: of an error what it says and what its application gave it, but neither what is
 * of the moment, at any depth, nor functions, nor what made the call.
 */
export function comparedEntries(node: WithEntries): readonly Entry[] {
  return node.kind === 'error' ? comparedOfError(node.entries()) : node.entries();
}

type WithEntries = Extract<ContainerNode, { kind: 'object' | 'error' | 'class' }>;

/** As `comparedEntries`, of the entries of an error. */
export function comparedOfError(entries: readonly Entry[]): Entry[] {
  return entries.flatMap(([key, value]): Entry[] =>
    isLeftOut(key, value, entries) ? [] : [[key, comparedPart(value)]],
  );
}

function isLeftOut(key: string, value: ValueNode, siblings: readonly Entry[]): boolean {
  if (value.kind === 'opaque' && value.className === 'Function') return true;
  if (OF_THE_MOMENT.has(key.replace(/[^A-Za-z]/g, '').toLowerCase())) return true;
  if (namesHandle(key)) return isHandle(value);
  // Of axios and those that are made as it is.
  if (key === 'config') return siblings.some(([name]) => name === 'request' || name === 'isAxiosError');
  // Of a process that failed.
  if (key === 'pid') return siblings.some(([name]) => name === 'signal');
  return key === 'state' && 'className' in value && value.className === AGENT_RUN;
}

function isHandle(node: ValueNode): boolean {
  return node.kind === 'opaque' || node.kind === 'toJSON' || (node.kind === 'class' && node.hasMethods);
}

/** One node for one node, so that cycles stay cycles. */
const parts = new WeakMap<ValueNode, ValueNode>();

function comparedPart(node: ValueNode): ValueNode {
  const known = parts.get(node);
  if (known !== undefined) return known;
  const part = partOf(node);
  parts.set(node, part);
  return part;
}

function partOf(node: ValueNode): ValueNode {
  switch (node.kind) {
    case 'object':
    case 'class':
      return { ...node, ...withoutProof(node), entries: once(() => comparedOfError(node.entries())) };
    case 'array':
    case 'set':
      return { ...node, ...withoutProof(node), items: once(() => node.items().map(comparedPart)) };
    case 'map':
      return {
        ...node,
        ...withoutProof(node),
        pairs: once(() => node.pairs().map(([key, value]) => [key, comparedPart(value)] as const)),
      };
    case 'codec':
    case 'toJSON':
    case 'masked':
      return { ...node, of: comparedPart(node.of) };
    default:
      // An error leaves out by itself.
      return node;
  }
}
