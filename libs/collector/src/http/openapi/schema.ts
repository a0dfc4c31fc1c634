/** A JSON Schema; components are those of `schemas.json`. */
export type Schema = Readonly<Record<string, unknown>>;

export const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });
export const object = (properties: Record<string, Schema>): Schema => ({
  ...{ type: 'object', properties, required: Object.keys(properties) },
});
export const list = (name: string): Schema => object({ items: { type: 'array', items: ref(name) } });
export const page = (name: string): Schema => ({
  type: 'object',
  properties: { items: { type: 'array', items: ref(name) }, next_cursor: { type: 'string' } },
  required: ['items'],
});
export const envelope = (name: string): Schema =>
  object({ ok: { const: true }, error: { type: 'null' }, data: ref(name) });
export const health: Schema = {
  type: 'object',
  properties: {
    status: { const: 'ok' },
    checked_at: { type: 'string', format: 'date-time' },
    text_indexed_until: { type: 'string', format: 'date-time' },
  },
  required: ['status'],
};
