import type { SpanDetail } from '@dacapo/protocol';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Answer } from '../answer.js';
import type { Session } from '../session.js';
import { SPAN_ID, type Tool, TRACE_ID } from '../tool.js';
import { toVisible } from '../visible-text.js';

interface Input {
  readonly trace_id: string;
  readonly span_id: string;
}

const MOST_OF_A_FIELD = 1_500;
const FOLDER = '.dacapo';

/** One recorded call with its values. Values that do not fit are in a file of the project. */
export const getSpan: Tool<Input> = {
  name: 'get_span',
  description:
    'Show one recorded call: input, output, error, usage. Large values go into a file in .dacapo/.',
  input: { trace_id: TRACE_ID, span_id: SPAN_ID },
  required: ['trace_id', 'span_id'],
  acts: false,
  subject: ({ trace_id, span_id }) => `${trace_id}/${span_id}`,
  async run({ trace_id, span_id }, session) {
    const span = await session.service.api.traces.getSpan({ id: trace_id, span_id });
    const fields = listFields(span);
    const isCut = fields.some(([, text]) => text.length > MOST_OF_A_FIELD);
    const answer = new Answer();
    if (isCut) answer.say(`The whole values are in ${writeValues(session, { trace_id, span_id }, span)}.`);
    for (const [name, text] of fields) {
      const head = text.slice(0, MOST_OF_A_FIELD);
      const more = text.length - head.length;
      answer
        .say(`${name}:${more > 0 ? ` (${more} more characters are in the file)` : ''}`)
        .quote(head, MOST_OF_A_FIELD);
    }
    return answer;
  },
};

function listFields(span: SpanDetail): (readonly [string, string])[] {
  const { span_data: data, trace_function_key: key, type, status, duration_ms, parent_id } = span;
  const { input, output, error, usage, prompt } = data;
  const values = { call: { key, type, status, duration_ms, parent_id }, error, input, output, prompt, usage };
  return Object.entries(values).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, JSON.stringify(value)] as const],
  );
}

/** @returns the path relative to the project @throws ToolRefusedError when the folder is a link that leads out of it */
function writeValues(session: Session, { trace_id, span_id }: Input, span: SpanDetail): string {
  const path = join(FOLDER, `span-${trace_id}-${span_id}.json`);
  const file = session.fileInside(path);
  mkdirSync(dirname(file), { recursive: true });
  // What was recorded in production does not belong into the repository.
  writeFileSync(session.fileInside(join(FOLDER, '.gitignore')), '*\n');
  writeFileSync(file, `${toVisible(JSON.stringify(span, undefined, 1))}\n`);
  return path;
}
