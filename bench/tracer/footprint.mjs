import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { measureInChild, median } from './children.mjs';

const TRACER = fileURLToPath(new URL('../../libs/tracer', import.meta.url));

/** What the package costs before it does anything. */
export async function measureFootprint(progress) {
  progress('import, tarball and the disabled tracer');
  const imports = [];
  for (let i = 0; i < 7; i++) imports.push((await measureInChild('import-child.mjs', [])).importMs);
  const { addedNs } = await measureInChild('disabled-child.mjs', []);
  const [{ size }] = JSON.parse(
    execFileSync('npm', ['pack', '--dry-run', '--json', '--silent'], { cwd: TRACER, encoding: 'utf8' }),
  );
  return {
    'import ms': Math.round(median(imports) * 10) / 10,
    'tarball KB': Math.round(size / 100) / 10,
    'disabled tracer, ns a call': Math.round(addedNs * 10) / 10,
  };
}
