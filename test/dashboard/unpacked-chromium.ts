import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { removeFolder } from '../support/remove-folder.js';

const ROOT = join(__dirname, '../..');
const CACHE = join(ROOT, '.cache');
const PACKAGE = '@sparticuz/chromium';

interface UnpackedChromium {
  executablePath: string;
  /** Paths of the bundled libraries and fonts. */
  env: Record<string, string>;
}

/** The Chromium in an npm package, unpacked once and cached. */
export async function unpackedChromium(): Promise<UnpackedChromium> {
  const folder = join(CACHE, `chromium-${installedVersion()}`);
  if (!existsSync(folder)) await unpack(folder);
  return {
    executablePath: join(folder, 'chromium'),
    env: { LD_LIBRARY_PATH: join(folder, 'al2023/lib'), FONTCONFIG_FILE: join(folder, 'fonts.conf') },
  };
}

function installedVersion(): string {
  const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    devDependencies: Record<string, string>;
  };
  return manifest.devDependencies[PACKAGE] ?? 'unknown';
}

/** The package unpacks to its process's temporary folder, and unpacks libraries only if it detects Lambda. */
async function unpack(folder: string): Promise<void> {
  await mkdir(CACHE, { recursive: true });
  const unfinished = await mkdtemp(join(CACHE, 'chromium-'));
  const env = { ...process.env, TMPDIR: unfinished, AWS_LAMBDA_JS_RUNTIME: 'nodejs22.x' };
  await promisify(execFile)(process.execPath, [require.resolve('./unpack-chromium.mjs')], { env });
  await writeFile(join(unfinished, 'fonts.conf'), fontsConfiguration(folder));
  await rename(unfinished, folder).catch(async (error: unknown) => {
    // Another test run unpacked it first.
    await removeFolder(unfinished);
    if (!existsSync(folder)) throw error;
  });
}

function fontsConfiguration(folder: string): string {
  return `<?xml version="1.0"?>
<fontconfig>
  <dir>/usr/share/fonts</dir>
  <dir>${folder}/fonts/fonts</dir>
  <cachedir>${folder}/fonts-cache</cachedir>
</fontconfig>
`;
}
