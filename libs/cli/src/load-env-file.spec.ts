import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadEnvFile } from './load-env-file.js';

const TEXT = 'TRACER_API_KEY=dcp_file\nTRACER_SERVICE_URL=http://file.example\nMODEL_KEY="a b"\n';

function load(env: NodeJS.ProcessEnv, text?: string): NodeJS.ProcessEnv {
  const folder = mkdtempSync(join(tmpdir(), 'dacapo-env-'));
  if (text !== undefined) writeFileSync(join(folder, '.env'), text);
  loadEnvFile(env, folder);
  rmSync(folder, { recursive: true });
  return env;
}

describe('loadEnvFile', () => {
  it('adds the key, the address and the variables of the application', () => {
    expect(load({}, TEXT)).toEqual({
      TRACER_API_KEY: 'dcp_file',
      TRACER_SERVICE_URL: 'http://file.example',
      MODEL_KEY: 'a b',
    });
  });

  it('keeps variables that are set, also to an empty text', () => {
    expect(load({ MODEL_KEY: '', TRACER_SERVICE_URL: 'http://shell.example' }, TEXT)).toEqual({
      TRACER_API_KEY: 'dcp_file',
      TRACER_SERVICE_URL: 'http://shell.example',
      MODEL_KEY: '',
    });
  });

  it('never sends a key of the shell to an address of the file', () => {
    expect(load({ TRACER_API_KEY: 'dcp_shell' }, TEXT)).toEqual({
      TRACER_API_KEY: 'dcp_shell',
      MODEL_KEY: 'a b',
    });
  });

  it('adds nothing without a file', () => {
    expect(load({})).toEqual({});
  });
});
