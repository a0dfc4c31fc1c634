import type { CompletionRequest } from '../http/completion-request.js';
import type { ObjectSchema, PropertySchema } from './object-schema.js';

/** The schema of the answer: from the request, or from the instructions, where BAML writes it. */
export function readAnswerSchema(
  { response_format }: CompletionRequest,
  instructions: string,
): ObjectSchema | undefined {
  return response_format?.json_schema?.schema ?? writtenSchema(instructions);
}

function writtenSchema(instructions: string): ObjectSchema | undefined {
  const block = /^Answer in JSON using this schema:\n\{\n([^]*?)\n\}/m.exec(instructions)?.[1];
  if (block === undefined) return undefined;
  const properties: Record<string, PropertySchema> = {};
  let comment = '';
  for (const line of block.split('\n')) {
    const [, name, type] = /^\s*(\w+): (.+?),?$/.exec(line) ?? [];
    if (name !== undefined && type !== undefined) properties[name] = parseProperty(type, comment);
    comment = line.includes('//') ? line : '';
  }
  return { properties };
}

function parseProperty(type: string, comment: string): PropertySchema {
  const labels = [...type.matchAll(/"([^"]+)"/g)].map(([, label]) => label ?? '');
  if (labels.length > 0) return { enum: labels };
  const example = /such as (\S+)/.exec(comment)?.[1];
  return { type: 'string', ...(example !== undefined && { pattern: looksLike(example) }) };
}

/** Turns an example into a pattern: `LM-1042` is two capitals, a hyphen and four digits. */
function looksLike(example: string): string {
  return example
    .replace(/[^\w-]/g, '.')
    .replace(/\d/g, '\\d')
    .replace(/[A-Z]/g, '[A-Z]');
}
