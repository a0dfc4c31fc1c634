/**
 * ClickHouse's engine (chdb) behind the part of ClickHouse's HTTP interface that the official client uses here. Prints its port. Statements run one
 * at a time. A setting in the address is refused: chdb would keep it for later statements.
 *
 * Usage: node serve-chdb.mjs FOLDER
 */
import { createServer } from 'node:http';
import chdb from '@chdb/lib-linux-x64-gnu';

const connection = chdb.CreateConnection(process.argv[2]);
/** Query parameters that are not settings. */
const KNOWN = new Set(['query', 'query_id', 'database', 'default_format', 'enable_http_compression']);
const INSERT = /^(\s*INSERT\b[^]*?\bFORMAT\s+JSONEachRow)\s([^]*)$/;
const QUERY_FORMAT = /\sFORMAT\s+(\w+)\s*$/;

let last = Promise.resolve();
let database = 'default';

const server = createServer({ maxHeaderSize: 1024 * 1024 }, (request, response) => {
  void answer(request).then(
    (body) => response.end(body),
    (error) => {
      const code = /Code: (\d+)/.exec(error.message)?.[1] ?? '1';
      response.writeHead(400, { 'X-ClickHouse-Exception-Code': code }).end(error.message);
    },
  );
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => process.stdout.write(`${server.address().port}\n`));

async function answer(request) {
  const { pathname, searchParams } = new URL(request.url, 'http://localhost');
  if (pathname === '/ping') return 'Ok.\n';
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks).toString();
  const fields = new Map(searchParams);
  for (const name of fields.keys()) {
    if (!KNOWN.has(name) && !name.startsWith('param_'))
      throw new Error(`Setting ${name} is not supported here`);
  }
  const boundary = /boundary=(.+)$/.exec(request.headers['content-type'] ?? '')?.[1];
  if (boundary === undefined) fields.set('query', (fields.get('query') ?? '') + body);
  else for (const [name, value] of readParts(body, boundary)) fields.set(name, value);
  const turn = last.then(() => run(fields));
  last = turn.catch(() => undefined);
  return turn;
}

function* readParts(body, boundary) {
  for (const part of body.split(`--${boundary}`)) {
    const [, name, value] = /^\r\n[^]*?name="([^"]+)"[^]*?\r\n\r\n([^]*)\r\n$/.exec(part) ?? [];
    if (name !== undefined) yield [name, value];
  }
}

async function run(fields) {
  await use(fields.get('database') ?? 'default');
  const query = fields.get('query');
  const [, statement, data] = INSERT.exec(query) ?? [];
  if (statement !== undefined) {
    await chdb.InsertRawAsyncConnection(connection, statement, Buffer.from(data), false);
    return '';
  }
  const parameters = Object.fromEntries(
    [...fields].flatMap(([name, value]) => (name.startsWith('param_') ? [[name.slice(6), value]] : [])),
  );
  const format = QUERY_FORMAT.exec(query)?.[1] ?? fields.get('default_format') ?? 'TabSeparated';
  const bound = Object.keys(parameters).length === 0 ? [] : [parameters];
  const { bytes } = await chdb.QueryAsyncConnection(
    connection,
    query.replace(QUERY_FORMAT, ''),
    format,
    ...bound,
  );
  return bytes;
}

async function use(name) {
  if (name === database) return;
  await chdb.QueryAsyncConnection(connection, `USE \`${name}\``, 'Null');
  database = name;
}
