import type { BamlType } from './baml/baml-type.js';
import type { BamlDeclarations, BamlField } from './baml/declarations.js';

const PRIMITIVES: Record<string, string> = {
  string: 'string',
  int: 'number',
  float: 'number',
  bool: 'boolean',
  null: 'null',
  image: "import('@boundaryml/baml').Image",
  audio: "import('@boundaryml/baml').Audio",
  pdf: "import('@boundaryml/baml').Pdf",
  video: "import('@boundaryml/baml').Video",
};

/** Prints BAML types as TypeScript. `prefix` is put before the names of the source. */
export class TypePrinter {
  constructor(
    private readonly declarations: BamlDeclarations,
    private readonly prefix = '',
  ) {}

  type(type: BamlType): string {
    switch (type.kind) {
      case 'name':
        return PRIMITIVES[type.name] ?? this.reference(type.name);
      case 'literal':
        return type.text.startsWith('"') ? quote(JSON.parse(type.text) as string) : type.text;
      case 'list':
        return type.of.kind === 'union' || type.of.kind === 'optional'
          ? `(${this.type(type.of)})[]`
          : `${this.type(type.of)}[]`;
      case 'map':
        return this.isOpen(type.key)
          ? `Record<string, ${this.type(type.value)}>`
          : `Partial<Record<${this.type(type.key)}, ${this.type(type.value)}>>`;
      case 'optional':
        return `${this.type(type.of)} | null`;
      case 'union':
        return type.members.map((member) => this.type(member)).join(' | ');
    }
  }

  /** Optional fields get a `?`. */
  fields(fields: readonly BamlField[], indent: string): string {
    return fields
      .map(({ name, type }) => `${indent}${name}${isOptional(type) ? '?' : ''}: ${this.type(type)};\n`)
      .join('');
  }

  private reference(name: string): string {
    const { classes, enums, aliases } = this.declarations;
    return classes.has(name) || enums.has(name) || aliases.has(name) ? this.prefix + name : 'unknown';
  }

  private isOpen(key: BamlType): boolean {
    return key.kind === 'name' && key.name === 'string';
  }
}

export function quote(text: string): string {
  return `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}

function isOptional(type: BamlType): boolean {
  return type.kind === 'optional' || (type.kind === 'union' && type.members.some(isOptional));
}
