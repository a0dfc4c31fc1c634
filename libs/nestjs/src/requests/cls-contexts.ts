import type { ModulesContainer } from '@nestjs/core';

/** What is used of `ClsService` of nestjs-cls 4 to 7. */
interface ClsService {
  get(): object | undefined;
  runWith<R>(store: object, step: () => R): R;
  exit<R>(step: () => R): R;
}

/** What a request of an application with nestjs-cls has of it. */
interface OwnStore {
  /** That of the step before; at first what the request came in with, which other requests may share. */
  store: object | undefined;
}

/**
 * Restores the context of nestjs-cls for the steps of a request: the step before may have gone on in that of another request.
 * It replaces only what is known to be another request's, so a step may enter a context of its own.
 */
export class ClsContexts {
  private readonly byRequest = new WeakMap<object, OwnStore>();
  private readonly owners = new WeakMap<object, OwnStore>();

  private constructor(private readonly cls: ClsService) {}

  /** @returns `undefined` for an application without nestjs-cls */
  static find(modules: ModulesContainer): ClsContexts | undefined {
    for (const { providers } of modules.values())
      for (const wrapper of providers.values())
        if (wrapper.isNotMetatype && isClsService(wrapper.instance)) return new ClsContexts(wrapper.instance);
    return undefined;
  }

  /** A request came in: what is entered from now on is its own. */
  begin(rawRequest: object): OwnStore {
    let own = this.byRequest.get(rawRequest);
    if (own === undefined) {
      own = { store: this.cls.get() };
      this.byRequest.set(rawRequest, own);
    }
    return own;
  }

  /**
   * Whether a step of the request may run where it is called.
   *
   * @param isTrusted the step before called it in the request: a store that nobody had before is then the request's
   */
  isOwn(rawRequest: object, isTrusted: boolean): boolean {
    const own = this.begin(rawRequest);
    const current = this.cls.get();
    if (current === own.store) return true;
    if (current === undefined) return false;
    const owner = this.owners.get(current);
    if (owner === undefined && isTrusted) {
      this.owners.set(current, own);
      own.store = current;
    }
    return owner === undefined || owner === own;
  }

  run<R>(rawRequest: object, isTrusted: boolean, step: () => R): R {
    if (this.isOwn(rawRequest, isTrusted)) return step();
    const { store } = this.begin(rawRequest);
    return store === undefined ? this.cls.exit(step) : this.cls.runWith(store, step);
  }
}

function isClsService(value: unknown): value is ClsService {
  if (typeof value !== 'object' || value === null) return false;
  try {
    const { get, runWith, exit, isActive, getId } = value as Record<string, unknown>;
    return [get, runWith, exit, isActive, getId].every((method) => typeof method === 'function');
  } catch {
    // A proxy that answers only inside a request.
    return false;
  }
}
