import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { compiledDir, libraries } from '../workspace.mjs';

const MARKED = /(<!-- otlp -->\n)[^]*?(<!-- end of otlp -->)/;

/** Regenerates the tables of OpenTelemetry's attributes and events of a document, between `<!-- otlp -->` and `<!-- end of otlp -->`. */
export async function withOtlpTables(markdown) {
  if (!MARKED.test(markdown)) return markdown;
  const protocol = libraries().find(({ name }) => name === 'protocol');
  const load = (file) => import(pathToFileURL(join(compiledDir(protocol), 'otlp', file)).href);
  const [{ OTLP_CONVENTIONS }, { OTLP_FIELDS }, { OTLP_EVENTS }] = await Promise.all(
    ['table.js', 'fields.js', 'read-events.js'].map(load),
  );
  const text = [...OTLP_CONVENTIONS.map((row) => attributes(row, OTLP_FIELDS)), events(OTLP_EVENTS)];
  return markdown.replace(MARKED, (_, head, end) => `${head}\n${text.join('\n\n')}\n\n${end}`);
}

function attributes({ name, attributes: rows }, fields) {
  const lines = rows.map(({ name: attribute, field, member, isWritten }) => {
    const becomes = member === undefined ? fields[field].becomes : `\`${member}\` in a context`;
    return `| \`${attribute}\` | ${becomes} | ${isWritten ? 'yes' : ''} |`;
  });
  return [`### ${name}`, '', '| Attribute | Becomes | Exported |', '| --- | --- | --- |', ...lines].join(
    '\n',
  );
}

function events(table) {
  const lines = Object.entries(table).map(([name, becomes]) => `| \`${name}\` | ${becomes} |`);
  return ['### Events', '', '| Event | Becomes |', '| --- | --- |', ...lines].join('\n');
}
