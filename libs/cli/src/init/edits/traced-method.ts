import { addNamedImport, blankLiterals, blankNested, insertAt } from './source-code.js';

const CLASS =
  /@Injectable\([^)]*\)\s*(?:@\w+\([^)]*\)\s*)*(?:export\s+)?(?:default\s+)?class\s+(\w+)[^{]*\{/g;
const METHOD =
  /^([ \t]*)((?:(?:public|protected|override|async)[ \t]+)*)(?:\*[ \t]*)?([A-Za-z_$][\w$]*)\s*(?:<[^()]*>)?\(\s*\)\s*(?::[^{;]*)?\{/gm;
const NO_METHOD = new Set(['if', 'for', 'while', 'switch', 'catch', 'function', 'constructor']);
const HOOK = /^(onModule|onApplication|beforeApplication)/;

/** A method of a provider, which `@Traced` can record. */
export interface ProviderMethod {
  /** Such as `ClassifierService.classify`, which is also its default trace function key. */
  readonly name: string;
  readonly isTraced: boolean;
  readonly indent: string;
  /** Where its line begins in the source. */
  readonly at: number;
}

/** Finds the public methods of the classes with `@Injectable()`, in the order of the source. */
export function findProviderMethods(source: string): ProviderMethod[] {
  const code = blankLiterals(source);
  return [...code.matchAll(CLASS)].flatMap((found) => {
    const start = found.index + found[0].length;
    const body = blankNested(source.slice(start));
    const isTracedClass = /@Traced\b/.test(
      code.slice(Math.max(0, code.lastIndexOf('\n}', found.index)), start),
    );
    let previousEnd = 0;
    return [...body.matchAll(METHOD)].flatMap((method): ProviderMethod[] => {
      const [text, indent = '', , name = ''] = method;
      const decorators = body.slice(previousEnd, method.index);
      previousEnd = method.index + text.length;
      if (NO_METHOD.has(name) || HOOK.test(name)) return [];
      const isTraced = isTracedClass || /@Traced\b/.test(decorators);
      return [{ name: `${found[1] ?? ''}.${name}`, isTraced, indent, at: start + method.index }];
    });
  });
}

/** Puts `@Traced()` above the method, below its other decorators. */
export function addTraced(source: string, { at, indent }: ProviderMethod): string {
  return addNamedImport(insertAt(source, at, `${indent}@Traced()\n`), 'Traced', '@dacapo/nestjs');
}
