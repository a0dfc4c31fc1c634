import { isJsonObject, toList } from '@dacapo/protocol';
import type { Part, ReadText } from './part.js';

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];

/** Further properties of a schema are skipped. */
const MAX_LINES = 80;
/** Length of a chain of references. */
const MAX_REFERENCES = 10;

/** Reads an OpenAPI 3 description: an overview, a part for each operation, and a part for each named schema. */
export function readOpenApi(description: Fields): ReadText {
  const info = toFields(description['info']);
  const title = toText(info['title']) ?? 'API';
  const schemas = new SchemaText(description);
  const operations = Object.entries(toFields(description['paths'])).flatMap(([path, item]) =>
    METHODS.filter((method) => isJsonObject(toFields(item)[method])).map((method) =>
      operationPart(path, method, toFields(item), description, schemas),
    ),
  );
  const named = Object.entries(toFields(toFields(description['components'])['schemas'])).map(
    ([name, schema]): Part => ({
      headings: ['Schemas', name],
      content: joinTexts([toText(toFields(schema)['description']), schemas.describe(schema, 3)]) || name,
      anchor: name,
    }),
  );
  return { title, parts: [overview(info, description), ...operations, ...named] };
}

export function isOpenApi(value: unknown): value is Fields {
  return isJsonObject(value) && (/^3\./.test(toText(value['openapi']) ?? '') || value['swagger'] === '2.0');
}

function overview(info: Fields, description: Fields): Part {
  const servers = toList(description['servers']).map((server) => toText(toFields(server)['url']));
  const schemes = Object.entries(toFields(toFields(description['components'])['securitySchemes'])).map(
    ([name, scheme]) => {
      const { type, scheme: kind, in: place, name: field, description: note } = toFields(scheme);
      const how = [type, kind, place, field].map(toText).filter((one) => one !== undefined);
      return `- ${name}: ${how.join(' ')}${toText(note) === undefined ? '' : `. ${toText(note) ?? ''}`}`;
    },
  );
  const version = toText(info['version']);
  const content = joinTexts([
    toText(info['description']),
    version && `Version ${version}`,
    servers.length > 0 ? `Servers: ${servers.filter((url) => url !== undefined).join(', ')}` : undefined,
    schemes.length > 0 ? `Authentication:\n${schemes.join('\n')}` : undefined,
  ]);
  return { headings: [], content: content || (toText(info['title']) ?? '') };
}

function operationPart(
  path: string,
  method: string,
  item: Fields,
  description: Fields,
  schemas: SchemaText,
): Part {
  const operation = toFields(item[method]);
  const name = `${method.toUpperCase()} ${path}`;
  const id = toText(operation['operationId']);
  const tags = toList(operation['tags']).filter((tag) => typeof tag === 'string');
  const summary = toText(operation['summary']);
  const parameters = [...toList(item['parameters']), ...toList(operation['parameters'])].map((one) =>
    parameterLine(toFields(schemas.resolve(one)), schemas),
  );
  const security = toList(operation['security'] ?? description['security']).map((one) =>
    Object.keys(toFields(one)).join(' and '),
  );
  const content = joinTexts([
    summary,
    toText(operation['description']),
    operation['deprecated'] === true ? 'Deprecated.' : undefined,
    id && `Operation: \`${id}\``,
    parameters.length > 0 ? `Parameters:\n${parameters.join('\n')}` : undefined,
    bodyText('Request body', toFields(schemas.resolve(operation['requestBody'])), schemas),
    ...Object.entries(toFields(operation['responses'])).map(([status, response]) => {
      const answer = toFields(schemas.resolve(response));
      return bodyText(`Response ${status}`, answer, schemas) ?? `Response ${status}`;
    }),
    security.length > 0 ? `Security: ${security.map((one) => one || 'none').join(' or ')}` : undefined,
  ]);
  const heading = summary === undefined ? name : `${name}: ${summary}`;
  return {
    headings: [...tags.slice(0, 1), heading],
    content: content || name,
    ...(id !== undefined && { anchor: id }),
  };
}

function parameterLine(parameter: Fields, schemas: SchemaText): string {
  const isRequired = parameter['required'] === true ? ', required' : '';
  const type = schemas.describeType(parameter['schema'] ?? parameter);
  const note = toText(parameter['description']);
  return `- \`${toText(parameter['name']) ?? ''}\` (${toText(parameter['in']) ?? ''}, ${type}${isRequired})${note === undefined ? '' : `: ${note}`}`;
}

function bodyText(title: string, body: Fields, schemas: SchemaText): string | undefined {
  const note = toText(body['description']);
  const types = Object.entries(toFields(body['content'])).map(
    ([type, media]) => `${type}\n${schemas.describe(toFields(media)['schema'], 3)}`,
  );
  if (note === undefined && types.length === 0) return undefined;
  return joinTexts([`${title}${note === undefined ? '' : `: ${note}`}`, types[0]], '\n');
}

function joinTexts(parts: readonly (string | undefined)[], by = '\n\n'): string {
  return parts.filter((part) => part !== undefined && part.trim() !== '').join(by);
}

/** Describes JSON schemas as lists. Resolves only references within the description. */
class SchemaText {
  constructor(private readonly root: Fields) {}

  /** Resolves a `$ref`; returns other values as they are. */
  resolve(value: unknown): unknown {
    let found = value;
    for (let count = 0; count < MAX_REFERENCES; count++) {
      const reference = toFields(found)['$ref'];
      if (typeof reference !== 'string') return found;
      if (!reference.startsWith('#/')) return undefined;
      found = reference
        .slice(2)
        .split('/')
        .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
        .reduce<unknown>(
          (at, key) => (Object.hasOwn(toFields(at), key) ? toFields(at)[key] : undefined),
          this.root,
        );
    }
    return undefined;
  }

  /** For example `string (date-time)`, `array of Pet` or `"a" | "b"`. */
  describeType(schema: unknown): string {
    const reference = toFields(schema)['$ref'];
    if (typeof reference === 'string') return reference.slice(reference.lastIndexOf('/') + 1);
    const { type, format, items } = toFields(schema);
    const choices = toList(toFields(schema)['enum']);
    if (choices.length > 0) return choices.map((choice) => JSON.stringify(choice)).join(' | ');
    const several = toList(toFields(schema)['oneOf'] ?? toFields(schema)['anyOf']);
    if (several.length > 0) {
      const types = several.slice(0, 10).map((one) => this.describeType(one));
      return types.join(' | ');
    }
    if (items !== undefined) return `array of ${this.describeType(items)}`;
    const name = Array.isArray(type) ? type.join(' | ') : (toText(type) ?? 'any');
    return toText(format) === undefined ? name : `${name} (${toText(format) ?? ''})`;
  }

  /** Lists the properties, one per line, down to `depth` levels. */
  describe(schema: unknown, depth: number): string {
    return this.lines(schema, depth, '').slice(0, MAX_LINES).join('\n');
  }

  private lines(schema: unknown, depth: number, indent: string): string[] {
    const resolved = toFields(this.resolve(schema));
    const inherited = toList(resolved['allOf']).flatMap((one) =>
      depth > 0 ? this.lines(one, depth - 1, indent) : [],
    );
    const properties = resolved['properties'] ?? toFields(this.resolve(resolved['items']))['properties'];
    if (!isJsonObject(properties))
      return inherited.length > 0 ? inherited : [`${indent}- ${this.describeType(schema)}`];
    const required = new Set(toList(resolved['required']));
    const own = Object.entries(properties)
      .slice(0, MAX_LINES)
      .flatMap(([name, property]) => {
        const note = toText(toFields(this.resolve(property))['description'])?.replace(/\s+/g, ' ');
        const line = `${indent}- \`${name}\` (${this.describeType(property)}${required.has(name) ? ', required' : ''})${note === undefined ? '' : `: ${note}`}`;
        const hasInner = isJsonObject(toFields(this.resolve(property))['properties']);
        return hasInner && depth > 1 ? [line, ...this.lines(property, depth - 1, `${indent}  `)] : [line];
      });
    return [...inherited, ...own];
  }
}

/** Reads unchecked JSON. A value of another type counts as absent. */
type Fields = Record<string, unknown>;

function toFields(value: unknown): Fields {
  return isJsonObject(value) ? value : {};
}

function toText(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}
