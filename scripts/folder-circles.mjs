import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, sep } from 'node:path';
import { ROOT } from './workspace.mjs';

const IMPORT = /(?:from|import\()\s*'(\.{1,2}\/[^']+)'/g;

/** Each import of a file by another one, as two paths below `root`. Imports of types count. */
function* importsBelow(root) {
  const files = readdirSync(root, { recursive: true }).filter((name) => /(?<!\.spec|\.d)\.tsx?$/.test(name));
  for (const file of files) {
    for (const [, specifier] of readFileSync(join(root, file), 'utf8').matchAll(IMPORT)) {
      const imported = normalize(join(dirname(file), specifier)).replace(/\.js$/, '.ts');
      const found = [imported, `${imported}x`].find((path) => existsSync(join(root, path)));
      if (found !== undefined) yield [file.split(sep), found.split(sep)];
    }
  }
}

/** For each folder, which of its files and folders import which others. */
function graphsBelow(root) {
  const graphs = new Map();
  for (const [importer, imported] of importsBelow(root)) {
    const depth = importer.findIndex((part, index) => part !== imported[index]);
    const folder = importer.slice(0, depth).join('/');
    const graph = graphs.get(folder) ?? new Map();
    const { targets } = graph.get(importer[depth]) ?? { targets: new Map() };
    targets.set(imported[depth], `${importer.join('/')} imports ${imported.join('/')}`);
    graphs.set(folder, graph.set(importer[depth], { targets }));
  }
  return graphs;
}

/** Names that can be reached from a name along imports. */
function reachedFrom(graph, start) {
  const reached = new Set();
  const open = [start];
  while (open.length > 0) {
    for (const name of graph.get(open.pop())?.targets.keys() ?? []) {
      if (!reached.has(name)) open.push(name);
      reached.add(name);
    }
  }
  return reached;
}

function* findCircles(library) {
  for (const [folder, graph] of graphsBelow(join(ROOT, 'libs', library, 'src'))) {
    for (const [name, { targets }] of graph) {
      for (const [target, example] of targets) {
        if (reachedFrom(graph, target).has(name)) {
          yield `libs/${library}/src/${folder}: ${name} and ${target} form a circle: ${example}`;
        }
      }
    }
  }
}

const libraries = readdirSync(join(ROOT, 'libs'));
const circles = libraries.flatMap((library) => [...findCircles(library)]);
for (const circle of circles) console.error(circle);
process.exitCode = circles.length === 0 ? 0 : 1;
