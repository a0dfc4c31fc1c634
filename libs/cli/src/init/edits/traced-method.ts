import { addNamedImport, blankLiterals, blankNested, insertAt } from './source-code.js';

/** In a text whose brackets are blank. */
const DECORATOR = String.raw`@[\w.$]+(?:\(\s*\))?\s*`;
const TYPE_PARAMETERS = '<(?:=>|[^<>]|<(?:=>|[^<>]|<[^<>]*>)*>)*>';
const CLASS = new RegExp(
  String.raw`^(?:${DECORATOR})+(?:export\s+)?(?:default\s+)?(?:abstract\s+)?class\s+(\w+)(?:[^{<]|${TYPE_PARAMETERS})*\{`,
);
const METHOD =
  /^([ \t]*)((?:@[\w.$]+(?:\(\s*\))?[ \t]+)*)(?:(?:public|override|async)[ \t]+)*(?:\*[ \t]*)?([A-Za-z_$][\w$]*)\s*(?:<[^()]*>)?\(\s*\)\s*(?::[^{;]*)?\{/gm;
const NO_METHOD = new Set(['if', 'for', 'while', 'switch', 'catch', 'function', 'constructor']);
const HOOK = /^(onModule|onApplication|beforeApplication)/;

/** A method of a provider, which `@Traced` can record. */
export interface ProviderMethod {
  /** Such as `ClassifierService.classify`, which is also its default trace function key. */
  readonly name: string;
  readonly isTraced: boolean;
  /** Where `@Traced()` is put in the source: behind the method's other decorators. */
  readonly at: number;
  /** The decorator, and the space between it and the method. */
  readonly decorator: string;
}

/** Finds the public methods of the classes with `@Injectable()`, in the order of the source. */
export function findProviderMethods(source: string): ProviderMethod[] {
  const code = blankLiterals(source);
  return [...code.matchAll(/@Injectable\(/g)].flatMap(({ index }) => {
    const found = CLASS.exec(blankNested(code.slice(index)));
    if (found === null) return [];
    const start = index + found[0].length;
    const body = blankNested(code.slice(start));
    const isTracedClass = /@Traced\b/.test(code.slice(Math.max(0, code.lastIndexOf('\n}', index)), start));
    return [...body.matchAll(METHOD)].flatMap((method): ProviderMethod[] => {
      const [, indent = '', ownLine = '', name = ''] = method;
      if (NO_METHOD.has(name) || HOOK.test(name)) return [];
      const at = method.index + (ownLine === '' ? 0 : indent.length + ownLine.length);
      const before = body.slice(0, at);
      const decorators = before.slice(Math.max(before.lastIndexOf('}'), before.lastIndexOf(';')) + 1);
      return [
        {
          name: `${found[1] ?? ''}.${name}`,
          isTraced: isTracedClass || /@Traced\b/.test(decorators),
          at: start + at,
          decorator: ownLine === '' ? `${indent}@Traced()\n` : '@Traced() ',
        },
      ];
    });
  });
}

/** Puts `@Traced()` above or in front of the method, behind its other decorators. */
export function addTraced(source: string, { at, decorator }: ProviderMethod): string {
  return addNamedImport(insertAt(source, at, decorator), 'Traced', '@dacapo/nestjs');
}
