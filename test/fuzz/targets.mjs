import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { mutatedText, mutatedValue } from './mutate.mjs';
import { frameProtobuf, otlpJson, otlpSpans } from './otlp-samples.mjs';
import { bodies, documents, lines, span } from './samples.mjs';

const require = createRequire(import.meta.url);
const collector = (path) => require(`../../libs/collector/dist/cjs/${path}.js`);
const { require: loadSource } = require('tsx/cjs/api');
const protocol = require('@dacapo/protocol');
const { startCollector } = require('@dacapo/collector');
const { decodeCursor } = collector('cursor');
const { splitJson } = collector('otlp/json/split-json');
const { splitProtobuf } = collector('otlp/protobuf/split-protobuf');
const { FrameError } = collector('otlp/span-frame');
const { readSpan } = collector('otlp/read-span');
const { SpanMasker } = collector('otlp/span-masker');
const { readDocument, UnreadableDocumentError } = require('@dacapo/indexes');
const { readApiKey, isSameOrigin } = collector('http/access/credentials');
const { readSessionCookie } = collector('http/access/session-cookie');
// The package does not export it.
const { parseRobots } = loadSource('../../libs/indexes/src/crawl/robots.ts', import.meta.url);

const LINES = lines.map((line) => JSON.stringify(line));
const GOOD = [0, 1].map((at) => JSON.stringify({ span: { ...span, id: `000000000000000${at}` } }));

/** Throws if the error is not allowed. */
function only(isAllowed, run) {
  try {
    return run();
  } catch (error) {
    if (!isAllowed(error)) throw error;
    return undefined;
  }
}

const coded =
  (...codes) =>
  (error) =>
    codes.includes(error?.code);
const line = (random) =>
  random.chance(0.5) ? mutatedText(random, LINES) : JSON.stringify(mutatedValue(random, random.pick(lines)));

/**
 * Each target generates an input from a random source and throws if the parser handles it incorrectly. Inputs have at most
 * 200,000 characters.
 */
export const TARGETS = {
  'ingest lines': {
    make: line,
    judge(text) {
      const parsed = protocol.parseIngestLine({ number: 1, text });
      assert.equal(Object.keys(parsed).length, 1);
      if ('rejection' in parsed) return;
      // Compare the stored form, where a number that exceeds a double is null.
      const stored = JSON.stringify(parsed);
      const again = protocol.parseIngestLine({ number: 1, text: stored });
      assert.equal(JSON.stringify(again), stored);
      assert.ok(!Object.hasOwn(Object.prototype, 'polluted'));
    },
  },
  'neighbours of a bad line': {
    make: (random) => line(random).replaceAll('\n', ' '),
    judge(text) {
      const found = [...protocol.splitLines(`${GOOD[0]}\n${text}\r\n${GOOD[1]}`)].map((one) => [
        one.number,
        protocol.parseIngestLine(one),
      ]);
      const [first, last] = [found[0], found.at(-1)];
      assert.deepEqual(first, [1, protocol.parseIngestLine({ number: 1, text: GOOD[0] })]);
      assert.deepEqual(last, [3, protocol.parseIngestLine({ number: 3, text: GOOD[1] })]);
    },
  },
  'neighbours of a bad OTLP span in protobuf': {
    make: (random) => mutatedBytes(random, random.pick(otlpSpans)).toString('base64'),
    judge(text) {
      const bad = Buffer.from(text, 'base64');
      const { frames, problems } = splitProtobuf(frameProtobuf([otlpSpans[0], bad, otlpSpans[1]]));
      assert.deepEqual(problems, []);
      assert.equal(frames.length, 3);
      return judgeOtlp(frames, [0, 2]);
    },
  },
  'OTLP bodies in protobuf': {
    make: (random) => mutatedBytes(random, frameProtobuf(otlpSpans)).toString('base64'),
    judge(text) {
      return judgeOtlp(splitProtobuf(Buffer.from(text, 'base64')).frames, []);
    },
  },
  'neighbours of a bad OTLP span in JSON': {
    make: (random) => mutatedText(random, otlpJson),
    async judge(text) {
      // Brackets and quotes that do not match change where the next span is.
      const body = frameJson([otlpJson[0], text, otlpJson[1]]);
      const { frames } = await splitJson(body, NO_TURNS);
      await judgeOtlp(frames, isJsonText(text) ? [0, frames.length - 1] : [0]);
    },
  },
  'OTLP requests': {
    make(random) {
      const isJson = random.chance(0.5);
      const bad = isJson
        ? mutatedText(random, otlpJson)
        : mutatedBytes(random, random.pick(otlpSpans)).toString('base64');
      return JSON.stringify({ isJson, bad, isZipped: random.chance(0.5) });
    },
    judge: judgeOtlpRequest,
    prepare: startService,
  },
  'depth and members of JSON': {
    make: line,
    judge(text) {
      for (const limit of [1, 3, 8, 100]) {
        protocol.isDeeperThan(text, limit);
        protocol.hasMoreMembers(text, limit);
      }
      const value = only(
        (error) => error instanceof SyntaxError,
        () => JSON.parse(text),
      );
      if (typeof value !== 'object' || value === null) return;
      const depth = measureDepth(value);
      assert.equal(protocol.isDeeperThan(text, depth), false);
      assert.equal(protocol.isDeeperThan(text, depth - 1), true);
      assert.equal(protocol.hasMoreMembers(text, membersIn(text)), false);
    },
  },
  'recorded values': {
    make: (random) => JSON.stringify(mutatedValue(random, { json: span.span_data.input, meta: META })),
    judge(text) {
      const recorded = JSON.parse(text);
      if (typeof recorded !== 'object' || recorded === null) return;
      const node = only(isOurs, () => protocol.readValue(recorded));
      if (node === undefined) return;
      only(isOurs, () => protocol.decode(node));
      assert.notEqual(
        only(isOurs, () => protocol.equal(node, node)),
        'different',
      );
    },
  },
  timestamps: {
    make: (random) => mutatedText(random, ['2026-01-31T12:00:00.000000Z', '2024-02-29T23:59:59.999999Z']),
    judge(text) {
      const us = protocol.parseTimestamp(text);
      if (us !== undefined) assert.equal(protocol.parseTimestamp(protocol.formatTimestamp(us)), us);
    },
  },
  cursors: {
    make: (random) => {
      const cursor = JSON.stringify(mutatedValue(random, ['2026-01-31T12:00:00.000000Z', 'id', 5]));
      return random.chance(0.5) ? Buffer.from(cursor).toString('base64url') : mutatedText(random, [cursor]);
    },
    judge(text) {
      for (const kinds of [['time', 'text'], ['text', 'number'], ['number'], ['time', 'text', 'number']])
        only(coded('COLLECTOR_INVALID_CURSOR'), () => decodeCursor(text, ...kinds));
    },
  },
  credentials: {
    make: (random) =>
      mutatedText(random, ['Bearer dcp_0123456789', 'dacapo_session_4100=abc; a=b', 'http://127.0.0.1:4100']),
    judge(text) {
      readApiKey({ authorization: text, 'api-key': text.slice(1) });
      readSessionCookie({ cookie: text }, 'http://127.0.0.1:4100');
      isSameOrigin({ origin: text, host: text }, 'https://a.example');
    },
  },
  'robots.txt': {
    make: (random) =>
      mutatedText(random, [
        'User-agent: *\nDisallow: /a*b$\nAllow: /a\nCrawl-delay: 1\nSitemap: https://a/b.xml\n',
      ]),
    judge: (text) => judgeRobots(text),
  },
  'HTTP bodies': {
    make(random) {
      const path = random.pick(Object.keys(bodies));
      const body = random.chance(0.5)
        ? mutatedText(random, [bodies[path]])
        : mutatedJson(random, bodies[path]);
      return JSON.stringify({ path, body, encoding: random.pick(['', '', 'gzip', 'br', 'none', 'cut']) });
    },
    judge: judgeRequest,
    prepare: startService,
  },
  ...Object.fromEntries(
    Object.entries(documents).map(([type, samples]) => [
      `documents of ${type}`,
      {
        make: (random) => mutatedText(random, samples),
        async judge(content) {
          const upload = { source: 'a', content, content_type: type };
          const document = await readDocument(upload).catch((error) => {
            if (!(error instanceof UnreadableDocumentError)) throw error;
          });
          for (const section of document?.sections ?? []) {
            assert.equal(typeof section.title, 'string');
            assert.notEqual(section.content.trim(), '');
          }
        },
      },
    ]),
  ),
};

const META = { types: [['/0', 'date']], truncated: [], redacted: [] };

function isOurs(error) {
  return /^(?:PROTOCOL|TRACER)_/.test(String(error?.code));
}

function mutatedJson(random, body) {
  return body
    .split('\n')
    .map((one) => JSON.stringify(mutatedValue(random, JSON.parse(one))))
    .join('\n');
}

const ENCODED = {
  gzip: (body) => gzipSync(body),
  br: (body) => brotliCompressSync(body),
  none: (body) => body,
  cut: (body) => gzipSync(body).subarray(0, 30),
};
let running;

function startService() {
  return (running ??= startCollector({ port: 0, storage: 'memory' }));
}

/** Every body gets a response from the service, and none causes a 5xx status. */
async function judgeRequest(text) {
  const { path, body, encoding } = JSON.parse(text);
  const { url, apiKey } = await startService();
  const answer = await fetch(url + path, {
    method: 'POST',
    headers: {
      'api-key': apiKey,
      'content-type': path.endsWith('/ingest') ? 'application/x-ndjson' : 'application/json',
      ...(encoding !== '' && { 'content-encoding': encoding === 'br' ? 'br' : 'gzip' }),
    },
    body: ENCODED[encoding]?.(body) ?? body,
  });
  const answerText = await answer.text();
  assert.ok(answer.status < 500, `${answer.status} ${answerText}`);
  if (answer.status >= 400) assert.equal(JSON.parse(answerText).status_code, answer.status);
}

/** A request with an invalid span between two valid ones: the service stores both. */
async function judgeOtlpRequest(text) {
  const { isJson, bad, isZipped } = JSON.parse(text);
  const { url, apiKey } = await startService();
  const body = isJson
    ? frameJson([otlpJson[0], bad, otlpJson[1]])
    : frameProtobuf([otlpSpans[0], Buffer.from(bad, 'base64'), otlpSpans[1]]);
  const answer = await fetch(`${url}/v1/traces`, {
    method: 'POST',
    headers: {
      'api-key': apiKey,
      'content-type': isJson ? 'application/json' : 'application/x-protobuf',
      ...(isZipped && { 'content-encoding': 'gzip' }),
    },
    body: isZipped ? gzipSync(body) : body,
  });
  const answered = Buffer.from(await answer.arrayBuffer());
  assert.equal(answer.status, 200, answered.toString());
  // Brackets and quotes that do not match change where the next span is.
  if (isJson && isJsonText(bad)) {
    const { partialSuccess } = JSON.parse(answered.toString());
    assert.ok(Number(partialSuccess?.rejectedSpans ?? 0) <= 1, answered.toString());
  }
  // Field 1 of the partial success, a varint of one byte: the number of rejected spans.
  if (!isJson && answered.length > 0)
    assert.ok(answered.includes(Buffer.from([0x08, 1])), answered.toString());
}

function frameJson(spans) {
  return `{"resourceSpans":[{"scopeSpans":[{"spans":[${spans.join(',')}]}]}]}`;
}

function isJsonText(text) {
  return only(
    (error) => error instanceof SyntaxError,
    () => JSON.parse(text) !== undefined,
  );
}

const masker = new SpanMasker();
const NO_TURNS = { next: () => Promise.resolve() };
const MEMORY = { grow: () => undefined, release: () => undefined };

/** Only the errors of the parser may come out, the good spans are whole, and a body with one span alone is read the same. */
async function judgeOtlp(frames, good) {
  for (const [index, frame] of frames.entries()) {
    const read = readFrame(frame);
    if (read !== undefined) {
      const body = frame.extract();
      const alone =
        typeof body === 'string' ? await splitJson(body, NO_TURNS) : splitProtobuf(Buffer.from(body));
      assert.deepEqual(alone.frames.map(readFrame), [read]);
    }
    if (good.includes(index)) assert.equal(read?.span?.span_data.usage?.model, 'gpt-5');
  }
  assert.ok(!Object.hasOwn(Object.prototype, 'polluted'));
}

function readFrame(frame) {
  return only(
    (error) => error instanceof FrameError || error?.code === 'PROTOCOL_INVALID_RECORD',
    () => {
      frame.weigh(MEMORY);
      return readSpan(frame, masker, false);
    },
  );
}

/** Some bytes changed, added, removed or repeated. */
function mutatedBytes(random, bytes) {
  let mutated = Buffer.from(bytes);
  for (let times = 1 + random.below(4); times > 0; times--) {
    const at = random.below(mutated.length + 1);
    const before = mutated.subarray(0, at);
    switch (random.below(4)) {
      case 0:
        if (at < mutated.length) mutated[at] = random.below(256);
        break;
      case 1:
        mutated = Buffer.concat([before, mutated.subarray(at + 1 + random.below(8))]);
        break;
      case 2:
        mutated = Buffer.concat([before, Buffer.from([random.below(256), 0xff]), mutated.subarray(at)]);
        break;
      default:
        mutated = Buffer.concat([before, mutated.subarray(random.below(at + 1))]);
    }
  }
  return mutated;
}

function judgeRobots(text) {
  const robots = parseRobots(text, 'dacapo');
  assert.equal(typeof robots.allows('/a/b'), 'boolean');
}

function measureDepth(value) {
  let level = [value];
  for (let depth = 0; ; depth++) {
    level = level.filter((one) => typeof one === 'object' && one !== null);
    if (level.length === 0) return depth;
    level = level.flatMap((one) => Object.values(one));
  }
}

/** Counts colons outside strings. */
function membersIn(text) {
  return text.replace(/"(?:[^"\\]|\\.)*"/gs, '').split(':').length - 1;
}
