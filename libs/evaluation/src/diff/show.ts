import { typeName, type ValueNode } from '@dacapo/protocol';
import type { DiffSide } from './value-diff.js';

const LONGEST = 200;
/** Characters shown before the first difference of two texts. */
const LEAD = 40;

/** Formats one side of a difference. */
export function describeSide(node: ValueNode, other?: ValueNode): DiffSide {
  return { type: describeType(node), text: cut(excerpt(node, other) ?? show(node, LONGEST)) };
}

export function describeType(node: ValueNode): string {
  return node.kind === 'object' && !node.hasPrototype ? 'object without a prototype' : typeName(node);
}

/** The part around the first difference, for texts with a long common beginning. */
function excerpt(node: ValueNode, other: ValueNode | undefined): string | undefined {
  if (node.kind !== 'string' || other?.kind !== 'string') return undefined;
  let alike = 0;
  while (alike < node.value.length && node.value[alike] === other.value[alike]) alike += 1;
  if (alike <= LEAD) return undefined;
  return `…${JSON.stringify(node.value.slice(alike - LEAD, alike + LONGEST)).slice(1, -1)}`;
}

function cut(text: string): string {
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST - 1)}…`;
}

/** Formats a value like code, in at most `longest` characters. Line breaks of a text stay. */
export function showNode(node: ValueNode, longest: number): string {
  const text =
    node.kind === 'string'
      ? `"${node.value
          .slice(0, longest)
          .split('\n')
          .map((line) => JSON.stringify(line).slice(1, -1))
          .join('\n')}"`
      : show(node, longest);
  return text.length <= longest ? text : `${text.slice(0, longest - 1)}…`;
}

/** Formats a value like code. Parts beyond the budget of characters are omitted. */
function show(node: ValueNode, budget: number): string {
  switch (node.kind) {
    case 'string':
      return node.value.length > budget
        ? `${JSON.stringify(node.value.slice(0, budget))}…`
        : JSON.stringify(node.value);
    case 'null':
    case 'undefined':
      return node.kind;
    case 'boolean':
    case 'number':
      return Object.is(node.value, -0) ? '-0' : String(node.value);
    case 'bigint':
      return `${node.value}n`;
    case 'symbol':
      return `Symbol(${node.name})`;
    case 'bytes':
      return node.base64.length > budget ? `${node.base64.slice(0, budget)}…` : node.base64;
    case 'array':
      return `[${list(node.items(), budget, show)}]`;
    case 'set':
      return `Set {${list(node.items(), budget, show)}}`;
    case 'map':
      return `Map {${list(node.pairs(), budget, ([key, value], left) => `${show(key, left)} => ${show(value, left)}`)}}`;
    case 'object':
    case 'error':
    case 'class':
      return `{${list(node.entries(), budget, ([key, value], left) => `${key}: ${show(value, left)}`)}}`;
    case 'url':
    case 'boxed':
    case 'codec':
    case 'toJSON':
    case 'masked':
      return show(node.of, budget);
    default:
      return typeof node.json === 'string' ? node.json : `[${describeType(node)}]`;
  }
}

function list<T>(parts: readonly T[], budget: number, showPart: (part: T, budget: number) => string): string {
  const texts: string[] = [];
  let left = budget;
  for (const part of parts) {
    if (left < 8) {
      texts.push('…');
      break;
    }
    // Nested containers get half of the budget, which ends cycles.
    const text = showPart(part, Math.floor(left / 2));
    texts.push(text);
    left -= text.length + 2;
  }
  return texts.join(', ');
}
