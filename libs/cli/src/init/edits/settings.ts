const endedBy = (text: string): string => (text === '' || text.endsWith('\n') ? text : `${text}\n`);

/** Adds the variables of the tracer that `.env` does not have, in front, so that no diff has a line of the user. */
export function addVariables(text: string): string {
  const wanted = [
    ['TRACER_API_KEY', ''],
    ['TRACER_SERVICE_URL', 'http://127.0.0.1:4100'],
  ];
  const missing = wanted.filter(
    ([name = '']) => !new RegExp(`^\\s*(?:export\\s+)?${name}\\s*=`, 'm').test(text),
  );
  return missing.map(([name, value]) => `${name}=${value}\n`).join('') + text;
}

/** Adds the patterns to a .gitignore that it does not have. */
export function addIgnored(text: string, patterns: readonly string[]): string {
  const own = new Set(text.split('\n').map((line) => line.trim().replace(/^\/|\/$/g, '')));
  const missing = patterns.filter((pattern) => !own.has(pattern.replace(/\/$/, '')));
  return missing.length === 0 ? text : endedBy(text) + missing.map((pattern) => `${pattern}\n`).join('');
}

/** Models answer differently each time, so a changed output alone does not fail a new gate. */
export const NEW_GATE = `{
  "errors": 0,
  "minItems": 1
}
`;

interface Workflow {
  readonly packageManager: 'npm' | 'pnpm' | 'yarn';
  /** The compiled root module. */
  readonly entry: string;
  readonly method: string;
}

const INSTALLS = {
  npm: 'npm ci',
  pnpm: 'pnpm install --frozen-lockfile',
  yarn: 'yarn install --frozen-lockfile',
} as const;

/** A workflow for GitHub that replays recorded calls of a pull request. */
export function newWorkflow({ packageManager, entry, method }: Workflow): string {
  const setup = packageManager === 'npm' ? '' : '      - run: corepack enable\n';
  const runner = packageManager === 'npm' ? 'npx' : `${packageManager} exec`;
  return `name: Replay
on: pull_request

jobs:
  replay:
    runs-on: ubuntu-latest
    permissions:
      contents: read
    env:
      TRACER_SERVICE_URL: \${{ vars.TRACER_SERVICE_URL }}
      TRACER_API_KEY: \${{ secrets.TRACER_API_KEY }}
      # Add what your model calls need, such as OPENAI_API_KEY.
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-node@v4
        with:
          node-version: 22
${setup}      - run: ${INSTALLS[packageManager]}
      - run: ${packageManager} run build
      - name: Replay
        run: |
          ${runner} dacapo replay ${entry} --method ${method} \\
            --since 7d --sample 200 --seed 1 --mock all --live llm \\
            --gate gate.json --junit replay.xml --markdown replay.md --html replay.html
      - name: Summary
        if: \${{ !cancelled() && hashFiles('replay.md') != '' }}
        run: cat replay.md >> "$GITHUB_STEP_SUMMARY"
      - uses: actions/upload-artifact@v4
        if: \${{ !cancelled() }}
        with:
          name: replay
          path: |
            replay.xml
            replay.html
`;
}

/** The module with the tracer of an application without Nest. */
export function newTracerFile(isRequired: boolean): string {
  const lines = isRequired
    ? ["const { existsSync } = require('node:fs');", "const { Tracer } = require('@dacapo/tracer');"]
    : ["import { existsSync } from 'node:fs';", "import { Tracer } from '@dacapo/tracer';"];
  return `${lines.join('\n')}

if (existsSync('.env')) process.loadEnvFile('.env');

${isRequired ? 'const' : 'export const'} tracer = new Tracer({
  apiKey: process.env.TRACER_API_KEY,
  serviceUrl: process.env.TRACER_SERVICE_URL,
});
${isRequired ? '\nmodule.exports = { tracer };\n' : ''}`;
}
