import { chooseLabel } from './choose-label.js';
import type { ObjectSchema, PropertySchema } from './object-schema.js';
import type { Prompt } from './prompt.js';

/** Fills the schema from the question; `undefined` if a required property is missing. */
export function fillSchema(schema: ObjectSchema, prompt: Prompt): Record<string, unknown> | undefined {
  const filled: Record<string, unknown> = {};
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const value = fillProperty(property, prompt);
    if (value !== undefined) filled[name] = value;
    else if (schema.required?.includes(name) ?? false) return undefined;
  }
  return filled;
}

function fillProperty(property: PropertySchema, { question, instructions }: Prompt): unknown {
  if (property.enum !== undefined) return chooseLabel(property.enum, question, instructions);
  if (property.pattern !== undefined) {
    const anywhere = property.pattern.replace(/^\^|\$$/g, '');
    return new RegExp(`\\b${anywhere}\\b`).exec(question)?.[0];
  }
  return property.type === 'string' ? readMessage(question) : undefined;
}

/** The question without its first paragraph, which describes the customer. */
function readMessage(question: string): string {
  const blank = question.indexOf('\n\n');
  return question.slice(blank === -1 ? 0 : blank + 2).trim();
}
