import { join, relative } from 'node:path';
import { pullCassette } from '../../cassettes/pull-cassette.js';
import { DEFAULT_DIRECTORY } from '../../cassettes/default-directory.js';
import { Answer } from '../answer.js';
import { ToolRefusedError } from '../errors.js';
import { KEY, type Tool, TRACE_ID } from '../tool.js';

interface Input {
  readonly key: string;
  readonly trace_id: string;
  readonly name: string;
}

const NAME = '^[A-Za-z0-9][A-Za-z0-9._-]*(/[A-Za-z0-9][A-Za-z0-9._-]*){0,7}$';

/** Writes a recorded call into a cassette, for a test in the repository. */
export const saveCassette: Tool<Input> = {
  name: 'save_cassette',
  description: 'Save a recorded call as a cassette, so that a test in the repository replays it offline.',
  input: {
    key: KEY,
    trace_id: TRACE_ID,
    name: { type: 'string', pattern: NAME, maxLength: 200, description: 'such as refund/late' },
  },
  required: ['key', 'trace_id', 'name'],
  acts: true,
  subject: ({ key, trace_id }) => `${trace_id}/${key}`,
  async run({ key, trace_id: traceId, name }, session) {
    if (!new RegExp(NAME).test(name)) throw new ToolRefusedError('The name must be like refund/late.');
    const directory = session.config().test?.cassettes ?? DEFAULT_DIRECTORY;
    const file = session.fileInside(join(directory, `${name}.ndjson`));
    // Large values are in a folder next to the file.
    session.fileInside(join(directory, `${name}.blobs`));
    const { isChanged, roots, innerCalls } = await pullCassette(session.service, {
      key,
      traceId,
      file,
      replaces: false,
    });
    const hasFailed = roots.some(({ status }) => status === 'error');
    return new Answer().say(
      `${isChanged ? 'Wrote' : 'Unchanged:'} ${relative(session.parts.folder, file)}: ${roots.length} calls, ${innerCalls} calls inside. ` +
        `In a test: withCassette('${name}'${hasFailed ? ", { expect: 'fixed' }" : ''}, async () => { … call the function … }). ` +
        'Commit both. On the command line, `dacapo prove` shows the fix red and green.',
    );
  },
};
