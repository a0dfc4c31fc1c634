import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Gzipped bytes of the scripts and styles that the dashboard's page names, so loads first. Fonts load when they are used.
 *
 * @param dir the built dashboard
 * @throws Error when it is not built
 */
export function measureFirstLoad(dir) {
  const page = join(dir, 'index.html');
  if (!existsSync(page)) throw new Error(`${page} does not exist. Run \`npm run build\`.`);
  const assets = readFileSync(page, 'utf8').match(/(?<=(?:src|href)="\/)assets\/[^"]+\.(?:js|css)/g) ?? [];
  if (assets.length === 0) throw new Error(`${page} names no scripts. Check the pattern of this script.`);
  return assets.reduce((sum, asset) => sum + statSync(join(dir, `${asset}.gz`)).size, 0);
}
