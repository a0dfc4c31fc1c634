import type { DescribedOperation, OpenApiDocument, Schema } from './openapi-document.js';

/** Renders the OpenAPI document as plain HTML, without scripts and without external resources. */
export function renderDocs({ info, tags, paths, components }: OpenApiDocument): string {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
  const sections = tags.map(({ name, description }) => {
    const own = operations.filter(({ operation }) => operation.tags.includes(name));
    const parts = own.map(({ method, path, operation }) => renderOperation(method, path, operation));
    return `<section><h2 id="${toAnchor(name)}">${escape(name)}</h2><p>${inline(description)}</p>${parts.join('')}</section>`;
  });
  const schemas = Object.entries(components.schemas).map(
    ([name, schema]) =>
      `<details id="schema-${escape(name)}"><summary><code>${escape(name)}</code></summary>` +
      `<p>${formatDescription(schema)}</p>${renderShape(schema)}</details>`,
  );
  const contents = [...tags.map(({ name }) => name), 'Schemas'].map(
    (name) => `<a href="#${toAnchor(name)}">${escape(name)}</a>`,
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>API · Dacapo</title>
<link rel="stylesheet" href="/api/docs/style.css">
</head>
<body>
<header><h1>Dacapo API</h1><p>${inline(String(info['description']))}</p>
<p>A key travels as <code>API-Key: &lt;key&gt;</code>, or as <code>Authorization: Bearer &lt;key&gt;</code>. For programs:
<a href="/api/openapi.json">openapi.json</a>, OpenAPI 3.1, version ${escape(String(info['version']))}.</p>
<nav aria-label="Contents">${contents.join('')}</nav></header>
<main>${sections.join('')}<section><h2 id="schemas">Schemas</h2>${schemas.join('')}</section></main>
</body>
</html>
`;
}

function renderOperation(method: string, path: string, operation: DescribedOperation): string {
  const { operationId, summary, description, parameters, requestBody, responses } = operation;
  const rows = parameters.map(
    ({ name, in: place, description: about = '', schema }) =>
      `<tr><td><code>${escape(name)}</code></td><td>${place}</td><td>${formatType(schema)}${formatBounds(schema)}</td><td>${inline(about)}</td></tr>`,
  );
  const answers = Object.entries(responses).map(([status, { description: when, content }]) => {
    const schema = Object.values(content ?? {})[0]?.schema;
    const body =
      schema === undefined || Number(status) >= 400 ? '' : `: ${formatType(schema)}${renderInner(schema)}`;
    return `<li><strong>${status}</strong> ${inline(when)}${body}</li>`;
  });
  const bodies = Object.entries(requestBody?.content ?? {}).map(
    ([type, { schema }]) =>
      `<p>Body, <code>${escape(type)}</code>: ${formatType(schema)}. ${formatDescription(schema)}</p>${renderInner(schema)}`,
  );
  return (
    `<details id="${escape(operationId)}"><summary><span class="method ${method.toLowerCase()}">${method}</span> ` +
    `<code>${escape(path)}</code> <span>${inline(summary)}</span></summary><div tabindex="0" role="group" aria-label="${escape(path)}">` +
    (description === undefined ? '' : `<p>${inline(description)}</p>`) +
    (rows.length === 0
      ? ''
      : `<table><thead><tr><th>Name</th><th>In</th><th>Type</th><th>Is</th></tr></thead><tbody>${rows.join('')}</tbody></table>`) +
    `${bodies.join('')}<ul>${answers.join('')}</ul></div></details>`
  );
}

/** The properties of an object as a table; otherwise the type. */
function renderShape(schema: Schema): string {
  return renderInner(schema) || `<p>${formatType(schema)}</p>`;
}

/** The properties of an object, or of the objects in a list; otherwise empty. */
function renderInner(schema: Schema): string {
  const { items } = schema;
  if (schema['type'] === 'array' && items !== undefined) return renderInner(items as Schema);
  const properties = Object.entries((schema['properties'] ?? {}) as Record<string, Schema>);
  if (properties.length === 0) return '';
  const required = (schema['required'] ?? []) as string[];
  const rows = properties.map(
    ([name, property]) =>
      `<tr><td><code>${escape(name)}</code>${required.includes(name) ? '' : ' <small>optional</small>'}</td>` +
      `<td>${formatType(property)}</td><td>${formatDescription(property)}${renderInner(property)}</td></tr>`,
  );
  return `<table><thead><tr><th>Name</th><th>Type</th><th>Is</th></tr></thead><tbody>${rows.join('')}</tbody></table>`;
}

/** A type in words, with links to the schemas that have a name. */
function formatType(schema: Schema): string {
  const { $ref, anyOf, items, type, prefixItems, properties, additionalProperties } = schema;
  if (typeof $ref === 'string') {
    const name = escape($ref.slice($ref.lastIndexOf('/') + 1));
    return `<a href="#schema-${name}">${name}</a>`;
  }
  if ('const' in schema) return `<code>${escape(JSON.stringify(schema['const']))}</code>`;
  const values = schema['enum'];
  if (Array.isArray(values))
    return values.map((value) => `<code>${escape(String(value))}</code>`).join(' | ');
  if (Array.isArray(anyOf)) return anyOf.map((one) => formatType(one as Schema)).join(' | ');
  if (Array.isArray(prefixItems))
    return `[${prefixItems.map((one) => formatType(one as Schema)).join(', ')}]`;
  if (type === 'array') return `list of ${formatType((items ?? {}) as Schema)}`;
  if (properties !== undefined) return 'object';
  if (additionalProperties !== undefined) return `{ … : ${formatType(additionalProperties as Schema)} }`;
  return typeof type === 'string' ? type : 'any JSON';
}

function formatBounds({ minimum, maximum, default: preset }: Schema): string {
  const bounds = [
    ...(minimum === undefined ? [] : [`from ${JSON.stringify(minimum)}`]),
    ...(maximum === undefined ? [] : [`to ${JSON.stringify(maximum)}`]),
    ...(preset === undefined ? [] : [`${JSON.stringify(preset)} when absent`]),
  ];
  return bounds.length === 0 ? '' : `, ${bounds.join(', ')}`;
}

function formatDescription({ description }: Schema): string {
  return typeof description === 'string' ? inline(description) : '';
}

function toAnchor(name: string): string {
  return name.toLowerCase().replace(/\W+/g, '-');
}

/** Escaped, with text between backticks as code. */
function inline(text: string): string {
  return escape(text).replace(/`([^`]+)`/g, '<code>$1</code>');
}

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escape(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}

export const DOCS_STYLE = `:root { color-scheme: light dark; --line: #8884; --soft: #8881; --accent: light-dark(#3d4fd1, #94a2ff); }
* { box-sizing: border-box; }
body { max-width: 1000px; margin: 0 auto; padding: 24px 16px 64px; font: 15px/1.5 system-ui, sans-serif; background: light-dark(#ffffff, #0f1115); color: light-dark(#15181e, #eceef2); }
h1 { margin: 0; font-size: 26px; }
h2 { margin: 32px 0 4px; font-size: 19px; }
code { font: 13px ui-monospace, Menlo, Consolas, monospace; overflow-wrap: anywhere; }
a { color: var(--accent); }
nav { display: flex; flex-wrap: wrap; gap: 4px 16px; }
details { margin: 6px 0; border: 1px solid var(--line); border-radius: 6px; }
details > :not(summary) { margin-inline: 14px; overflow-x: auto; }
details > div > * { margin-block: 10px; }
summary { padding: 7px 12px; cursor: pointer; overflow-wrap: anywhere; }
summary > span:last-child { opacity: 0.75; }
details[open] > summary { border-bottom: 1px solid var(--line); background: var(--soft); }
.method { display: inline-block; min-width: 62px; padding: 1px 6px; border-radius: 4px; background: var(--soft); font-weight: 600; text-align: center; }
.method.post { color: light-dark(#17703f, #6fd49a); }
.method.delete { color: light-dark(#b3232b, #ff8b8b); }
table { width: 100%; border-collapse: collapse; }
th, td { padding: 5px 8px; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
small { opacity: 0.7; }
`;
