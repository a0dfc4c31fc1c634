import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { compiledDir, libraries, ROOT } from '../workspace.mjs';

const HEAD = `# HTTP API

Generated from the OpenAPI document, which each service has at \`/api/openapi.json\` and shows as a page at \`/api/docs\`. Send an API key as
\`API-Key: <key>\` or as \`Authorization: Bearer <key>\`. Times are ISO 8601 in UTC. A refused request is answered with
\`{ "detail", "status_code" }\`.`;

/** Generates the reference of the HTTP API in Markdown: each route with its scope, parameters, body and answers. */
export async function httpReference() {
  const collector = libraries().find(({ name }) => name === 'collector');
  const path = join(compiledDir(collector), 'http/openapi/openapi-document.js');
  const { openApiDocument } = await import(pathToFileURL(path).href);
  const schemas = JSON.parse(
    readFileSync(join(ROOT, 'libs/collector/src/http/openapi/schemas.json'), 'utf8'),
  );
  const { tags, paths } = openApiDocument(schemas, collector.manifest.version, '/');
  const operations = Object.entries(paths).flatMap(([route, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, route, operation })),
  );
  const sections = tags.flatMap(({ name, description }) => [
    `## ${name}`,
    description,
    ...operations.filter(({ operation }) => operation.tags.includes(name)).map(describeOperation),
  ]);
  return `${[HEAD, ...sections].join('\n\n')}\n`;
}

function describeOperation({ method, route, operation }) {
  const { summary, description, parameters, requestBody, responses } = operation;
  const parts = [
    `### \`${method.toUpperCase()} ${route}\``,
    description === undefined ? summary : `${summary} ${description}`,
  ];
  if (parameters.length > 0)
    parts.push(tabulate(parameters.map(toParameterRow), ['Parameter', 'In', 'Type', '']));
  const [type, content] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  if (content !== undefined) parts.push(`Body, \`${type}\`: ${describeShape(content.schema)}`);
  const [status, { content: answer }] = Object.entries(responses)[0];
  const answered = Object.values(answer ?? {})[0]?.schema;
  const refusals = Object.keys(responses).slice(1).join(', ');
  parts.push(
    `Answers ${status}${answered === undefined ? ' without a body' : `: ${describeShape(answered)}`}` +
      `${refusals === '' ? '' : `\n\nOr an error: ${refusals}.`}`,
  );
  return parts.join('\n\n');
}

function toParameterRow({ name, in: place, required, description = '', schema }) {
  return [`\`${name}\`${required ? ', required' : ''}`, place, formatType(schema), description];
}

/** The fields of an object as a table, otherwise the type. */
function describeShape(schema) {
  const shape = schema.type === 'array' ? (schema.items ?? {}) : schema;
  const fields = Object.entries(shape.properties ?? {});
  if (fields.length === 0)
    return `${formatType(schema)}${schema.description ? `: ${schema.description}` : ''}`;
  const required = new Set(shape.required ?? []);
  const rows = fields.map(([name, field]) => [
    `\`${name}\`${required.has(name) ? ', required' : ''}`,
    formatType(field),
    field.description ?? '',
  ]);
  return `${schema.type === 'array' ? 'a list of objects' : 'an object'}\n\n${tabulate(rows, ['Field', 'Type', ''])}`;
}

function formatType(schema) {
  if (schema.$ref !== undefined) return `\`${schema.$ref.split('/').at(-1)}\``;
  if (schema.enum !== undefined) return schema.enum.map((value) => `\`${JSON.stringify(value)}\``).join(', ');
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``;
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return [...new Set(choices.map(formatType))].join(' or ');
  if (schema.type === 'array') return `list of ${formatType(schema.items ?? {})}`;
  return schema.type ?? 'any JSON';
}

function tabulate(rows, heads) {
  const lines = [heads, heads.map(() => '---'), ...rows.map((row) => row.map(toCell))];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function toCell(text) {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ');
}
