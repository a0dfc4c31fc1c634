import { type Fields, fieldsOf, isFields, listOf, textOf } from './json-fields.js';
import type { Part, ReadText } from './part.js';
import { SchemaText } from './schema-text.js';

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];

/** An OpenAPI 3 description: what the API is, then a part for each operation, and one for each schema that has a name. */
export function readOpenApi(description: Fields): ReadText {
  const info = fieldsOf(description['info']);
  const title = textOf(info['title']) ?? 'API';
  const schemas = new SchemaText(description);
  const operations = Object.entries(fieldsOf(description['paths'])).flatMap(([path, item]) =>
    METHODS.filter((method) => isFields(fieldsOf(item)[method])).map((method) =>
      operationPart(path, method, fieldsOf(item), description, schemas),
    ),
  );
  const named = Object.entries(fieldsOf(fieldsOf(description['components'])['schemas'])).map(
    ([name, schema]): Part => ({
      headings: ['Schemas', name],
      content: joined([textOf(fieldsOf(schema)['description']), schemas.describe(schema, 3)]) || name,
      anchor: name,
    }),
  );
  return { title, parts: [overview(info, description), ...operations, ...named] };
}

/** @returns whether it says of itself that it is one */
export function isOpenApi(value: unknown): value is Fields {
  return isFields(value) && (/^3\./.test(textOf(value['openapi']) ?? '') || value['swagger'] === '2.0');
}

function overview(info: Fields, description: Fields): Part {
  const servers = listOf(description['servers']).map((server) => textOf(fieldsOf(server)['url']));
  const schemes = Object.entries(fieldsOf(fieldsOf(description['components'])['securitySchemes'])).map(
    ([name, scheme]) => {
      const { type, scheme: kind, in: place, name: field, description: said } = fieldsOf(scheme);
      const how = [type, kind, place, field].map(textOf).filter((one) => one !== undefined);
      return `- ${name}: ${how.join(' ')}${textOf(said) === undefined ? '' : `. ${textOf(said) ?? ''}`}`;
    },
  );
  const version = textOf(info['version']);
  const content = joined([
    textOf(info['description']),
    version && `Version ${version}`,
    servers.length > 0 ? `Servers: ${servers.filter((url) => url !== undefined).join(', ')}` : undefined,
    schemes.length > 0 ? `Authentication:\n${schemes.join('\n')}` : undefined,
  ]);
  return { headings: [], content: content || (textOf(info['title']) ?? '') };
}

function operationPart(
  path: string,
  method: string,
  item: Fields,
  description: Fields,
  schemas: SchemaText,
): Part {
  const operation = fieldsOf(item[method]);
  const name = `${method.toUpperCase()} ${path}`;
  const id = textOf(operation['operationId']);
  const tags = listOf(operation['tags']).filter((tag) => typeof tag === 'string');
  const summary = textOf(operation['summary']);
  const parameters = [...listOf(item['parameters']), ...listOf(operation['parameters'])].map((one) =>
    parameterLine(fieldsOf(schemas.resolve(one)), schemas),
  );
  const security = listOf(operation['security'] ?? description['security']).map((one) =>
    Object.keys(fieldsOf(one)).join(' and '),
  );
  const content = joined([
    summary,
    textOf(operation['description']),
    operation['deprecated'] === true ? 'Deprecated.' : undefined,
    id && `Operation: \`${id}\``,
    parameters.length > 0 ? `Parameters:\n${parameters.join('\n')}` : undefined,
    bodyText('Request body', fieldsOf(schemas.resolve(operation['requestBody'])), schemas),
    ...Object.entries(fieldsOf(operation['responses'])).map(([status, response]) => {
      const answer = fieldsOf(schemas.resolve(response));
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
  const type = schemas.typeOf(parameter['schema'] ?? parameter);
  const said = textOf(parameter['description']);
  return `- \`${textOf(parameter['name']) ?? ''}\` (${textOf(parameter['in']) ?? ''}, ${type}${isRequired})${said === undefined ? '' : `: ${said}`}`;
}

function bodyText(title: string, body: Fields, schemas: SchemaText): string | undefined {
  const said = textOf(body['description']);
  const types = Object.entries(fieldsOf(body['content'])).map(
    ([type, media]) => `${type}\n${schemas.describe(fieldsOf(media)['schema'], 3)}`,
  );
  if (said === undefined && types.length === 0) return undefined;
  return joined([`${title}${said === undefined ? '' : `: ${said}`}`, types[0]], '\n');
}

function joined(parts: readonly (string | undefined)[], by = '\n\n'): string {
  return parts.filter((part) => part !== undefined && part.trim() !== '').join(by);
}
